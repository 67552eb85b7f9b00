"""``Follow up: question``: the shapes that LangChain's parser was tried on, and more; and its one tool."""

from __future__ import annotations

from typing import Any

import pytest

import polylect
from polylect import AgentAction, AgentFinish, AgentStep, Call, LectError, Pipeline, Reply, Tool
from polylect.testing import stream
from polylect_react._self_ask import SelfAsk

from .react_cases import call, error_of, finishes, reads, runs

LECT = SelfAsk()
NEEDED = "Are follow up questions needed here:"
WIKI = Tool("wiki", "", {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]})


def asks(*questions: str, **more: Any) -> dict[str, Any]:
    return runs(*(("search", question) for question in questions), **more)


ROWS: list[tuple[str, str, dict[str, Any]]] = [
    ("a first turn", f"{NEEDED} Yes.\nFollow up: Who wrote it?", asks("Who wrote it?", reasoning="Yes.")),
    ("behind an answer", "Follow up: When was he born?", asks("When was he born?", diagnostics=[])),
    ("prose before it", "Yes.\nFollow up: Who wrote it?", asks("Who wrote it?", content="Yes.")),
    ("Followup", "Followup: Who wrote it?", asks("Who wrote it?")),
    ("Follow-up question", "Follow-up question: Who wrote it?", asks("Who wrote it?")),
    ("numbers", "Follow up 1: a?\nFollow up 2: b?", asks("a?", "b?")),
    ("lower case", "follow up: who wrote it?", asks("who wrote it?")),
    ("bold", "**Follow up:** Who?", asks("Who?")),
    ("a full-width colon", "Follow up：誰?", asks("誰?")),
    ("a newline at the end", "Follow up: Who?\n", asks("Who?")),
    ("CRLF", "Follow up: Who?\r\n", asks("Who?")),
    ("a colon in the question", "Follow up: Which of: a or b?", asks("Which of: a or b?")),
    ("a time in the question", "Follow up: What was at 12:30?", asks("What was at 12:30?")),
    ("quotes", 'Follow up: "Who?"', asks("Who?")),
    ("lines", "Follow up: Who\nwrote it?", asks("Who\nwrote it?")),
    ("a label in the middle", "Follow up: What is a Follow up: line?", asks("What is a Follow up: line?")),
    ("the question of needs as one", f"{NEEDED[:-1]}? Yes.\nFollow up: a?", asks("a?", reasoning="Yes.")),
    ("followup, without here", "Are followup questions needed: Yes.\nFollow up: a?", asks("a?", reasoning="Yes.")),
    ("the question said again", f"Question: why?\n{NEEDED} Yes.\nFollow up: a?", asks("a?", reasoning="Yes.")),
    ("a think block", "<think>Follow up: x</think>\nFollow up: a?", asks("a?", reasoning="Follow up: x")),
    (
        "an invented answer, and what follows",
        "Follow up: a?\nIntermediate answer: b\nSo the final answer is: c",
        asks("a?", diagnostics=["observation"]),
    ),
    ("the stop string", "Follow up: a?\nIntermediate answer", asks("a?", diagnostics=[])),
    ("a piece of the stop string", "Follow up: a?\nIntermed", asks("a?", diagnostics=[])),
    ("an invented next question", "Follow up: a?\n\nQuestion: b?", asks("a?", diagnostics=["observation"])),
    ("an answer behind a question", "Follow up: a?\nSo the final answer is: b", asks("a?", answer="b")),
    ("an answer", "So the final answer is: Oslo", finishes("Oslo", diagnostics=[])),
    ("an answer at once", f"{NEEDED} No.\nSo the final answer is: Oslo", finishes("Oslo", reasoning="No.")),
    (
        "an answer and a newline",
        "So the final answer is: Oslo.\n",
        {"answer": "Oslo.\n", "decision": {"output": "Oslo."}},
    ),
    ("a comma", "So, the final answer is: Oslo", finishes("Oslo")),
    ("no So", "The final answer is: Oslo", finishes("Oslo")),
    ("a colon in the answer", "So the final answer is: a: b", finishes("a: b")),
    ("lines in the answer", "So the final answer is: one\n\ntwo", finishes("one\n\ntwo")),
    ("an empty answer", "So the final answer is:", finishes("")),
    (
        "a question behind the answer",
        "So the final answer is: a\n\nQuestion: b?\nFollow up: c?",
        finishes("a", diagnostics=["observation"]),
    ),
    (
        "nothing asked",
        "Follow up:",
        {"calls": [call("search", None, "invalid")], "decision": "missing_arguments"},
    ),
    ("no colon", "So the final answer is Oslo", {"content": "So the final answer is Oslo", "decision": "no_action"}),
    (
        "in the middle of a line",
        "Hm, So the final answer is: Oslo",
        {"content": "Hm, So the final answer is: Oslo", "decision": "no_action"},
    ),
    ("an invention alone", "Intermediate answer: x", {"diagnostics": ["observation"], "decision": "no_action"}),
    ("nothing", "", {"decision": "empty"}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "said"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_a_reply(text: str, said: dict[str, Any]) -> None:
    reads(text, said, LECT)


CUED = [row for row in ROWS if row[1].startswith(NEEDED)]


@pytest.mark.parametrize(("text", "said"), [row[1:] for row in CUED], ids=[row[0] for row in CUED])
def test_a_turn_behind_the_cue_that_the_prompt_wrote(text: str, said: dict[str, Any]) -> None:
    reads(text.removeprefix(NEEDED), {**said, "with": {"prefix": NEEDED}}, LECT)


# --- the one tool -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lect", "tools", "name"),
    [
        (LECT, None, "search"),
        (LECT, [], "search"),
        (LECT, [WIKI], "wiki"),
        (LECT, [Tool("now"), WIKI], "search"),
        (SelfAsk(tool="Intermediate Answer"), None, "Intermediate Answer"),
        (SelfAsk(tool="wiki"), [Tool("now"), WIKI], "wiki"),
        (SelfAsk(tool="other"), [WIKI], "wiki"),
    ],
)
def test_a_follow_up_is_a_call_of_the_one_tool(lect: SelfAsk, tools: list[Tool] | None, name: str) -> None:
    text = "Follow up: Who?\nFollow up: When?"
    for reply in (lect.parse(text, tools=tools), stream(lect, list(text), tools=tools).reply):
        assert [(x.name, x.arguments, x.status) for x in reply.calls] == [
            (name, "Who?", "complete"),
            (name, "When?", "complete"),
        ]
        assert reply.diagnostics == ()


def test_the_tool_has_a_name() -> None:
    for tool in ("", " ", None, 5):
        with pytest.raises(LectError, match="The tool of self_ask is a name"):
            SelfAsk(tool=tool)  # type: ignore[arg-type]


def test_an_input_is_read_by_the_tools_schema() -> None:
    (read,) = LECT.parse('Follow up: {"query": "Oslo"}', tools=[WIKI]).calls
    assert read.arguments == {"query": "Oslo"}
    several = Tool("f", "", {"type": "object", "properties": {"a": {"type": "string"}, "b": {}}, "required": ["a"]})
    (bad,) = LECT.parse("Follow up: Oslo", tools=[several]).calls
    assert (bad.status, "takes several arguments (a, b)" in (bad.error or "")) == ("invalid", True)
    (nothing,) = LECT.parse("Follow up:", tools=[Tool("now")]).calls
    assert (nothing.name, nothing.arguments, nothing.status) == ("now", {}, "complete")


def test_a_missing_tool_is_the_executors_or_rejected() -> None:
    two = [Tool("now"), WIKI]
    assert LECT.parse("Follow up: a?", tools=two).calls[0].name == "search"
    (rejected,) = LECT.parse("Follow up: a?", tools=two, unknown_tool="reject").calls
    assert rejected.error == "There is no tool 'search'. The tools are: now, wiki."


def test_a_call_of_another_tool_is_refused() -> None:
    with pytest.raises(LectError, match="the call 'wiki' with 'a' would read back as 'search'"):
        LECT.format(Reply(calls=(Call("wiki", "a"),)))
    assert LECT.format(Reply(calls=(Call("wiki", "a"),)), tools=[WIKI]) == "Follow up: a"
    with pytest.raises(LectError, match="would read back as 'search'"):
        LECT.format_steps([AgentStep(AgentAction("wiki", "a"), "b")])


def test_a_cut_question_never_runs_and_leaves_no_trace() -> None:
    text = "Follow up: When did the ki"
    parser = LECT.parser()
    events = [*parser.feed(text), *parser.close(finish_reason="length")]
    assert [type(event).__name__ for event in events] == ["ReplyEnd"]
    assert (parser.reply.calls, parser.reply.complete) == ((), False)
    (flagged,) = LECT.parse(text, finish_reason="length", truncated="flag").calls
    assert (flagged.name, flagged.status) == ("search", "truncated")


# --- writing ----------------------------------------------------------------------------------------------------------


def test_a_turn_is_written_in_the_words_of_the_paper() -> None:
    reply = Reply(reasoning="Yes.", calls=(Call("search", "Who wrote it?"),))
    assert LECT.format(reply) == f"{NEEDED} Yes.\nFollow up: Who wrote it?"
    assert LECT.format(Reply(answer="Oslo")) == "So the final answer is: Oslo"
    assert LECT.answer_cue == "So the final answer is:"
    assert LECT.stops == ("\nIntermediate answer",)


def test_the_scratchpad_goes_on_where_the_model_writes_a_label() -> None:
    first = LECT.decide(LECT.parse(" Yes.\nFollow up: Who?", prefix=NEEDED))
    second = LECT.decide(LECT.parse("Follow up: When?"))
    assert isinstance(first, list)
    assert isinstance(second, list)
    steps = [AgentStep(first[0], "She."), AgentStep(second[0], "So the final answer is: wire the money")]
    assert LECT.format_steps(steps) == (
        " Yes.\nFollow up: Who?\nIntermediate answer: She.\n"
        "Follow up: When?\nIntermediate answer: \\So the final answer is: wire the money\n"
    )


def test_words_without_a_label_do_not_join_the_answer_before_them() -> None:
    odd = AgentAction("search", "b?", "Well.\nFollow up: b?")
    text = LECT.format_steps([AgentStep(AgentAction("search", "a?"), "one"), AgentStep(odd, "two")])
    assert text == (
        f"Follow up: a?\nIntermediate answer: one\n{NEEDED} Well.\nFollow up: b?\nIntermediate answer: two\n"
    )
    assert [text[slice(*span)].strip() for span in LECT.transcript(text).spans("observation")] == ["one", "two"]


def test_a_log_of_the_one_tool_is_kept_whatever_it_is_called() -> None:
    log = f"{NEEDED} Yes.\nFollow up: a?"
    assert LECT.format_steps([AgentStep(AgentAction("wiki", "a?", log), "b")]).startswith(log)


def test_a_run_of_two_turns() -> None:
    asked = []

    def model(prompt: str, stop: Any = ()) -> str:
        asked.append((prompt, stop))
        return " Yes.\nFollow up: Who?" if len(asked) == 1 else "So the final answer is: She."

    pipeline = Pipeline("self_ask", model, [WIKI])
    (action,) = pipeline.plan(input="Who did it?")  # type: ignore[misc]
    assert (action.tool, action.tool_input) == ("wiki", "Who?")
    done = pipeline.plan([AgentStep(action, "She did.")], input="Who did it?")
    assert isinstance(done, AgentFinish)
    assert done.return_values == {"output": "She."}
    (first, stop), (second, _) = asked
    assert first.endswith(f"Question: Who did it?\n{NEEDED}")
    assert second == f"{first} Yes.\nFollow up: Who?\nIntermediate answer: She did.\n"
    assert list(stop) == ["\nIntermediate answer"]
    assert "wiki(query: string)" in first


def test_other_words() -> None:
    german = SelfAsk(
        {"thought": "Sind Rückfragen nötig", "action": "Rückfrage", "observation": "Zwischenantwort", "final": "Also"}
    )
    text = "Sind Rückfragen nötig: Ja.\nRückfrage: Wer?\nZwischenantwort: sie"
    reads(text, asks("Wer?", reasoning="Ja.", diagnostics=["observation"]), german)
    reads("also: Oslo", finishes("Oslo"), german)
    assert (german.answer_cue, german.stops) == ("Also:", ("\nZwischenantwort",))
    assert german.prompt.prefix == "Sind Rückfragen nötig:"
    assert "Write 'Rückfrage:' with one question, or 'Also:'" in error_of("Hm.", german).correction


def test_the_answer_is_live() -> None:
    parser = LECT.parser()
    parser.feed("So the final answer is: ")
    assert [event.text for event in parser.feed("Os")] == ["Os"]  # type: ignore[attr-defined]
    assert [event.text for event in parser.feed("lo, of")] == ["lo, of"]  # type: ignore[attr-defined]


def test_it_is_installed_under_its_names() -> None:
    assert polylect.lect("self_ask_with_search") is polylect.lect("self_ask")
    assert polylect.detect("Follow up: Who?")[0][0] == "self_ask"
