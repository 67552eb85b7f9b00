"""One text read in many ways, and how the ways differ."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from polylect import (
    AnswerDelta,
    ArgumentsDelta,
    CallEnd,
    CallStart,
    ContentDelta,
    Event,
    Lect,
    ReasoningDelta,
    Reply,
    ReplyEnd,
    Toolbox,
    toolbox,
)


def boxed(tools: list[dict[str, Any]]) -> Toolbox:
    """The tools, ready to be used again and again."""
    box = toolbox(tools)
    assert box is not None
    return box


def read(lect: Lect, chunks: Iterable[str], finish: str = "stop", **options: Any) -> tuple[list[Event], Reply]:
    """All events of a stream, and its reply."""
    parser = lect.parser(**options)
    events: list[Event] = []
    for chunk in chunks:
        events += parser.feed(chunk)
    events += parser.close(finish)
    return events, parser.reply


def said(reply: Reply) -> dict[str, Any]:
    """All that a reply says, in a form that shows what differs."""
    return {
        "reasoning": reply.reasoning,
        "content": reply.content,
        "answer": reply.answer,
        "complete": reply.complete,
        "calls": [(call.name, call.arguments, call.raw, call.id, call.span, call.status) for call in reply.calls],
        "diagnostics": [(note.code, note.start, note.end) for note in reply.diagnostics],
    }


def told(events: Iterable[Event], *, flagged: bool = False) -> dict[str, Any]:
    """What the events say when they are put together: joined deltas, and the calls; cut ones only if ``flagged``."""
    content = reasoning = answer = ""
    names: dict[int, str] = {}
    raws: dict[int, str] = {}
    calls: list[tuple[str, str]] = []
    ended = False
    for event in events:
        match event:
            case ContentDelta(text=text):
                content += text
            case ReasoningDelta(text=text):
                reasoning += text
            case AnswerDelta(text=text):
                answer += text
            case CallStart(index=index, name=name):
                assert index not in names, "a call began twice"
                names[index], raws[index] = name, ""
            case ArgumentsDelta(index=index, text=text):
                raws[index] += text
            case CallEnd(index=index, call=call):
                assert names[index] == call.name
                if flagged or call.status != "truncated":  # a client throws away what was cut
                    calls.append((call.name, raws[index]))
                assert raws[index] == call.raw, f"the deltas are {raws[index]!r}, the call has {call.raw!r}"
            case ReplyEnd():
                ended = True
    assert ended
    return {"content": content, "reasoning": reasoning, "answer": answer, "calls": calls}


def differences(
    lect: Lect, text: str, cuttings: Mapping[str, list[str]], finish: str = "stop", **options: Any
) -> dict[str, Any]:
    """The cuttings whose reply or events say something else than the whole text does, each with what they say."""
    whole = said(lect.parse(text, finish_reason=finish, **options))
    wrong: dict[str, Any] = {}
    for name, chunks in cuttings.items():
        assert "".join(chunks) == text
        for mode in ("live", "held"):
            events, reply = read(lect, chunks, finish, arguments=mode, **options)
            got, sent = said(reply), told(events, flagged=options.get("truncated") == "flag")
            wanted = {
                "content": whole["content"],
                "reasoning": whole["reasoning"],
                "answer": whole["answer"] or "",
                "calls": [(call[0], call[2]) for call in whole["calls"]],
            }
            bad = {key: (got[key], whole[key]) for key in whole if got[key] != whole[key]}
            bad |= {f"{key} of the events": (sent[key], wanted[key]) for key in wanted if sent[key] != wanted[key]}
            if bad:
                wrong[f"{name}, {mode}"] = bad
    return wrong
