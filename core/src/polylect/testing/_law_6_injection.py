"""Law 6, injection: no text in an argument, an observation or a user message can become structure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from .._errors import LectError, ParseError
from .._values import AgentStep, Call, Reply
from ._draw import Draw, joined, one_of, sampled
from ._fragments import fragments
from ._replies import Tools, indented, odd, steps
from ._run import EXAMPLES, Outcome, attempt, examine, fail, find
from ._same import said, same_value

if TYPE_CHECKING:
    from .._lect import Lect
    from .._text_lect import TextLect

MOST_REFUSED = 0.8
"""The share of lists of steps that a formatter may refuse: half are hostile, and one to nine stand together."""


def law_6_injection(
    lect: Lect | str, *, examples: int = EXAMPLES, seed: int | None = None, tools: Tools = None
) -> Outcome:
    """A transcript with hostile texts, formatted and read again, has the same calls, observations and nothing else.

    Half of the examples are steps for ``format_steps``; in tongues of text the other half are user messages, which
    ``escape`` makes harmless and ``unescape`` gives back, alone and in front of a transcript. A tongue of text may also
    write its steps as chat messages.

    Raises:
        AssertionError: a text became a call, an observation or an answer, or came back altered.
    """
    lect = find(lect)
    text_lect = cast("TextLect", lect)  # only used where the lect speaks text
    refused = 0

    def body(case: tuple[list[AgentStep], str]) -> None:
        nonlocal refused
        taken, user = case
        try:
            written = lect.format_steps(taken)
        except LectError:
            refused += 1
            return
        if isinstance(written, str):
            _same_transcript(text_lect, taken, tools, written, {"steps": taken, "written": written})
            whole = f"{text_lect.escape(user)}\n{written}"
            _same_transcript(text_lect, taken, tools, whole, {"steps": taken, "user": user, "written": whole})
        elif lect.messages:
            _same_messages(lect, taken, tools, written)
        else:
            _same_chat(text_lect, taken, tools, written)

    share = examples if lect.messages else examples - examples // 2
    hostile = joined(fragments(lect), 10)
    users = one_of(hostile, hostile, indented(lect), odd, sampled(_example_texts(lect)))
    steps_of = steps(lect, tools=tools)

    def make(draw: Draw) -> tuple[list[AgentStep], str]:
        return steps_of(draw), users(draw)

    count = examine(make, body, examples=share, seed=seed)
    if refused > MOST_REFUSED * count:
        fail(f"{lect.name} refuses {refused} of {count} lists of steps")
    if not lect.messages:
        count += examine(users, lambda user: _harmless(text_lect, user), examples=max(examples // 2, 1), seed=seed)
    return Outcome(count, f"{refused / max(share, 1):.0%} refused")


def _example_texts(lect: Lect) -> list[str]:
    return [text for text in lect.examples if isinstance(text, str)] or [""]


def _same_transcript(lect: TextLect, taken: list[AgentStep], tools: Tools, written: str, shown: dict[str, Any]) -> None:
    reply = attempt(lect.transcript, written, tools=tools)
    if isinstance(reply, ParseError):
        fail("what format_steps() wrote does not read again", **shown, error=reply)
    if reply.answer is not None:
        fail("a text in the steps became an answer", **shown, answer=reply.answer)
    _same_calls(taken, reply.calls, shown)
    observed = [lect.unescape(reply.text[start:end]) for start, end in reply.spans("observation")]
    _same_observations(taken, observed, shown)


def _same_messages(lect: Lect, taken: list[AgentStep], tools: Tools, written: list[dict[str, Any]]) -> None:
    shown: dict[str, Any] = {"steps": taken, "written": written}
    calls: list[Call] = []
    observed: list[str] = []
    for message in written:
        if message.get("role") != "assistant":
            observed.append(str(message.get("content")))
            continue
        reply = attempt(lect.parse, message, tools=tools)
        if not isinstance(reply, Reply):
            fail("what format_steps() wrote does not read again", **shown, error=reply)
        calls += reply.calls
    _same_calls(taken, tuple(calls), shown)
    _same_observations(taken, observed, shown)


def _same_chat(lect: TextLect, taken: list[AgentStep], tools: Tools, written: list[dict[str, Any]]) -> None:
    """Messages whose texts are in the tongue: the model's own hold the calls, the others nothing but observations."""
    shown: dict[str, Any] = {"steps": taken, "written": written}
    calls: list[Call] = []
    told = ""
    for message in written:
        reply = attempt(lect.transcript, message["content"], tools=tools)
        if not isinstance(reply, Reply):
            fail("what format_steps() wrote does not read again", **shown, error=reply)
        if message["role"] == "assistant":
            calls += reply.calls
        else:
            told += message["content"]
            if reply.calls or reply.answer is not None or reply.spans("observation"):
                fail("a text in the steps became structure", **shown, read=reply)
    _same_calls(taken, tuple(calls), shown)
    at = 0
    for observation in (step.observation for step in taken if isinstance(step.observation, str)):
        place = told.find(lect.escape(observation), at)
        if place < 0:
            fail("an observation is missing, or altered", **shown, wanted=observation)
        at = place + len(lect.escape(observation))


def _same_calls(taken: list[AgentStep], calls: tuple[Call, ...], shown: dict[str, Any]) -> None:
    wanted = [said(step.action) for step in taken]
    found = [(call.name, call.arguments) for call in calls]
    if not same_value(wanted, found):
        fail("the calls of a transcript came back altered", **shown, wanted=wanted, found=found)


def _same_observations(taken: list[AgentStep], observed: list[str], shown: dict[str, Any]) -> None:
    wanted = [step.observation for step in taken]
    if len(observed) != len(wanted):
        fail(f"{len(wanted)} observations became {len(observed)}", **shown, found=observed)
    for one, two in zip(wanted, observed, strict=True):
        if isinstance(one, str) and one.strip() != two.strip():
            fail("an observation came back altered", **shown, wanted=one, found=two)


def _harmless(lect: TextLect, user: str) -> None:
    written = lect.escape(user)
    if (back := lect.unescape(written)) != user:
        fail("unescape(escape(text)) is not the text", text=user, escaped=written, back=back)
    for name, read in (("parse", lect.parse), ("transcript", lect.transcript)):
        reply = attempt(read, written)
        if isinstance(reply, Reply) and (reply.calls or reply.answer is not None or reply.spans("observation")):
            fail(f"a user's text became structure for {name}()", text=user, escaped=written, read=reply)
