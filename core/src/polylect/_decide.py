"""From a reply to what the agent does: a list of actions, or the finish."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ._errors import CALL_FAULTS, ParseError, Reason
from ._json import NUMBER_FAULTS
from ._policies import Policies
from ._values import EXCEPTION_TOOL, AgentAction, AgentFinish, Call, Reply


def decide(reply: Reply, policies: Policies, hint: str) -> list[AgentAction] | AgentFinish:
    """The actions that a reply asks for, or the finish that it is.

    A call that must not run becomes an action for :data:`EXCEPTION_TOOL` with the correction as its input, as long as
    another call of the turn can run; when none can, the ParseError carries the correction.

    Raises:
        ParseError: the reply asks for nothing that can be done.
    """
    answered = reply.answer is not None
    if answered and reply.calls and not reply.complete and _is_blank(reply.answer):  # it was cut before it began
        answered = False
    acts = bool(reply.calls) and any(call.runnable for call in reply.calls)
    if answered:
        _check_answer(reply, hint)
    if answered and acts:
        if policies.both == "error":
            raise _error(
                reply,
                "both",
                "The reply has both an action and a final answer.",
                "Your reply had both an action and a final answer. Send one of them.",
                reply.spans("answer"),
            )
        if policies.both == "final":
            return _finish(reply, reply.answer)
    if answered and not acts:
        return _finish(reply, reply.answer)
    if reply.calls:
        return _actions(reply, acts=acts)
    if any(x.code == "truncated" for x in reply.diagnostics) and not (policies.text == "final" and reply.content):
        cut = next(x for x in reply.diagnostics if x.code == "truncated")
        raise _error(
            reply,
            "truncated",
            "The reply was cut short.",
            f"Your reply was cut off before it was complete. Send it again, shorter. {hint}",
            (cut.span,),
        )
    said = reply.content or reply.reasoning
    if policies.text == "final" and said.strip():
        return _finish(reply, reply.content or reply.reasoning)
    if not reply.text.strip() and reply.message is None:
        raise _error(reply, "empty", "The reply is empty.", f"Your reply was empty. {hint}", ())
    raise _error(
        reply, "no_action", "The reply has no action and no final answer.",
        f"Your reply had no action and no final answer. {hint}", ((len(reply.text), len(reply.text)),),
    )  # fmt: skip


def _check_answer(reply: Reply, hint: str) -> None:
    """Raise for a final answer that can't be taken as one."""
    broken = next((x for x in reply.diagnostics if x.code == "invalid_answer"), None)
    if broken is not None and not reply.calls:
        from ._reading import decode

        problem = decode(str(reply.answer))[1]
        message = "The final answer is not valid JSON."
        if problem in NUMBER_FAULTS:
            message = f"The final answer can't be read: {problem}."
        raise _error(reply, "malformed_arguments", message, f"{message} Send it again. {hint}", (broken.span,))
    if not reply.complete and not reply.calls and _is_blank(reply.answer):
        message = "The reply was cut short before its final answer."
        raise _error(reply, "truncated", message, f"{message} Send it again, shorter. {hint}", ())


def _is_blank(answer: Any) -> bool:
    return isinstance(answer, str) and not answer.strip()


def _finish(reply: Reply, answer: Any) -> AgentFinish:
    return AgentFinish({"output": answer.strip() if isinstance(answer, str) else answer}, _kept(reply))


def _kept(reply: Reply) -> str:
    """The text up to an invented observation."""
    seen = reply.spans("observation")
    return reply.text[: seen[0][0]] if seen else reply.text


def _actions(reply: Reply, *, acts: bool) -> list[AgentAction]:
    if not acts:
        call = reply.calls[0]
        found: Iterator[Any] = (x.code for x in reply.diagnostics if x.code in CALL_FAULTS and x.span == call.span)
        reason: Reason = "truncated" if call.status == "truncated" else next(found, "invalid_arguments")
        message = call.error or "The call can't run."
        raise ParseError(
            message, text=reply.text, span=call.span, expected=("a valid call",), reason=reason, correction=message
        )
    kept = _kept(reply)
    starts = [0, *(call.end for call in reply.calls[:-1])]
    ends = [*starts[1:], len(kept)]  # together the logs are the text, up to an invented observation
    return [
        _action(call, kept[start:end], index, reply)
        for index, (call, start, end) in enumerate(zip(reply.calls, starts, ends, strict=True))
    ]


def _action(call: Call, log: str, index: int, reply: Reply) -> AgentAction:
    if call.runnable:
        arguments = "" if call.arguments is None else call.arguments
        return AgentAction(call.name, arguments, log, call.id, index, reply.message)
    return AgentAction(EXCEPTION_TOOL, call.error or "The call can't run.", log, call.id, index, reply.message)


def _error(
    reply: Reply, reason: Reason, message: str, correction: str, spans: tuple[tuple[int, int], ...]
) -> ParseError:
    return ParseError(
        message,
        text=reply.text,
        span=spans[0] if spans else (0, 0),
        expected=("an action", "a final answer"),
        reason=reason,
        correction=correction.strip(),
    )
