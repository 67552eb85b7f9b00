"""What can go wrong with processes and pipes: none of it may hang, and none may show a traceback."""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from polylect.cli._pool import Item, Result, WorkerDied
from polylect.cli._pool import run as run_pool

Write = Callable[[str, "str | bytes"], Path]


class Feed:
    """Items at hand."""

    def __init__(self, items: list[Item]) -> None:
        self.items = items

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    def ready(self) -> bool:
        return True

    def waits_on(self) -> int | None:
        return None


class Echo:
    """Gives items back: later ones sooner, so that order is not by chance."""

    def prepare(self) -> None:
        pass

    def __call__(self, item: Item) -> Result:
        if item.data == b"KILL":
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(0.02 if item.line % 5 == 0 else 0)
        return Result(item.data, 1, 0)


def items(count: int) -> list[Item]:
    return [Item("lines", "x", i, b"%d" % i) for i in range(count)]


def test_results_come_in_order() -> None:
    for jobs in (1, 2, 5):
        assert [x.data for x in run_pool(Echo(), Feed(items(60)), jobs)] == [b"%d" % i for i in range(60)]


def test_what_the_collector_was_told_to_leave_alone_it_leaves_alone() -> None:
    assert gc.get_freeze_count() > 0, "the tests do so themselves: see tests/conftest.py"
    assert len(list(run_pool(Echo(), Feed(items(3)), 2))) == 3
    assert gc.get_freeze_count() > 0


def test_results_larger_than_a_pipe_do_not_block() -> None:
    big = [Item("lines", "x", i, bytes([i]) * 3_000_000) for i in range(6)]
    assert [x.data for x in run_pool(Echo(), Feed(big), 2)] == [x.data for x in big]


def test_the_feed_is_not_read_ahead_without_bound() -> None:
    read = 0

    class Counted(Feed):
        def __iter__(self) -> Iterator[Item]:
            nonlocal read
            for item in self.items:
                read += 1
                yield item

    results = run_pool(Echo(), Counted(items(500)), 2)
    for _ in range(3):
        next(results)
    assert read <= 20
    results.close()  # type: ignore[attr-defined]


def test_a_killed_worker_is_an_error_and_what_came_before_is_kept() -> None:
    work = items(20)
    work[7] = Item("lines", "x.jsonl", 7, b"KILL")
    found: list[bytes] = []
    with pytest.raises(WorkerDied, match=r"killed by signal 9 .* at x\.jsonl, line 7"):
        found.extend(result.data for result in run_pool(Echo(), Feed(work), 2))
    assert found == [b"%d" % i for i in range(7)]


def test_a_killed_worker_ends_the_command(run: Any, write: Write) -> None:
    path = write("r.jsonl", b'"=1"\n' * 10 + b'"KILL"\n' + b'"=2"\n' * 100_000)
    done = run("translate", "--from", "toy", "--to", "toy", "--jobs", "2", path)
    assert done.returncode == 1
    assert b"Error: A worker process was killed by signal 9" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_reader_may_go_away(start: Any, write: Write, jobs: str) -> None:
    path = write("r.jsonl", b'"=1"\n' * 300_000)
    for command in (("translate", "--from", "toy", "--to", "toy"), ("parse", "--lect", "toy")):
        process = start(*command, "--jobs", jobs, path)
        assert process.stdout.readline()
        process.stdout.close()
        assert process.wait(20) == 141
        assert process.stderr.read() == b""
        process.stdout = None


def gone(group: int) -> bool:
    """Whether no process of a group is left, in a while."""
    for _ in range(100):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


def hear_interrupts() -> None:
    """What runs in the background of a script is started deaf to them, and so are its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interrupt_ends_all_processes_quietly(start: Any, jobs: str) -> None:
    process = start(
        "translate", "--from", "toy", "--to", "toy", "--jobs", jobs, start_new_session=True, preexec_fn=hear_interrupts
    )
    process.stdin.write(b'"=1"\n' * 100)
    process.stdin.flush()
    assert process.stdout.readline() == b'{"text":"=1"}\n'
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does it: to the workers too
    assert process.wait(20) == 130
    assert process.stderr.read().strip() == b""
    assert gone(process.pid)


def test_workers_end_when_their_parent_is_killed(start: Any) -> None:
    process = start("translate", "--from", "toy", "--to", "toy", "--jobs", "3", start_new_session=True)
    process.stdin.write(b'"=1"\n')
    process.stdin.flush()
    assert process.stdout.readline()
    process.kill()
    process.wait(20)
    assert gone(process.pid)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_slow_pipe_gets_its_results_at_once(start: Any, jobs: str) -> None:
    process = start("translate", "--from", "toy", "--to", "toy", "--jobs", jobs)
    for i in range(5):
        process.stdin.write(b'"=%d"\n' % i)
        process.stdin.flush()
        assert select.select([process.stdout], [], [], 20)[0]
        assert json.loads(os.read(process.stdout.fileno(), 1000)) == {"text": f"={i}"}
    process.stdin.close()
    assert process.wait(20) == 0


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_output_that_cannot_be_written_is_exit_code_2(start: Any, write: Write, unbuffered: str) -> None:
    path = write("a.txt", "=1")
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    if os.path.exists("/dev/full"):
        with open("/dev/full", "wb") as full:
            for command in (("parse", path), ("lects",), ("parse", path, path / "none")):
                process = start(*command, stdout=full, env=environment)
                assert process.wait(20) == 2
                assert process.stderr.read().count(b"Error: ") == 1
            process = start("parse", path, stdout=full, env=environment)
            assert process.wait(20) == 2
            assert process.stderr.read() == b"Error: No space left on device\n"
    closed = ["sh", "-c", 'exec "$0" "$@" >&-', *process.args[: process.args.index("parse")], "parse", str(path)]
    done = subprocess.run(closed, capture_output=True, timeout=60, check=False)
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr


def test_warnings_are_a_line_for_people(run: Any, write: Write) -> None:
    plugin = write("old.py", "import warnings\nwarnings.warn('old hat')\n")
    done = run("--plugin", plugin, "lects")
    assert (done.returncode, done.stderr) == (0, b"Warning: old hat\n")


MEASURED = """
import resource, sys
from polylect.cli import main
try:
    main(sys.argv[1:])
finally:
    who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    print(max(resource.getrusage(x).ru_maxrss for x in who), file=sys.stderr)
"""


def peak(*args: str) -> int:
    """The most memory that any of the command's processes held, in KiB."""
    toy = str(Path(__file__).with_name("toy.py"))
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, "--plugin", toy, *args], capture_output=True, timeout=120, check=True
    )
    return int(done.stderr)


@pytest.mark.skipif(sys.platform == "win32", reason="no rusage")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_memory_does_not_grow_with_the_input(write: Write, tmp_path: Path, jobs: str) -> None:
    line = json.dumps({"text": "word " * 100 + '\n!add {"a": 1}'}).encode() + b"\n"
    small, large = write("small.jsonl", line * 4_000), write("large.jsonl", line * 60_000)
    out = str(tmp_path / "out")
    command = ("translate", "--from", "toy", "--to", "toy_messages", "--output", out, "--jobs", jobs)
    first, second = peak(*command, str(small)), peak(*command, str(large))
    assert second < first + 4_000
