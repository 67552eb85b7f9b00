"""The kit itself: its table, its seeds, its strategies, its way into pytest."""

from __future__ import annotations

import subprocess
import sys
from typing import ClassVar, TypeVar

import pytest
from hypothesis import find, given, settings

import polylect
from polylect import testing
from polylect._registry import KNOWN
from polylect.plugin import turns_of
from polylect.testing import LAWS, LectLaws, Report, Row, _law_1_round_trip, _pytest, _replies, _run, _texts, check
from polylect.testing._draw import Maker

WITHOUT_HYPOTHESIS = """
import sys
sys.modules["hypothesis"] = None
import polylect
try:
    import polylect.testing
except ImportError as error:
    print(error)
"""


class TestReact(LectLaws):
    """How a plugin's author uses the kit."""

    lect = "react"
    examples = 20


class TestAnObject(LectLaws):
    """The same with a lect that no registry knows."""

    lect: ClassVar[polylect.Lect] = polylect.lect("json_blob")
    examples = 20
    seed = 1


def test_the_environment_says_how_many_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []

    def note(lect: object, *, examples: int, **_: object) -> testing.Outcome:
        seen.append(examples)
        return testing.Outcome(examples)

    monkeypatch.setattr(_pytest, "LAWS", [testing.Law(1, "Noted", note)])
    monkeypatch.delenv("POLYLECT_EXAMPLES", raising=False)
    TestReact().hold(1)
    monkeypatch.setenv("POLYLECT_EXAMPLES", "7")
    TestReact().hold(1)
    assert seen == [20, 7]


def test_a_report_is_a_table() -> None:
    report = check("react", examples=10, laws=[2, 3], seed=5)
    assert [(row.law, row.title, row.ok) for row in report.rows] == [(2, "Any cut", True), (3, "Finality", True)]
    assert all(row.examples >= 10 and row.seconds > 0 for row in report.rows)
    assert report.ok
    assert "react: 2 of 2 laws hold (seed 5)" in str(report)
    assert Report.from_json(report.to_json()) == report


def test_a_broken_law_shows_in_the_table() -> None:
    row = Row(4, "Nothing lost", False, "a gap\n  text  'abc'", 0, 0.1)
    text = str(Report("mine", 1, (row,)))
    assert "BROKEN" in text
    assert "law 4, nothing lost, does not hold for mine:\na gap\n  text  'abc'" in text
    assert not Report("mine", 1, (row,)).ok


def test_all_laws_are_tried_when_none_is_named() -> None:
    assert [law.number for law in LAWS] == list(range(1, 11))
    assert [row.law for row in check("react", examples=2, seed=0).rows] == [law.number for law in LAWS]


def test_an_unknown_law_or_lect_is_the_callers_error() -> None:
    with pytest.raises(polylect.LectError, match="no law 11"):
        check("react", laws=[11])
    with pytest.raises(polylect.LectError, match="react"):
        check("raect")


def test_hypothesis_is_named_when_it_is_missing() -> None:
    run = subprocess.run([sys.executable, "-c", WITHOUT_HYPOTHESIS], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "polylect.testing needs Hypothesis. Install it with: pip install hypothesis"


def test_the_kernel_does_not_import_hypothesis() -> None:
    code = "import polylect, sys; print('hypothesis' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


def test_a_handful_of_examples_is_not_judged_by_the_share_that_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_law_1_round_trip, "MOST_REFUSED", 0.0)
    for seed in range(30):
        testing.law_1_round_trip("react", examples=5, seed=seed)
    with pytest.raises(AssertionError, match="replies that its features say it can express"):
        testing.law_1_round_trip("react", examples=60, seed=1)


def test_a_seed_makes_the_same_examples_again() -> None:
    def seen(seed: int) -> list[str]:
        found: list[str] = []
        _run.examine(_texts.texts(REACT), lambda text: found.append(str(text)), examples=30, seed=seed)
        return found

    assert seen(3) == seen(3)
    assert seen(3) != seen(4)


def test_a_failure_is_shrunk_and_tells_its_seed() -> None:
    def short(text: object) -> None:
        assert len(str(text)) < 5, "long"

    with pytest.raises(AssertionError, match="long") as caught:
        _run.examine(_texts.texts(REACT), short, examples=200, seed=3)
    assert any("seed=3" in note for note in caught.value.__notes__)


REACT = polylect.lect("react")
LECTS = [
    info.name
    for info in polylect.lects()
    if info.distribution in set(KNOWN.values()) and (info.family != "native" or info.name in ("hermes", "glm47"))
]
T = TypeVar("T")


def drawn(make: Maker[T]) -> list[T]:
    found: list[T] = []
    _run.examine(make, found.append, examples=400, seed=1)
    return found


def test_a_failure_is_shown_by_a_small_case() -> None:
    def fewer(text: object) -> None:
        assert str(text).count("Action") < 3, "three"

    shortest = 2 * len(str(REACT.examples[0]))  # that stands in texts as it is
    for seed in range(5):
        with pytest.raises(AssertionError, match="three") as caught:
            _run.examine(_texts.texts(REACT), fewer, examples=500, seed=seed)
        (case,) = [note for note in caught.value.__notes__ if note.startswith(_run.CASE)]
        assert len(case) < len(_run.CASE) + shortest + 20, case


def test_another_failure_is_no_smaller_case_of_it() -> None:
    def body(number: int) -> None:
        assert number < 600, "large"
        if number > 100:
            raise ValueError("middling")

    with pytest.raises((AssertionError, ValueError)) as caught:
        _run.examine(lambda draw: draw.below(1000), body, examples=50, seed=2)
    (case,) = [note for note in caught.value.__notes__ if note.startswith(_run.CASE)]
    assert case == _run.CASE + ("600" if caught.type is AssertionError else "101")


def test_a_failure_that_does_not_come_again_is_shown_as_it_was() -> None:
    seen: list[int] = []

    def once(number: int) -> None:
        seen.append(number)
        assert len(seen) != 5, "the fifth"

    with pytest.raises(AssertionError, match="the fifth"):
        _run.examine(lambda draw: draw.below(1000), once, examples=50, seed=2)


def test_another_exception_of_a_lect_is_told_with_its_case() -> None:
    class Breaks(type(REACT)):  # type: ignore[misc]  # a class that is only known when it runs
        def unescape(self, text: str) -> str:
            if "\n" in text:
                raise KeyError("no line")
            return super().unescape(text)  # type: ignore[no-any-return]

    (row,) = check(Breaks(), laws=[6], examples=100, seed=1).rows
    assert not row.ok
    assert row.detail.startswith("KeyError: 'no line'\n" + _run.CASE)


def test_examples_are_different_ones() -> None:
    found: list[int] = []
    assert _run.examine(lambda draw: draw.below(7), found.append, examples=20, seed=0) == 7
    assert sorted(found) == [0, 1, 2, 3, 4, 5, 6]


def test_fewer_examples_are_the_first_of_many() -> None:
    few: list[object] = []
    many: list[object] = []
    _run.examine(_replies.steps(REACT), few.append, examples=20, seed=4)
    _run.examine(_replies.steps(REACT), many.append, examples=60, seed=4)
    assert few == many[:20]


@settings(max_examples=20)
@given(testing.texts(REACT), testing.steps(REACT))
def test_hypothesis_draws_the_same_kinds(text: object, steps: list[polylect.AgentStep]) -> None:
    assert isinstance(text, str)
    assert 1 <= len(steps) <= 9


def test_hypothesis_finds_small_cases_too() -> None:
    found = find(testing.replies(REACT), lambda reply: len(reply.calls) > 1)
    assert found == polylect.Reply(calls=(polylect.Call("search", "the weather in Paris"),) * 2)


@given(testing.cuts())
def test_cuts_are_sizes_of_chunks(sizes: tuple[int, ...]) -> None:
    assert sizes
    assert min(sizes) >= 1


@settings(max_examples=50)
@given(testing.tools())
def test_tools_are_good_tools(tools: list[polylect.Tool]) -> None:
    assert REACT.parse("Thought: a", tools=tools) is not None


@settings(max_examples=50)
@given(testing.replies(REACT, tools=testing.TOOLS))
def test_calls_name_the_given_tools(reply: polylect.Reply) -> None:
    assert {call.name for call in reply.calls} <= {tool.name for tool in testing.TOOLS}


@pytest.mark.parametrize("name", LECTS)
def test_replies_and_steps_reach_every_feature(name: str) -> None:
    lect = polylect.lect(name)
    found = drawn(_replies.replies(lect))
    arguments = [call.arguments for reply in found for call in reply.calls]
    reached = {
        "reasoning": any(reply.reasoning for reply in found),
        "content": any(reply.content for reply in found),
        "calls": any(reply.calls for reply in found),
        "several_calls": any(len(reply.calls) > 1 for reply in found),
        "answer": any(isinstance(reply.answer, str) and reply.answer for reply in found),
        "json_answer": any(isinstance(reply.answer, (dict, list)) for reply in found),
        "text_input": any(isinstance(given, str) and given for given in arguments),
        "object_input": any(isinstance(given, dict) and given for given in arguments),
        "ids": any(call.id for reply in found for call in reply.calls),
        "content_with_answer": any(reply.content and reply.answer is not None for reply in found),
        "content_with_calls": any(reply.content and reply.calls for reply in found),
    }
    assert {feature for feature, seen in reached.items() if seen} == lect.features
    assert {len(steps) for steps in drawn(_replies.steps(lect))} >= {1, 2, 3}


@pytest.mark.parametrize("name", [name for name in LECTS if "several_calls" in polylect.lect(name).features])
def test_steps_reach_turns_of_several_actions_with_and_without_logs(name: str) -> None:
    lect = polylect.lect(name)
    turns = [turn for steps in drawn(_replies.steps(lect)) for turn in turns_of(steps)]
    logs = [[bool(step.action.log) for step in turn] for turn in turns]
    several = [turn for turn in logs if len(turn) > 1]
    assert {any(turn) for turn in several} == {True, False}
    assert {all(turn) for turn in several if any(turn)} == {True, False}


def test_texts_reach_what_a_lect_reads() -> None:
    found = [text for text in drawn(_texts.texts(REACT)) if isinstance(text, str)]
    replies = [REACT.parse(text) for text in found]
    assert any(len(reply.calls) > 1 for reply in replies)
    assert any(reply.answer is not None for reply in replies)
    assert any(not reply.calls for reply in replies)
    assert any(0xD800 <= ord(character) < 0xE000 for text in found for character in text)


def test_events_that_make_no_sense_do_not_fold() -> None:
    start = polylect.CallStart(0, 1, 0, None, "a")
    end = polylect.ReplyEnd(1, 1, polylect.Reply())
    for events in ([start], [start, start, end], [end, start], [polylect.ArgumentsDelta(0, 1, 0, "a"), end]):
        with pytest.raises(AssertionError):
            testing.fold(events)
    assert testing.fold([start, end]).order == ["call 0"]
