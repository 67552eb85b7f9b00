"""Constraints: what one costs to make, and what llguidance takes under it for each token of a real vocabulary."""

from __future__ import annotations

import ctypes
import functools
import importlib
import importlib.util
import itertools
import random
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import thread_time_ns
from typing import Any

from . import ours, samples
from .rows import Row, timed_group
from .timing import Candidate, repeatable, settled_collector

LECTS = (
    *("react", "json_blob", "xml_tags", "hermes", "qwen3_coder_xml"),
    *("llama3_json", "mistral_v11_args", "kimi_k2", "glm47", "pythonic"),
)
MADE_BAR_MS = 50.0
MASK_BAR_US = 200.0
TOOLS = 20
BUDGET_S = 6.0
"""CPU seconds for one lect's targets: a constraint takes milliseconds, and the bar is a bar for one of them."""
TURNS, TRIED, FEWEST, SIZE = 10, 2_000, 100, 400
"""So many random turns a lect, of so many seeds at most, of at least so many tokens and roughly so many characters."""
PASSES = 5
ENGINES = Path(__file__).resolve().parents[1] / "constraint" / "engines.py"

_numbers = itertools.count(1)


def new_tools(*, plain: bool = False) -> list[dict[str, Any]]:
    """Tools as a user gives them, of four kinds by turns.

    Names, arguments and options are new in every tool, so that nothing that is remembered of one helps with another;
    ``plain``: they are the same each time, and the arguments are words, as models know them.
    """
    kinds: tuple[Callable[[str], dict[str, Any]], ...] = (_searcher, _calculator, _writer, _planner)
    made = []
    for at, number in zip(range(TOOLS), itertools.count(1) if plain else _numbers, strict=False):
        kind = kinds[at % len(kinds)]
        name, schema = f"{kind.__name__[1:]}_{number}", kind("" if plain else f"_{number}")
        told = {"name": name, "description": f"Number {number}.", "parameters": schema}
        made.append({"type": "function", "function": told})
    return made


def _object(mark: str, needed: int, **arguments: Any) -> dict[str, Any]:
    named = {f"{name}{mark}": schema for name, schema in arguments.items()}
    return {"type": "object", "properties": named, "required": list(named)[:needed]}


def _searcher(mark: str) -> dict[str, Any]:
    limit = {"type": "integer", "minimum": 1, "maximum": 50}
    return _object(mark, 1, query={"type": "string"}, limit=limit)


def _calculator(mark: str) -> dict[str, Any]:
    return _object(
        mark,
        1,
        expression={"type": "string"},
        mode={"enum": [f"fast{mark}", f"slow{mark}"]},
        terms={"type": "array", "items": {"type": "number"}},
        exact={"type": "boolean"},
        unit={"type": ["string", "null"]},
    )


def _writer(mark: str) -> dict[str, Any]:
    return _object(mark, 2, path={"type": "string"}, text={"type": "string"})


def _planner(mark: str) -> dict[str, Any]:
    place = _object(mark, 1, city={"type": "string"}, country={"type": "string"})
    nights = {"type": "integer", "minimum": 1}
    return _object(mark, 2, place=place, day={"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"}, nights=nights)


@functools.cache
def engines() -> Any:
    """The engines' matchers that the tests of constraints have, wherever this folder was loaded from."""
    spec = importlib.util.spec_from_file_location("polylect_benchmarks_engines", ENGINES)
    if spec is None or spec.loader is None:
        raise ImportError(f"{ENGINES} cannot be loaded.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def matcher(grammar: str) -> Any:
    """A matcher of llguidance for this grammar, over the vocabulary of 131,072 tokens."""
    return importlib.import_module("llguidance").LLMatcher(engines().tekken_tokenizer(), grammar, log_level=0)


def _taken(found: Any) -> str | None:
    """Check of a matcher: llguidance takes the grammar."""
    return str(found.get_error()).splitlines()[0] if found.is_error() else None


# --- to make one ------------------------------------------------------------------------------------------------


def making(tongue: Any, target: str) -> Candidate:
    """A constraint for tools that were not seen before, from their dicts on."""

    def prepare() -> Callable[[], Any]:
        return partial(tongue.constraint, new_tools(), target=target)

    return Candidate(prepare)


def others(tongue: Any) -> list[str]:
    """The other targets that can express this lect."""
    constraints = importlib.import_module("polylect.constraint")
    found = []
    for target in sorted({*constraints.TARGETS} - {"llguidance", "gbnf"}):
        try:
            tongue.constraint(new_tools(), target=target)
        except importlib.import_module("polylect").ConstraintError:
            continue
        found.append(target)
    return found


def made(lect: str) -> Iterator[Row]:
    """The rows of one lect: llguidance with the engine's own work beside it, llama.cpp, the slowest of the others."""
    tongue = ours.lect(lect)
    rest = others(tongue)
    candidates = {target: making(tongue, target) for target in ("llguidance", "gbnf", *rest)}
    compiled = "llguidance's own"
    text = tongue.constraint(new_tools(), target="llguidance").text
    group = timed_group({**candidates, compiled: repeatable(partial(matcher, text), _taken)}, BUDGET_S)
    ms = {name: group.timings.median(name) / 1e3 for name in group.timings.samples}
    slowest = max(rest, key=lambda target: ms.get(target, float("inf")), default=None)
    for target, peer, theirs in (
        ("llguidance", compiled, ms.get(compiled)),
        ("gbnf", "", None),
        (slowest, f"the slowest of {len(rest)} more", None),
    ):
        if target is not None:
            note = group.faults.get(target) or group.faults.get(peer) or group.timings.caution
            spent = ms.get(target)
            what = f"`{lect}`, to make one for `{target}`"
            yield Row(what, peer, spent, theirs, spent, MADE_BAR_MS, unit="ms", value_unit=" ms", note=note)


# --- masks ------------------------------------------------------------------------------------------------------


def _value(schema: dict[str, Any], text: str) -> Any:
    """A value of one of the schemas above; ``text`` where it may be any text."""
    if "properties" in schema:
        return {name: _value(inner, text[:20]) for name, inner in schema["properties"].items()}
    if "enum" in schema:
        return schema["enum"][0]
    if schema["type"] == "string":
        return "2026-11-30" if "pattern" in schema else text
    plain = {"integer": 7, "boolean": True, "array": [1.5, 2, -3.25]}
    return plain[schema["type"]] if isinstance(schema["type"], str) else "km"


def prose_turns(tongue: Any, tools: Sequence[dict[str, Any]]) -> list[str]:
    """A call of each kind of tool behind a thought, and an answer, as the formatter writes them: 100 to 250 tokens."""
    polylect = importlib.import_module("polylect")
    box, prose = polylect.toolbox(tools), samples.prose(4_000)
    turns = []
    for at, tool in enumerate(itertools.islice(box.values(), 4)):
        thought, text = prose[400 * at : 400 * at + 300].strip(), prose[2_000 + 300 * at : 2_250 + 300 * at].strip()
        calls = (polylect.Call(tool.name, _value(tool.parameters, text)),)
        turns.append(_written(tongue, box, polylect.Reply(thought, "", calls), polylect.Reply("", thought, calls)))
    answer = prose[3_400:3_900].strip()
    turns.append(_written(tongue, box, polylect.Reply(answer=answer), polylect.Reply(content=answer)))
    return turns


def _written(tongue: Any, box: Any, *replies: Any) -> str:
    """The first of these replies that the lect can write."""
    for reply in replies[:-1]:
        try:
            return str(tongue.format(reply, tools=box))
        except importlib.import_module("polylect").LectError:
            continue
    return str(tongue.format(replies[-1], tools=box))


def random_turns(constraint: Any, found: Any) -> list[list[int]]:
    """Turns of random characters that llguidance takes, as tokens.

    It takes no exponents in numbers, which our samples have.

    Raises:
        ValueError: there are too few of them.
    """
    taken: list[list[int]] = []
    sampler = importlib.import_module("polylect.constraint._sample").Sampler(constraint._tree)
    for seed in range(TRIED):
        turn = engines().encode(sampler.sample(random.Random(seed), SIZE))
        found.reset()
        if len(turn) >= FEWEST and found.try_consume_tokens(turn) == len(turn):
            taken.append(turn)
            if len(taken) == TURNS:
                return taken
    raise ValueError(f"only {len(taken)} of {TRIED:,} random turns have {FEWEST} tokens and are taken")


def masks(found: Any, turns: Sequence[Sequence[int]]) -> list[float]:
    """Microseconds of CPU for the mask before each token of these turns, and for the one before the end.

    The mask is written into memory that is there already, as servers have it done.

    Raises:
        ValueError: the matcher does not take a turn.
    """
    spent = []
    size = -(-engines().tekken_tokenizer().vocab_size // 32) * 4
    memory = ctypes.create_string_buffer(size)
    place = ctypes.addressof(memory)
    for turn in turns:
        found.reset()
        for token in (*turn, None):
            start = thread_time_ns()
            found.unsafe_compute_mask_ptr(place, size)
            spent.append((thread_time_ns() - start) / 1e3)
            if token is not None and not found.consume_token(token):
                raise ValueError(str(found.get_error()).splitlines()[0][:160])
        if not found.is_accepting():
            raise ValueError("llguidance does not take a turn for whole")
    return spent


@dataclass(frozen=True, slots=True)
class Masks:
    """What the masks of some turns took, in microseconds: when the matcher was new, and in the passes after that."""

    first: list[float]
    later: list[list[float]]

    @property
    def least(self) -> list[float]:
        """Each mask in the fastest of the later passes: what else a machine does only adds to it."""
        return list(map(min, zip(*self.later, strict=True)))

    @property
    def mean(self) -> float:
        """Of the masks, each in the fastest pass."""
        return statistics.mean(self.least)

    @property
    def middle(self) -> float:
        """The median of all later masks."""
        return statistics.median(itertools.chain(*self.later))

    @property
    def walks(self) -> int:
        """How many masks take long: the engine tries every token for them. It is the same on every machine."""
        least = self.least
        return sum(mask > max(least) / 2 for mask in least)

    @property
    def top(self) -> float:
        """What 1 in 100 of the later masks exceeds."""
        return statistics.quantiles(itertools.chain(*self.later), n=100)[-1]


def masked(lect: str) -> Row:
    """The row of one lect: turns of prose, which count, beside turns of random characters.

    In these, delimiters are begun all the time, and behind the beginning of one llguidance tries every token.
    """
    tongue, tools = ours.lect(lect), new_tools(plain=True)
    what, peer = f"`{lect}`, a mask, prose", "random characters"
    try:
        constraint = tongue.constraint(tools)
        turns = {
            what: [engines().encode(text) for text in prose_turns(tongue, tools)],
            peer: random_turns(constraint, matcher(constraint.text)),
        }
        figures: dict[str, Masks] = {}
        with settled_collector():
            for name, some in turns.items():
                found = matcher(constraint.text)
                figures[name] = Masks(masks(found, some), [masks(found, some) for _ in range(PASSES)])
    except Exception as error:
        # A turn that is not written or not taken is a failed row, not the end of the run.
        return Row(what, peer, bar=MASK_BAR_US, note=f"{type(error).__name__}: {error}"[:160])
    prose = figures[what]
    note = (
        f"median {prose.middle:.1f} µs, 1 in 100 over {prose.top:,.0f} µs; mean when the matcher is new"
        f" {statistics.mean(prose.first):.0f} µs; {len(prose.first):,} masks, every token tried for {prose.walks}"
    )
    return Row(what, peer, prose.mean, figures[peer].mean, prose.mean, MASK_BAR_US, value_unit=" µs", note=note)


def constraints(with_ours: bool) -> Iterator[Row]:
    """Per lect what constraints for new tools cost, then what masks cost."""
    if not with_ours:
        return
    engines().tekken_tokenizer()
    for lect in LECTS:
        yield from made(lect)
    yield from map(masked, LECTS)
