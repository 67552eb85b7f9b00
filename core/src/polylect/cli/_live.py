"""Events as readable text, while they come."""

from __future__ import annotations

from .._values import (
    AnswerDelta,
    ArgumentsDelta,
    CallEnd,
    CallStart,
    ContentDelta,
    Event,
    ReasoningDelta,
    ReplyEnd,
)
from ._paint import Paint, block, pointed, safe
from ._render import STATUS_COLORS, plain


class Live:
    """Turns events into text for a terminal: reasoning dim, calls on a line of their own, text as it is."""

    def __init__(self, paint: Paint) -> None:
        self.paint = paint
        self.role = ""
        self.fresh = True  # the cursor is at the start of a line
        self.said = False  # the call's arguments were shown while they came

    def show(self, event: Event) -> str:
        """The text to print for an event."""
        paint = self.paint
        if isinstance(event, ReasoningDelta):
            return self._text("reasoning", event.text, None, dim=True)
        if isinstance(event, ContentDelta):
            return self._text("content", event.text, None)
        if isinstance(event, AnswerDelta):
            return self._text("answer", event.text, "green")
        if isinstance(event, CallStart):
            self.said = False
            start = self._line() + paint(f"[{event.index}] ", "cyan") + paint(safe(event.name), bold=True) + " "
            self.role, self.fresh = "call", False
            return start
        if isinstance(event, ArgumentsDelta):
            self.said = self.said or bool(event.text)
            return paint(safe(event.text), "cyan")
        if isinstance(event, CallEnd):
            return self._end(event)
        return self._reply(event) if isinstance(event, ReplyEnd) else ""

    def _text(self, role: str, text: str, color: str | None, *, dim: bool = False) -> str:
        lead = ""
        if role != self.role:
            lead = self._line()
            self.role = role
            text = text.lstrip("\n")
        if not text:
            return lead
        self.fresh = text.endswith("\n")
        return lead + self.paint(safe(text), color, dim=dim)

    def _end(self, event: CallEnd) -> str:
        call = event.call
        text = "" if self.said else self.paint(safe(call.raw or plain(call.arguments or "")), "cyan")
        if call.status != "complete":
            text += "  " + self.paint(call.status, STATUS_COLORS[call.status])
        if call.error:
            text += f"\n{safe(call.error)}"
        self.role, self.fresh = "", True
        return text + "\n"

    def _reply(self, event: ReplyEnd) -> str:
        text = self._line()
        for found in event.reply.diagnostics:
            body = safe(found.message) + pointed(event.reply.text, found.start, found.end, self.paint)
            text += block(self.paint(found.code, "yellow"), body)
        return text

    def _line(self) -> str:
        if self.fresh:
            return ""
        self.fresh = True
        return "\n"
