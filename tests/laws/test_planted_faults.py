"""A test of the tests: for every law, lects with a planted fault, which the kit must catch."""

from __future__ import annotations

import re
from typing import Any, ClassVar, cast

import msgspec
import pytest

import polylect
from polylect.plugin import observation_text
from polylect.testing import check, law_1_round_trip, law_10_translation


class Faulty:
    """As honest as another lect, save for what a subclass changes: hooks for replies, events and chunks."""

    law: ClassVar[int]
    base: ClassVar[str] = "react"
    pure: ClassVar[bool] = True
    """Whether the other laws still hold."""

    def __init__(self) -> None:
        self.honest = polylect.lect(self.base)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.honest, name)

    def reply(self, reply: polylect.Reply, chunks: int) -> polylect.Reply:
        return reply

    def event(self, event: polylect.Event) -> polylect.Event:
        return event

    def chunk(self, chunk: str) -> str:
        return chunk

    def parse(self, message: Any, **options: Any) -> polylect.Reply:
        return self.reply(self.honest.parse(message, **options), 1)

    def parser(self, **options: Any) -> FaultyParser:
        return FaultyParser(self, self.honest.parser(**options))


class FaultyParser:
    def __init__(self, fault: Faulty, honest: Any) -> None:
        self.fault, self.honest, self.chunks = fault, honest, 0

    @property
    def reply(self) -> polylect.Reply:
        return self.fault.reply(self.honest.reply, self.chunks)

    def feed(self, chunk: Any) -> list[polylect.Event]:
        self.chunks += chunk != ""
        return [self.changed(event) for event in self.honest.feed(self.fault.chunk(chunk))]

    def close(self, **options: Any) -> list[polylect.Event]:
        return [self.changed(event) for event in self.honest.close(**options)]

    def changed(self, event: polylect.Event) -> polylect.Event:
        if isinstance(event, polylect.ReplyEnd):
            event = msgspec.structs.replace(event, reply=self.fault.reply(event.reply, self.chunks))
        return self.fault.event(event)


class DropsQuestionMarks(Faulty):
    """A formatter that alters what it should refuse."""

    law = 1
    pure = False

    def format(self, reply: polylect.Reply, **policies: Any) -> Any:
        return cast("str", self.honest.format(reply, **policies)).replace("?", "")


class TrimsLongChunks(Faulty):
    """A parser that goes wrong only where chunks are long and yet not the whole."""

    law = 2
    pure = False

    def reply(self, reply: polylect.Reply, chunks: int) -> polylect.Reply:
        long = chunks > 1 and len(reply.text) > 400 * chunks
        return msgspec.structs.replace(reply, content=reply.content + "!") if long else reply


class RefusesMostly(Faulty):
    """A formatter that keeps the law by saying nothing."""

    law = 1

    def format(self, reply: polylect.Reply, **policies: Any) -> Any:
        if len(f"{reply.reasoning}{reply.content}{reply.answer}{[call.name for call in reply.calls]}") % 5:
            raise polylect.LectError("Not today.")
        return self.honest.format(reply, **policies)


class CountsChunks(Faulty):
    """A reply that tells how it was fed."""

    law = 2

    def reply(self, reply: polylect.Reply, chunks: int) -> polylect.Reply:
        return msgspec.structs.replace(reply, diagnostics=(polylect.Diagnostic("skipped", f"{chunks} chunks"),))


class LosesLineEndsBetweenChunks(Faulty):
    """A parser that takes a chunk of white space for nothing."""

    law = 2
    pure = False

    def chunk(self, chunk: str) -> str:
        return "" if isinstance(chunk, str) and chunk.isspace() else chunk


class TakesReasoningBack(Faulty):
    """A parser that strips in the end what it has emitted unstripped."""

    law = 3
    pure = False

    def reply(self, reply: polylect.Reply, chunks: int) -> polylect.Reply:
        return msgspec.structs.replace(reply, reasoning=reply.reasoning[:-1])


class EmitsOtherArguments(Faulty):
    """Argument deltas that are not the call's raw text."""

    law = 3

    def event(self, event: polylect.Event) -> polylect.Event:
        if isinstance(event, polylect.ArgumentsDelta):
            return msgspec.structs.replace(event, text=event.text.swapcase())
        return event


class LeavesGaps(Faulty):
    """Calls whose events begin one character late."""

    law = 4

    def event(self, event: polylect.Event) -> polylect.Event:
        return msgspec.structs.replace(event, start=event.start + 1) if isinstance(event, polylect.CallStart) else event


class MisplacesParts(Faulty):
    """Parts of the reply that stand one character further on than they say."""

    law = 4

    def reply(self, reply: polylect.Reply, chunks: int) -> polylect.Reply:
        moved = tuple((role, max(start - 1, 0), max(end - 1, 0)) for role, start, end in reply.parts)
        return msgspec.structs.replace(reply, parts=moved)


class FallsForStops(Faulty):
    """A lect that cannot decide what a stop string ended."""

    law = 5

    def decide(self, reply: polylect.Reply, **policies: Any) -> Any:
        if reply.text.endswith(self.honest.stops):
            raise polylect.ParseError("What is this?", text=reply.text, expected=("a reply",))
        return self.honest.decide(reply, **policies)


class WritesItsStops(Faulty):
    """A formatter that does not mind a stop string in a thought: the server ends the turn there."""

    law = 5

    def format(self, reply: polylect.Reply, *, tools: Any = None, **policies: Any) -> str:
        text: str = cast("Any", self.honest).write(reply, polylect.toolbox(tools))
        if self.honest.parse(text, tools=tools) != reply:
            raise polylect.LectError("This can't be said.")
        return text


class GluesActions(Faulty):
    """A formatter that writes the calls of a turn one by one, with nothing between them."""

    law = 6

    def format_steps(self, steps: Any, **policies: Any) -> Any:
        calls = [polylect.Call(step.action.tool, step.action.tool_input) for step in steps]
        if any(step.action.log for step in steps) or [step.action.index for step in steps] != [*range(len(steps))]:
            return self.honest.format_steps(steps, **policies)
        text = "".join(self.honest.format(polylect.Reply(calls=(call,))) for call in calls)
        seen = [self.honest.escape(observation_text(step.observation)) for step in steps]
        return text + "".join(f"\nObservation: {each}" for each in seen) + "\nThought: "


class CopiesLogs(Faulty):
    """A formatter that takes every log for the text of its tongue."""

    law = 6

    def format_steps(self, steps: Any, **policies: Any) -> Any:
        if len(steps) != 1 or not steps[0].action.log:
            return self.honest.format_steps(steps, **policies)
        seen = self.honest.escape(observation_text(steps[0].observation))
        return f"{steps[0].action.log}\nObservation: {seen}\nThought: "


class EscapesNearLabelsOnly(Faulty):
    """An ``escape`` that leaves labels alone behind more than eight blanks, where ``unescape`` finds them."""

    law = 6

    def __init__(self) -> None:
        super().__init__()
        escape = self.honest.escape
        self.honest = type(self.honest)()
        vars(self.honest)["escape"] = lambda text: text if re.match(r"\s{9}", text) else escape(text)


class TrustsObservations(Faulty):
    """A formatter that puts tool results in as they are."""

    law = 6

    def format_steps(self, steps: Any, **policies: Any) -> Any:
        return self.honest.format_steps(steps, **{**policies, "escape": "raw"})


class TrustsUsers(Faulty):
    """An ``escape`` that does nothing."""

    law = 6

    def escape(self, text: str) -> str:
        return text

    def unescape(self, text: str) -> str:
        return text


class ExpectsACall(Faulty):
    """A decision that takes it for granted that there is a call."""

    law = 7
    pure = False

    def decide(self, reply: polylect.Reply, **policies: Any) -> Any:
        if not reply.calls[0].name:
            raise polylect.ParseError("A call without a name.", text=reply.text, expected=("a name",))
        return self.honest.decide(reply, **policies)


class IsCurt(Faulty):
    """Errors that do not say what was expected."""

    law = 7

    def decide(self, reply: polylect.Reply, **policies: Any) -> Any:
        try:
            return self.honest.decide(reply, **policies)
        except polylect.ParseError as error:
            raise polylect.ParseError("No.", text=error.text) from None


class TakesNoneForText(Faulty):
    """A parser that reads what is no text."""

    law = 7

    def chunk(self, chunk: Any) -> str:
        return chunk if isinstance(chunk, str) else str(chunk)


class Rescans(Faulty):
    """A parser that looks at everything again with every chunk."""

    law = 8

    def __init__(self) -> None:
        super().__init__()
        self.seen = ""

    def parser(self, **options: Any) -> FaultyParser:
        self.seen = ""
        return super().parser(**options)

    def chunk(self, chunk: str) -> str:
        self.seen += chunk
        self.seen.count("\0")
        return chunk


class RepeatsTheText(Faulty):
    """A formatter that takes the text of a reply for granted, whatever tongue it is in."""

    law = 10

    def format(self, reply: polylect.Reply, **policies: Any) -> Any:
        return reply.text or self.honest.format(reply, **policies)


class ForgetsWhatIsRequired(Faulty):
    """A constraint that lets a call leave out what its tool needs."""

    law = 9

    def constraint(self, tools: Any, **options: Any) -> Any:
        loose = [
            msgspec.structs.replace(tool, parameters={**tool.parameters, "required": []})
            for tool in polylect.toolbox(tools).values()  # type: ignore[union-attr]
        ]
        return self.honest.constraint(loose, **options)


class ForbidsDigits(Faulty):
    """A constraint that allows less than the formatter writes."""

    law = 9

    def constraint(self, tools: Any, **options: Any) -> Any:
        return WithoutDigits(self.honest.constraint(tools, **options))


class WithoutDigits:
    def __init__(self, honest: Any) -> None:
        self.honest = honest

    def __getattr__(self, name: str) -> Any:
        return getattr(self.honest, name)

    def matches(self, text: str) -> bool:
        return "1" not in text and bool(self.honest.matches(text))


FAULTS = Faulty.__subclasses__()
LAWS = (1, 2, 3, 4, 5, 6, 10)
"""The quick ones."""


def lect(fault: type[Faulty]) -> polylect.Lect:
    return cast("polylect.Lect", fault())


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_caught(fault: type[Faulty]) -> None:
    report = check(lect(fault), laws=[fault.law], examples=300, seed=1)
    assert not report.ok
    assert "does not hold" in str(report)
    assert report.rows[0].detail


@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault.pure])
def test_it_is_not_blamed_on_another_law(fault: type[Faulty]) -> None:
    report = check(lect(fault), laws=[law for law in LAWS if law != fault.law], examples=60, seed=1)
    assert report.ok, str(report)


def test_every_law_has_a_planted_fault() -> None:
    assert {fault.law for fault in FAULTS} == {*LAWS, 7, 8, 9}


class Narrow(polylect.TextLect):
    """Its grammar promises, for what is written, less than the formatter writes."""

    name = "narrow"
    features = frozenset({"content", "answer", "content_with_answer"})
    lead = "\n"
    examples = ("It rains.\nDONE: yes", "DONE: 42", "DONE: no\nand never")
    grammar_file = """
start: content? answer?
written: content answer
content: CONTENT
answer: DONE TEXT?
DONE: "\\nDONE: "
CONTENT: /(?:(?!/ DONE /)[\\s\\S])+/
TEXT: /[\\s\\S]+/
"""

    def write(self, reply: polylect.Reply, tools: Any = None) -> str:
        answer = "" if reply.answer is None else f"\nDONE: {reply.answer}"
        return reply.content + (answer if reply.content else answer.lstrip("\n"))


def test_a_strict_form_that_is_too_strict_is_caught() -> None:
    with pytest.raises(AssertionError, match="rule 'written'"):
        law_1_round_trip(Narrow(), seed=1)


def test_a_fault_of_the_other_lect_is_caught_in_translation() -> None:
    with pytest.raises(AssertionError, match="another one"):
        law_10_translation("json_blob", others=[lect(DropsQuestionMarks)], seed=1)
