from __future__ import annotations

import functools
import json
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from . import cli, floors, peers, processes, report, rows_agents, rows_processes, samples
from .rows import Pair, Row, Section, compared, timed_group
from .timing import ROUNDS, Candidate, measure, repeatable

HERE = Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs" / "benchmarks.md"


def work(size: int) -> int:
    return sum(range(size))


def test_a_ratio_is_that_of_the_work() -> None:
    candidates = {
        "once": repeatable(functools.partial(work, 4_000)),
        "twice": repeatable(functools.partial(work, 8_000)),
    }
    timings = measure(candidates, slice_ms=1.0)
    assert timings.rounds == ROUNDS
    assert 1.5 < timings.ratio("twice", "once") < 2.7


def test_time_is_told_per_unit_and_preparation_is_not_timed() -> None:
    def slow() -> functools.partial[int]:
        work(100_000)
        return functools.partial(work, 4_000)

    plain = repeatable(functools.partial(work, 4_000))
    timings = measure({"plain": plain, "ten": Candidate(slow, units=10)}, rounds=5, slice_ms=1.0)
    assert 0.05 < timings.ratio("ten", "plain") < 0.2


def test_a_spent_budget_leaves_three_rounds() -> None:
    assert measure({"one": repeatable(functools.partial(work, 4_000))}, slice_ms=1.0, budget_s=0.001).rounds == 3


def test_a_candidate_that_raises_or_is_wrong_fails_its_own_rows_only() -> None:
    candidates = {
        "sound": repeatable(functools.partial(work, 10)),
        "raises": repeatable(functools.partial(json.loads, "{")),
        "wrong": repeatable(functools.partial(work, 10), lambda result: f"{result} is wrong"),
    }
    pairs = [Pair("a", "sound", "sound", 1.5), Pair("b", "raises", "sound", 1.5), Pair("c", "wrong", "sound", 1.5)]
    good, raised, wrong = compared(candidates, pairs)
    assert good.verdict == "ok"
    assert raised.verdict == "FAIL"
    assert "JSONDecodeError" in raised.note
    assert wrong.verdict == "FAIL"
    assert wrong.note == "45 is wrong"


@pytest.mark.parametrize(
    ("row", "verdict"),
    [
        (Row("a", "b", value=1.0, bar=1.0), "ok"),
        (Row("a", "b", value=1.01, bar=1.0), "FAIL"),
        (Row("a", "b", value=1.7, bar=1.7, at_least=True), "ok"),
        (Row("a", "b", value=1.69, bar=1.7, at_least=True), "FAIL"),
        (Row("a", "b", bar=1.0, note="it raised"), "FAIL"),
        (Row("a", "b", value=9.0), "info"),
    ],
)
def test_verdicts(row: Row, verdict: str) -> None:
    assert row.verdict == verdict


def test_the_floor_loop_keeps_all_but_the_marker() -> None:
    text = samples.prose(500)
    for step in (1, 4, 40):
        assert (
            "".join(floors.floor_loop(samples.cut(f"{text}</tool_input>rest", step), "</tool_input>")) == text + "rest"
        )


def test_the_regex_loop_reads_the_sample() -> None:
    assert floors.regex_loop(samples.REACT_CALL) == {
        "Thought": "The skipper needs the night tide, so I ask.",
        "Action": "tide_table",
        "Action Input": "Stavanger at 21:30",
    }


def test_samples_are_as_long_as_the_bars_say() -> None:
    assert [len(message) for message in (samples.REACT_CALL, samples.BLOB_CALL, samples.XML_CALL)] == [104, 112, 85]
    assert len(samples.small_blob()) == 300
    for size in (64 * samples.KIB, 1024 * samples.KIB):
        body = samples.sized_blob(size)
        text = json.loads(body)["action_input"]["text"]
        assert size - 6 <= len(body) <= size
        assert sum(mark in '\n"\\\t' for mark in text) == len(text) // 6
    for stream in samples.STREAMS:
        message = stream.message(16 * samples.KIB)
        assert message.payload in message.text
        assert 0 <= len(message.payload) - 16 * samples.KIB < 100 or stream.message is samples.long_escaped
    assert len(samples.hostile("{a", 40_000)) == 40_000


@pytest.mark.parametrize("lect", rows_agents.PEERS)
def test_our_agent_does_what_is_timed(lect: str) -> None:
    candidate = rows_agents.our_run(lect)
    job = candidate.prepare()
    assert candidate.check is not None
    assert [candidate.check(job()) for _ in range(3)] == [None] * 3


def test_work_in_other_threads_is_timed_by_the_clock_of_the_process() -> None:
    def threaded() -> None:
        thread = threading.Thread(target=work, args=(200_000,))
        thread.start()
        thread.join()

    candidate = {"threaded": repeatable(threaded)}
    whole = measure(candidate, rounds=3, slice_ms=1.0, clock=time.process_time_ns).median("threaded")
    assert whole > 2 * measure(candidate, rounds=3, slice_ms=1.0).median("threaded")


def test_every_record_is_one_line_with_one_call(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    rows_processes.write_records(path, 300)
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [record["id"] for record in records] == list(range(300))
    assert all(record["text"].count("```json\n") == 1 for record in records)


def test_a_child_is_watched_with_its_children() -> None:
    grandchild = "import time; block = b'x' * 60_000_000; time.sleep(0.5)"
    ours = bytearray(b"x" * 150_000_000)
    child = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {grandchild!r}]); sys.exit(3)"
    usage = processes.run([sys.executable, "-c", child], watch=True)
    assert usage.code == 3
    assert 60_000_000 < usage.peak < 110_000_000
    assert 0 < usage.cpu < usage.wall
    assert len(ours) == 150_000_000


def test_tables_show_value_bar_and_verdict() -> None:
    rows = [
        Row("fast", "loop", 1.5, 2.0, 0.75, 1.0),
        Row("slow", "loop", 9_000.0, 2.0, 4_500.0, 2.0),
        Row("jobs", "one", 2.0, 3.8, 1.9, 1.7, "s", "x faster", at_least=True),
    ]
    plain = report.plain_table(rows)
    assert "1.50 µs" in plain
    assert "≥ 1.7x faster" in plain
    marked = report.markdown_table(rows)
    assert "| fast | 1.50 µs | loop | 2.00 µs | 0.75x | ≤ 1x | ok |" in marked
    assert "| slow | 9,000 µs | loop | 2.00 µs | 4,500.00x | ≤ 2x | **FAIL** |" in marked
    assert report.summary([Section("s", "S", "", rows)]) == "1 of 3 bars fail: slow (loop)."


def test_a_missing_peer_is_named_with_the_line_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(peers.MODULES, "no_such_peer", "no-such-peer")
    with pytest.raises(peers.Missing, match=r"no-such-peer.*pip install '\.\[bench\]'"):
        peers.require(["no_such_peer"])


def test_part_of_a_run_does_not_overwrite_the_page(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    with pytest.raises(SystemExit) as stopped:
        cli.main(["--only", "json", "--markdown", str(page)])
    assert stopped.value.code == cli.USAGE
    assert not page.exists()


def test_a_group_without_a_sound_candidate_has_no_timings() -> None:
    group = timed_group({"raises": repeatable(functools.partial(json.loads, "{"))})
    assert group.row(Pair("a", "raises", "gone", 1.0)).verdict == "FAIL"


def test_the_script_runs_from_anywhere(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(HERE / "run.py"), "--help"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert all(entry.name in done.stdout for entry in cli.ENTRIES)


def test_every_bar_holds_on_the_committed_page() -> None:
    assert "FAIL" not in PAGE.read_text(encoding="utf-8")


@pytest.mark.benchmark
def test_every_bar_holds() -> None:
    assert cli.main([]) == cli.OK
