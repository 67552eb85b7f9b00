"""The tutorial: its tools do what the tutorial's did, and its run is the same in every lect."""

from __future__ import annotations

import ast
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import polylect
from polylect import Agent, AgentAction, AgentStep, Call, Reply, RunResult, Scripted, ToolResult, TurnRecord, tutorial
from polylect.tutorial import calculate, search

PAGE = Path(__file__).parents[2] / "docs" / "differences.md"
GOLDEN = [
    ("search[author The Old Man and the Sea]", "Ernest Hemingway wrote 'The Old Man and the Sea' in 1952"),
    ("search[Ernest Hemingway birthplace]", "Oak Park, Illinois"),
    ("search[population Oak Park Illinois]", "54,583"),
]
LECTS = [info.name for info in polylect.lects()]


class Observed(NamedTuple):
    """What the tutorial's code made of an input, and why ours does otherwise, if it does."""

    of: str
    input: Any
    observed: Any
    why: str | None = None


ROWS = [
    Observed(**json.loads(line)) for line in Path(__file__).with_name("tutorial.jsonl").read_text("utf-8").splitlines()
]


def rows(of: str) -> list[Any]:
    return [pytest.param(row, id=f"{of}:{number}") for number, row in enumerate(ROWS, 1) if row.of == of]


def agent(*replies: str, **settings: Any) -> Agent:
    return Agent("react_bracket", Scripted(replies), tutorial.TOOLS, **settings)


# --- what was observed ------------------------------------------------------------------------------------------------


def test_every_difference_is_told_with_its_reason() -> None:
    page = re.sub(r"\s+", " ", PAGE.read_text("utf-8")).partition("## The ReAct tutorial")[2]
    assert {row.of for row in ROWS} == {"calculate", "search", "step", "run"}
    for row in ROWS:
        assert row.why is None or row.why in page


@pytest.mark.parametrize("row", rows("calculate"))
def test_the_calculator_does_as_the_tutorials_did(row: Observed) -> None:
    result = calculate(row.input)
    if row.why is None:
        assert result == row.observed
    else:
        assert result.startswith("Error: ")
        assert "ast." not in result
        assert "<" not in result


@pytest.mark.parametrize("row", rows("search"))
def test_the_search_does_as_the_tutorials_did(row: Observed) -> None:
    assert row.why is None
    assert search(row.input) == row.observed


@pytest.mark.parametrize("row", rows("step"))
def test_a_step_does_as_the_tutorials_did(row: Observed) -> None:
    result = agent(row.input, max_iterations=1).run("Q?")
    assert result.trajectory() == row.observed["trajectory"]
    if row.observed.get("finished"):
        assert result.finished
        assert row.observed["observation"] == f"FINAL_ANSWER: {result.output}"
        return
    (step,) = result.steps
    if row.why is None:
        assert step.observation == row.observed["observation"]
    else:
        assert step.observation.endswith(polylect.lect("react_bracket").hint)


@pytest.mark.parametrize("row", rows("run"))
def test_a_run_and_its_prompts_are_the_tutorials(row: Observed) -> None:
    model = Scripted(row.input)
    result = Agent("react_bracket", model, tutorial.TOOLS).run("Q?")
    assert (result.finished, result.output, result.iterations) == (True, row.observed["answer"], row.observed["steps"])
    assert result.trajectory() == row.observed["trajectory"]
    prompts = [str(asked.prompt)[str(asked.prompt).index("\nQuestion: Q?") :] for asked in model.asked]
    blanks = re.compile("(?<=Thought:) ?")
    assert [blanks.sub("", x) for x in prompts] == [blanks.sub("", x) for x in row.observed["prompts_tail"]]


# --- the golden run ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LECTS)
def test_the_golden_run_is_the_same_in_every_lect(name: str) -> None:
    result = Agent(name, tutorial.model(name), tutorial.TOOLS).run(tutorial.QUESTION)
    assert (result.stop_reason, result.output, result.iterations) == ("finished", "54,583", 4)
    table = result.trajectory()
    assert [(row["action"], row["observation"]) for row in table] == GOLDEN
    says = "reasoning" in polylect.lect(name).features
    assert [row["thought"] for row in table] == [reply.reasoning if says else "" for reply in tutorial.REPLIES[:3]]


@pytest.mark.parametrize("name", LECTS)
def test_the_model_may_write_in_pieces(name: str) -> None:
    whole, pieces = (
        Agent(name, tutorial.model(name, chunk=chunk), tutorial.TOOLS).run(tutorial.QUESTION) for chunk in (None, 3)
    )
    assert pieces.trajectory() == whole.trajectory()
    assert pieces.output == whole.output


def test_the_public_names_are_there_and_documented() -> None:
    assert tutorial.__all__ == sorted(tutorial.__all__, key=lambda name: (not name.isupper(), name))
    assert list(tutorial.TOOLS) == [search, calculate]
    assert len(tutorial.FACTS) == 9
    for tool in map(polylect.as_tool, tutorial.TOOLS):
        assert tool.takes_text
        assert tool.description
        assert next(iter(tool.properties.values()))["description"]


def test_the_tutorial_is_as_light_as_the_rest() -> None:
    code = "import sys, polylect.tutorial; print(*(x for x in ('lark', 'pydantic', 'click') if x in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == []


# --- the calculator ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        (" (1 +\n 2) * 3 ", "9"),
        ("2**2**3", "256"),
        ("-2**2", "-4"),
        ("2**-1", "0.5"),
        ("7/2", "3.5"),
        ("1 - 2 - 3", "-4"),
        ("--1", "1"),
        ("1**10**9", "1"),
        ("(-1)**(10**300)", "1"),
        ("+".join("1" * 400), "400"),
        ("-" * 900 + "1", "1"),
    ],
)
def test_arithmetic(expression: str, result: str) -> None:
    assert calculate(expression) == result


@pytest.mark.parametrize(
    ("expression", "told"),
    [
        ("9**9**9", "too large"),
        ("2**100000", "too large"),
        ("1.5**(2**5000)", "too large"),
        ("1e308*10", "too large"),
        ("1e999", "too large"),
        ("10**3000*10**3000", "too large"),
        ("10**400*1.5", "too large"),
        ("0**-1", "division by zero"),
        ("0.0/0", "division by zero"),
        ("(-8)**0.5", "no such root"),
        ("1" * 1_001, "at most 1,000 characters"),
        ("(" * 400 + "1" + ")" * 400, "Error: "),
        ("__import__('os')", "There is no 'i' in arithmetic"),
        ("x", "There is no 'x'"),
        ("1+2 =", "There is no '='"),
        ("1j", "There is no 'j'"),
        ("[1]", "There is no '['"),
        ("1//2", "can't be calculated here"),
        ("+5", "can't be calculated here"),
        ("1(2)", "can't be calculated here"),
        ("e.e", "can't be calculated here"),
        ("1 +", "no arithmetic"),
        ("1 2", "no arithmetic"),
        ("1\x00", "There is no"),
    ],
)
def test_what_is_no_arithmetic_or_too_much_of_it(expression: str, told: str) -> None:
    result = calculate(expression)
    assert result.startswith("Error: ")
    assert told in result


@given(st.text("0123456789.eE+-*/()_ %,", max_size=60) | st.text(max_size=20))
@example("1_000_000**5**5**5")
@example("1e9**1e9**1e9")
def test_the_calculator_ends_with_a_short_text_whatever_it_is_given(expression: str) -> None:
    result = calculate(expression)
    assert 0 < len(result) < 4_000
    if not result.startswith("Error: "):
        assert abs(float(result)) < float("inf") or len(result) > 300


NUMBERS = st.integers(-50, 50).map(lambda x: f"({x})") | st.floats(-50, 50).map(lambda x: f"({x!r})")
EXPRESSIONS = st.recursive(
    NUMBERS,
    lambda inner: (
        st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda x: f"({x[0]} {x[1]} {x[2]})")
        | inner.map(lambda x: f"(-{x})")
    ),
    max_leaves=12,
)


@given(EXPRESSIONS)
def test_the_calculator_agrees_with_python(expression: str) -> None:
    try:
        wanted = str(eval(compile(ast.parse(expression, mode="eval"), "", "eval"), {"__builtins__": {}}))
    except ZeroDivisionError:
        wanted = "Error: division by zero"
    if len(expression) <= tutorial.LONGEST:
        assert calculate(expression) == wanted


@given(st.text(max_size=200))
def test_the_search_answers_everything(query: str) -> None:
    assert search(query) in (*tutorial.FACTS.values(), f"No results found for: {query}")


# --- the table of a run -----------------------------------------------------------------------------------------------


def test_the_table_has_each_call_that_ran_and_no_other() -> None:
    def fail(x: str) -> str:
        """Fail."""
        raise ValueError("no")

    script: list[Reply | str] = [
        Reply(reasoning="two", calls=(Call("calculate", "1+1"), Call("nope", "x"))),
        "nonsense",
        Reply(content="aloud", calls=(Call("fail", "y"),)),
        Reply(answer="done"),
    ]
    model = Scripted(script, lect="react_bracket")
    result = Agent("react_bracket", model, [calculate, fail]).run("Q?")
    assert result.trajectory() == [
        {"thought": "two", "action": "calculate[1+1]", "observation": "2"},
        {"thought": "aloud", "action": "fail[y]", "observation": "The tool 'fail' failed: ValueError: no"},
    ]
    assert len(result.steps) == 4


def test_the_table_has_texts_only() -> None:
    action = AgentAction("f", {"city": "Voss", "days": 3})
    turn = TurnRecord(1, actions=(action,), results=(ToolResult({"cold": True}),))
    result = RunResult("x", "finished", turns=(turn,))
    (row,) = result.trajectory()
    assert row == {"thought": "", "action": 'f[{"city": "Voss", "days": 3}]', "observation": '{"cold": true}'}
    alone = RunResult("x", "finished", steps=(AgentStep(action, None),))
    assert alone.trajectory() == [{"thought": "", "action": 'f[{"city": "Voss", "days": 3}]', "observation": "null"}]
    assert RunResult(None, "cancelled").trajectory() == []


def test_the_tools_tell_what_they_take() -> None:
    for function in tutorial.TOOLS:
        assert list(inspect.signature(function).parameters) == list(polylect.as_tool(function).properties)
