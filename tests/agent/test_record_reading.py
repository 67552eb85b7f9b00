"""Records that are cut, malformed, or not of this agent: what is said, where, and what can still be had."""

from __future__ import annotations

import json
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import polylect
from polylect import Agent, LectError, Recorder, RecordError, RunError, RunState, Scripted, replay, replay_events

from .scenes import LECTS, agent, answer, call, calls, echo

Change = Callable[[list[dict[str, Any]]], object]


def record(path: Path, *replies: Any, lect: str = "react", tools: Any = (echo,), **options: Any) -> Path:
    """A record of a run with these replies."""
    built, _ = agent(lect, *replies, tools=tools, hooks=[Recorder(path)], **options)
    built.run("q")
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    turn = calls("react", ("echo", "a"), ("nosuch", "b"), ("echo", "c"))
    return record(tmp_path / "run.jsonl", turn, "what?", call("react"), answer("react"))


# --- cut --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lect", LECTS)
def test_a_record_that_is_cut_anywhere_gives_a_run_to_be_taken_up(lect: str, tmp_path: Path) -> None:
    turns = [call(lect, given="a"), call(lect, "nosuch"), "", call(lect, given="b"), answer(lect)]
    path = record(tmp_path / "run.jsonl", *turns, lect=lect)
    result = replay(path)
    lines = path.read_bytes().splitlines(keepends=True)
    for count in range(1, len(lines)):
        whole = b"".join(lines[:count])
        for rest in (b"", lines[count][:1], lines[count][: len(lines[count]) // 2], lines[count].rstrip()[:-1]):
            path.write_bytes(whole + rest)
            with pytest.raises(
                RunError, match=r"The record ends before its run does, at line \d+ of run\.jsonl\."
            ) as told:
                replay(path)
            state = RunState.from_json(told.value.state.to_json())
            left = turns[state.iterations :]
            built, model = agent(lect, *left)
            taken_up = built.run(state)
            assert taken_up.output == result.output
            assert taken_up.steps == result.steps
            assert [turn.reply for turn in taken_up.turns] == [turn.reply for turn in result.turns]
            assert len(model.asked) == len(left)


def test_results_of_a_turn_that_was_cut_are_not_lost(path: Path) -> None:
    lines = path.read_text("utf-8").splitlines()
    assert json.loads(lines[2])["place"] == 0
    with pytest.raises(RunError) as told:
        replay(lines[:3])
    state = told.value.state
    assert {place: result.observation for place, result in state.done.items()} == {0: "said a"}
    assert [action.tool_input for action in state.waiting] == ["a", "c"]
    called: list[str] = []

    def note(text: str) -> str:
        called.append(text)
        return f"said {text}"

    note.__name__ = "echo"
    built, _ = agent("react", answer("react"), tools=[note])
    assert [step.observation for step in built.run(state).steps][::2] == ["said a", "said c"]
    assert called == ["c"]


def test_another_run_goes_on_behind_a_line_that_was_cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-30])
    record(path, answer("react", "new"))
    assert replay(path).output == "new"
    with pytest.raises(RunError, match="ends before its run does"):
        replay(path, run=0)


def test_events_are_told_up_to_the_cut(path: Path) -> None:
    whole = list(replay_events(path))
    told = []
    with pytest.raises(RunError, match="take the run up"):  # noqa: PT012 - as far as it goes
        for event in replay_events(path.read_text("utf-8").splitlines()[:-1]):
            told.append(event)
    assert told == whole[:-1]


# --- malformed --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", "this is not JSON: "),
        ("nonsense", "this is not JSON: Expecting value at character 0"),
        ("\xff", "this is not JSON: "),
        ('{"type":"model"', "this is not JSON: "),
        ("[" * 100_000, "this is not JSON: it is nested too deeply"),
        ("7", "this is no line of a record: "),
        ("{}", "this is no line of a record: "),
        ('{"type":"model","run":"x"}', "this is no line of a record: "),
        ('{"type":"other","run":"x"}', "this is no line of a record: "),
        ('{"type":"tool","run":"x","turn":1,"place":0,"tool":"t","tool_input":1,"result":2}', r".* at `\$.result`"),
        ('{"type":"error","run":"x","error":"E"}', "the first line of the run 'x' is missing"),
        ('{"type":"run","run":"x","version":2,"lect":"react","inputs":{}}',
         "this record has the format 2, and this version of polylect reads up to 1"),
        ('{"type":"run","run":"x","version":9,"lect":7}', "this record has the format 9"),
    ],
)  # fmt: skip
def test_a_malformed_line_is_named(line: str, told: str, path: Path) -> None:
    lines = path.read_text("utf-8").splitlines(keepends=True)
    lines.insert(3, f"{line}\n")
    path.write_bytes("".join(lines).encode("latin-1" if line == "\xff" else "utf-8"))
    with pytest.raises(RecordError, match=rf"^run\.jsonl, line 4: {told}") as fault:
        replay(path)
    assert fault.value.line == 4
    with pytest.raises(RecordError, match=rf"^the record, line 4: {told}"):
        replay_events(path.read_bytes().splitlines())


def test_a_malformed_last_line_is_one_too_when_it_was_written_to_its_end(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-5] + b"\n")
    with pytest.raises(RecordError, match=r"line 11: this is not JSON: Expecting .* at character"):
        replay(path)


@pytest.mark.parametrize("text", ["", "\n\n", '{"type":"ru'])
def test_a_file_without_a_run(text: str, tmp_path: Path) -> None:
    path = tmp_path / "none.jsonl"
    path.write_text(text)
    with pytest.raises(RecordError, match=r"none\.jsonl holds no run\.|none\.jsonl, line 1: this is not JSON"):
        replay(path)


def test_what_is_no_record(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=r"The record '.*gone\.jsonl' can't be read: there is no such file\.") as told:
        replay(tmp_path / "gone.jsonl")
    assert told.value.line == 0
    with pytest.raises(RecordError, match="can't be read: Is a directory"):
        replay(os.fspath(tmp_path))
    for wrong in (None, 7, b"{}", {"type": "run"}):
        with pytest.raises(RecordError, match="A record is a path, an open file or its lines, not"):
            replay(wrong)  # type: ignore[arg-type]
    with pytest.raises(RecordError, match="A line of a record is text or bytes, not int"):
        replay([7])  # type: ignore[list-item]


def test_blank_lines_are_none(path: Path) -> None:
    path.write_bytes(b"\n\n" + path.read_bytes().replace(b"\n", b"\r\n\n"))
    assert replay(path).output == "42"


def test_the_error_can_be_pickled(path: Path) -> None:
    error = pickle.loads(pickle.dumps(RecordError("x, line 3: no.", 3)))
    assert (str(error), error.line) == ("x, line 3: no.", 3)
    assert isinstance(error, polylect.PolylectError)


# --- another agent's --------------------------------------------------------------------------------------------------

CALL_1 = "the record has a call of 'echo' in turn 1, and the agent"
NO_AGENT = "line 1: no agent can be made of it: "
CHANGES: dict[str, tuple[Change, str]] = {
    "a reply is missing": (lambda x: x.pop(1), f"line 2: {CALL_1} asks the model in turn 1"),
    "a reply is another": (lambda x: x[1].update(output="Final Answer: no"), f"line 3: {CALL_1} has ended"),
    "a reply is there twice": (
        lambda x: x.insert(2, x[1]),
        "line 3: the record has a reply of the model in turn 1, and the agent waits for 'echo', 'echo' in turn 1",
    ),
    "a reply is of another turn": (
        lambda x: x[5].update(turn=9),
        "line 6: the record has a reply of the model in turn 9, and the agent asks the model in turn 2",
    ),
    "a tool is another": (
        lambda x: x[2].update(tool="other"),
        "line 3: the record has a call of 'other' with 'a', and the agent calls 'echo' with 'a'",
    ),
    "an input is another": (
        lambda x: x[4].update(tool_input={"text": "b"}),
        "line 5: .* with {'text': 'b'}, and the agent calls 'nosuch' with 'b'",
    ),
    "a place is none": (lambda x: x[2].update(place=3), f"line 3: {CALL_1}"),
    "a place is before all": (lambda x: x[2].update(place=-1), f"line 3: {CALL_1}"),
    "a refusal is another": (
        lambda x: x[4]["result"].update(observation="Oh"),
        "line 5: the observation of 'nosuch' is 'Oh' in the record, and the agent says \"There is no tool",
    ),
    "a correction is another": (lambda x: x[6].update(tool_input="Oh"), "line 7: .*'_Exception' with 'Oh'"),
    "the last reply is missing": (lambda x: x.pop(-2), "line 10: the run ends here, and the agent asks the model"),
    "the end is another": (
        lambda x: x[-1].update(stop_reason="loop"),
        "line 11: the run ended with stop_reason='loop', and the agent ends with 'finished'",
    ),
    "the answer is another": (
        lambda x: x[-1].update(output="43"),
        "line 11: the run ended with output='43', and the agent ends with '42'",
    ),
    "there is a turn more": (
        lambda x: x.insert(-1, x[-2]),
        "line 11: the record has a reply of the model in turn 4, and the agent has ended",
    ),
    "the limit is another": (
        lambda x: x[0]["settings"].update(max_iterations=2),
        r"line 8: the record has a reply of the model in turn 3, and the agent has ended \(iterations\)",
    ),
    "a setting is none": (lambda x: x[0]["settings"].update(max_iterations="no"), f"{NO_AGENT}max_iterations is"),
    "a setting is unknown": (lambda x: x[0]["settings"].update(more=1), NO_AGENT),
    "a tool is none": (lambda x: x[0].update(tools=[{"type": "function"}]), f"{NO_AGENT}This tool has no name"),
    "the prompt is none": (lambda x: x[0].update(prompt={"template": "{"}), f"{NO_AGENT}This brace"),
    "the prompt has more": (lambda x: x[0]["prompt"].update(more=1), NO_AGENT),
    "the trimming is none": (lambda x: x[0]["settings"].update(trim={"tokens": 0}), f"{NO_AGENT}A token budget"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_the_first_line_that_the_agent_does_not_want_is_named(change: str, path: Path) -> None:
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    alter, told = CHANGES[change]
    alter(lines)
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    with pytest.raises(RecordError, match=rf"^run\.jsonl, {told}"):
        replay(path)


def test_a_prompt_that_cannot_be_made_is_told_where_prompts_are_made(path: Path) -> None:
    path.write_text(path.read_text("utf-8").replace('"inputs":{"input"', '"inputs":{"question"'))
    with pytest.raises(RecordError, match=r"line 2: the prompt can.t be made: The prompt needs a value for \{input\}"):
        list(replay_events(path))
    with pytest.raises(RecordError, match="line 2: the prompt can't be made: "):
        replay(path, Agent("react", Scripted([]), [echo]))
    assert replay(path).output == "42"


def test_a_lect_that_there_is_not(path: Path) -> None:
    path.write_text(path.read_text("utf-8").replace('"lect":"react"', '"lect":"reakt"'))
    with pytest.raises(LectError, match="Did you mean 'react'"):
        replay(path)


def test_the_given_agent_must_speak_the_lect(path: Path) -> None:
    other = Agent("xml_tags", Scripted([]), [echo])
    with pytest.raises(RecordError, match=r"line 1: the run is in 'react', and the agent speaks 'xml_tags'\.$"):
        replay(path, other)


def test_the_given_agent_has_the_say(path: Path) -> None:
    short = Agent("react", Scripted([]), [echo], max_iterations=2)
    with pytest.raises(RecordError, match=r"line 8: .* has ended \(iterations\)\.$") as told:
        replay(path, short)
    assert told.value.line == 8
    toolless = Agent("react", Scripted([]))
    with pytest.raises(RecordError, match="line 3: "):
        replay(path, toolless)


def test_another_prompt_does_not_matter(path: Path) -> None:
    other = Agent("react", Scripted([]), [echo], prompt="{input}{agent_scratchpad}{tools}{tool_names}", trim=1)
    assert replay(path, other) == replay(path)
