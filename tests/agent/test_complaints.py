"""What users of LangChain's agents complained about, and the faults that were found beside it: those of the loop.

The numbers are those of the project's lists. What a parser does about the others is tested beside the lects.
"""

from __future__ import annotations

import re
import threading
import typing
from pathlib import Path
from typing import Any

import pytest

import polylect
from polylect import Agent, AgentStep, Cancel, PluginError, PromptError, RunResult, RunState, Scripted, Tool

from .scenes import DRIVERS, LECTS, SEVERAL, agent, answer, call, calls, echo, nonsense, observations, run

drivers = pytest.mark.parametrize("driver", DRIVERS)
every = pytest.mark.parametrize("lect", LECTS)
ROOT = Path(__file__).parents[2]
TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
NUMBER = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


def native(name: str, arguments: str) -> dict[str, Any]:
    """A message with one native call, its arguments as they are."""
    made = {"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments}}
    return {"role": "assistant", "content": None, "tool_calls": [made]}


# --- complaints -------------------------------------------------------------------------------------------------------


@drivers
@every
def test_complaint_22_generate_is_one_last_call_of_the_model(lect: str, driver: str) -> None:
    built, model = agent(lect, call(lect), answer(lect, "seven"), max_iterations=1, early_stopping="generate")
    assert run(driver, built).output == "seven"
    assert len(model.asked) == 2


@drivers
@every
def test_complaint_23_the_last_call_gives_an_answer_and_no_action(lect: str, driver: str) -> None:
    built, _ = agent(lect, call(lect), call(lect, given="again"), max_iterations=1, early_stopping="generate")
    output = run(driver, built).output
    assert "again" not in output
    assert "stopped before it had an answer" in output


@drivers
def test_complaint_24_how_a_run_ended_is_a_word_and_no_sentence(driver: str) -> None:
    built, _ = agent("react", call("react"), max_iterations=1)
    result = run(driver, built)
    assert (result.stop_reason, result.finished) == ("iterations", False)


@drivers
def test_complaint_27_a_run_is_cancelled_from_elsewhere(driver: str) -> None:
    cancel, running = Cancel(), threading.Event()

    def slow(text: str) -> str:
        """Take long."""
        running.set()
        for _ in range(30_000):
            threading.Event().wait(0.001)
        return "late"

    def elsewhere() -> None:
        running.wait(30)
        cancel.cancel()

    other = threading.Thread(target=elsewhere)
    other.start()
    built, model = agent("react", call("react", "slow"), answer("react"), tools=(slow,))
    result = run(driver, built, cancel=cancel)
    other.join()
    assert (result.stop_reason, len(model.asked), len(result.steps)) == ("cancelled", 1, 1)


@drivers
@every
def test_complaint_28_unreadable_replies_are_observed_whatever_stands_around(lect: str, driver: str) -> None:
    """The agent's model is wrapped by hooks, and the agent itself is a tool of another."""

    class Around:
        def polylect_wrap_model_call(self, call: Any) -> Any:
            return (yield call)

    model = Scripted([nonsense(lect), answer(lect, "seven")], lect=lect)
    inner = Agent(Agent(lect, model, [echo]).pipeline.replace(), hooks=[Around()])

    def ask(text: str) -> str:
        """Ask the other one."""
        return str(inner.run(text).output)

    outer, _ = agent("react", call("react", "ask"), answer("react"), tools=(ask,))
    assert observations(run(driver, outer)) == ["seven"]


@drivers
@pytest.mark.parametrize("lect", SEVERAL)
def test_complaint_30_return_direct_counts_in_turns_of_several_calls(lect: str, driver: str) -> None:
    direct = Tool("direct", "", TEXT, lambda text: text.upper(), return_direct=True)
    turn = calls(lect, ("direct", {"text": "a"}), ("direct", {"text": "b"}))
    built, model = agent(lect, turn, tools=[direct], stop=False)
    assert run(driver, built).output == ["A", "B"]
    assert len(model.asked) == 1


@drivers
@pytest.mark.parametrize("lect", ["tool_calls", "openai_functions"])
def test_complaint_31_a_malformed_call_is_answered_and_made_again(lect: str, driver: str) -> None:
    broken = {"name": "echo", "arguments": '{"text": '}
    said = native(**broken) if lect == "tool_calls" else {"role": "assistant", "function_call": broken}
    built, model = agent(lect, said, call(lect), answer(lect))
    assert run(driver, built).output == "42"
    assert len(model.asked) == 3


@drivers
@every
def test_complaint_32_a_call_that_must_come_and_does_not_is_asked_for_a_bounded_number_of_times(
    lect: str, driver: str
) -> None:
    built, model = agent(lect, *[answer(lect)] * 20, tool_choice="required", max_retries=2)
    assert run(driver, built).stop_reason == "loop"
    assert len(model.asked) == 3


@drivers
@pytest.mark.parametrize("lect", [name for name in LECTS if name != "self_ask"])
def test_complaint_33_an_answer_of_a_schema_goes_with_other_tools(lect: str, driver: str) -> None:
    report = Tool("report", "The answer.", TEXT, lambda text: {"text": text}, return_direct=True)
    built, _ = agent(lect, call(lect), call(lect, "report", {"text": "dry"}), tools=[echo, report])
    assert run(driver, built).output == {"text": "dry"}


@drivers
def test_complaint_34_after_arguments_that_do_not_fit_a_call_is_still_required(driver: str) -> None:
    count = Tool("count", "", NUMBER, lambda n: n + 1)
    script = [native("count", '{"n": "two"}'), answer("tool_calls", "I can't."), native("count", '{"n": 2}')]
    built, model = agent("tool_calls", *script, answer("tool_calls"), tools=[count], tool_choice="required")
    result = run(driver, built)
    assert (result.output, result.iterations) == ("42", 4)
    assert [asked.tool_choice for asked in model.asked] == ["required", "required", "required", None]
    built, model = agent("tool_calls", script[0], *[script[1]] * 9, tools=[count], tool_choice="required")
    assert run(driver, built).stop_reason == "loop"
    assert len(model.asked) <= 5


@drivers
@every
def test_complaint_38_every_model_is_told_the_stop_strings(lect: str, driver: str) -> None:
    built, model = agent(lect, answer(lect))
    run(driver, built)
    assert model.asked[0].stop == polylect.lect(lect).stops


@drivers
def test_complaint_43_a_call_written_into_the_content_is_no_silent_end(driver: str) -> None:
    written = {"role": "assistant", "content": '<tool_call>{"name": "echo", "arguments": {"text": "hi"}}</tool_call>'}
    built, model = agent("tool_calls", written, call("tool_calls"), answer("tool_calls"))
    result = run(driver, built)
    assert (result.output, len(model.asked)) == ("42", 3)
    assert result.turns[0].error is not None


@drivers
@every
def test_complaint_44_results_are_sent_back(lect: str, driver: str) -> None:
    built, model = agent(lect, call(lect), answer(lect))
    run(driver, built)
    assert "said hi" in str(model.asked[1].prompt)


@drivers
def test_complaint_46_names_that_an_api_rejects_are_mapped_and_mapped_back(driver: str) -> None:
    search = Tool("find a city!", "", TEXT, lambda text: f"found {text}")

    def model(messages: Any, *, tools: Any = None) -> Any:
        (offered,) = tools
        name = offered["function"]["name"]
        assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name)
        return answer("tool_calls") if len(messages) > 2 else native(name, '{"text": "Oslo"}')

    result = run(driver, Agent("tool_calls", model, [search]))
    assert [(step.action.tool, step.observation) for step in result.steps] == [("find a city!", "found Oslo")]


# --- faults -----------------------------------------------------------------------------------------------------------


@drivers
def test_defect_3_a_broken_call_beside_a_good_one_is_told_and_neither_is_lost(driver: str) -> None:
    both = native("echo", '{"text": "hi"}')
    both["tool_calls"].append({"id": "c2", "type": "function", "function": {"name": "echo", "arguments": "{text}"}})
    built, model = agent("tool_calls", both, answer("tool_calls"))
    result = run(driver, built)
    assert result.steps[0].observation == "said hi"
    assert [x.status for x in result.turns[0].results] == ["ok", "invalid"]
    prompt: Any = model.asked[1].prompt
    asked = [made["id"] for message in prompt for made in message.get("tool_calls") or ()]
    assert asked == [message["tool_call_id"] for message in prompt if message["role"] == "tool"]


@drivers
@every
def test_defect_14_every_lect_can_generate_and_says_that_it_was_stopped(lect: str, driver: str) -> None:
    built, _ = agent(lect, call(lect), answer(lect), max_iterations=1, early_stopping="generate")
    result = run(driver, built)
    assert (result.output, result.stop_reason, result.finished) == ("42", "iterations", False)


@drivers
def test_defect_15_time_is_up_for_one_tool_and_the_others_keep_their_results(driver: str) -> None:
    started, over = threading.Barrier(3, timeout=30), threading.Event()

    def meet(text: str) -> str:
        """Wait for the others; the last one stays."""
        started.wait()
        if text == "c":
            over.wait(30)
        return f"met {text}"

    turn = calls("tool_calls", *[("meet", {"text": x}) for x in "abc"])
    built, _ = agent("tool_calls", turn, tools=[meet], max_execution_time=1.0)
    result = run(driver, built)
    over.set()
    assert observations(result)[:2] == ["met a", "met b"]
    assert (result.stop_reason, [x.status for x in result.turns[0].results]) == ("time", ["ok", "ok", "timeout"])


@drivers
def test_defect_16_what_goes_wrong_in_a_call_ends_no_run(driver: str) -> None:
    def fail(text: str) -> str:
        """Fail."""
        raise OSError("the disk is full")

    script = [native("fail", '{"text": "a"}'), native("fail", "{}"), native("fial", "{}"), answer("tool_calls")]
    built, _ = agent("tool_calls", *script, tools=[fail])
    result = run(driver, built)
    assert result.output == "42"
    assert [turn.results[0].status for turn in result.turns[:3]] == ["error", "invalid", "unknown"]


def test_defect_17_what_may_be_anything_is_annotated_so() -> None:
    for kind, field in ((AgentStep, "observation"), (RunResult, "output")):
        assert typing.get_type_hints(kind)[field] is Any


@drivers
def test_defect_21_retries_are_bounded_and_errors_are_no_successes(driver: str) -> None:
    count = Tool("count", "", NUMBER, lambda n: n + 1)
    built, model = agent("tool_calls", *[native("count", '{"n": "two"}')] * 99, tools=[count])
    result = run(driver, built)
    assert (result.stop_reason, len(model.asked) < 15) == ("loop", True)
    assert {x.status for turn in result.turns for x in turn.results} == {"invalid"}


@drivers
def test_defect_27_a_run_starts_from_a_text_and_no_decision_is_an_error_in_words(driver: str) -> None:
    assert run(driver, agent("react", answer("react"))[0], "q").output == "42"
    empty = Agent("react", Scripted(["x"]), [echo], parse=lambda text: [])
    with pytest.raises(PromptError, match="at least one"):
        run(driver, empty)


def test_defect_29_everything_public_can_be_imported_at_once() -> None:
    for module in ("polylect", "polylect.agent", "polylect.plugin", "polylect.testing"):
        names: dict[str, Any] = {}
        exec(f"from {module} import *", names)
        assert len(names) > 5


def test_defect_30_a_hook_of_no_known_name_is_refused_and_a_run_that_waits_says_for_what() -> None:
    class Jumps:
        def polylect_jump_to(self, state: Any) -> str:
            return "end"

    with pytest.raises(PluginError, match="no known hook 'polylect_jump_to'"):
        agent("react", hooks=[Jumps()])
    built, _ = agent("react")
    state = built.start("q")
    built.advance(state, call("react"))
    again = RunState.from_json(state.to_json())
    assert [action.tool for action in again.waiting] == ["echo"]


# --- all of them ------------------------------------------------------------------------------------------------------


def test_every_complaint_has_a_test() -> None:
    files = [*(ROOT / "plugins").glob("*/tests/test_*.py"), *(ROOT / "tests").rglob("test_*.py")]
    source = "\n".join(file.read_text(encoding="utf-8") for file in files)
    told = re.findall(r"^def test_complaint_(\d+)(?:_and_(\d+))?_", source, re.M)
    assert {int(number) for pair in told for number in pair if number} == set(range(1, 47))
    faults = {int(number) for number in re.findall(r"^def test_defect_(\d+)_", source, re.M)}
    assert faults >= {*range(13, 22), *range(27, 31)}
