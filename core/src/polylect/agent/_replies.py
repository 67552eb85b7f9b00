"""One reply of a model as it arrives: read, cut at stop strings, counted, and told as events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._errors import ParseError
from .._outputs import ended, finish_reason_of, text_of
from .._stopping import Stopper, cut_at_stop
from .._text_lect import without_partial_stop
from .._values import AnswerDelta, CallStart, ContentDelta, Event
from ._loop import Loop, Outcome
from ._values import CallModel, ModelDelta, ModelResult, NoAnswer, RunEvent, Usage

_TOKENS = (("prompt_tokens", "completion_tokens"), ("input_tokens", "output_tokens"))


class IncomingReply:
    """Feed it what the model gives; ``wanted`` turns False when the rest is of no use. Then ``close``."""

    def __init__(self, loop: Loop, call: CallModel, *, live: bool) -> None:
        pipeline = loop.pipeline
        self._loop, self._call, self._live = loop, call, live
        self._text = not pipeline.lect.messages
        stops = call.request.stop if self._text and pipeline.cuts_at_stop else ()
        self._stopper = Stopper(stops) if stops else None
        self._stops = stops
        self._reading = loop.reading(call)
        self._fault: ParseError | None = None
        self._answers = call.last or pipeline.text_is_answer
        self._ends_answer = AnswerDelta if call.last else (CallStart, AnswerDelta)
        self._told_answer = False
        self.turn = call.turn
        self.answering = False
        """Whether text was told as the answer, and not taken back."""
        self._pieces: list[str] = []
        self._odd: tuple[Any] | None = None
        self.usage = Usage()
        self.finish_reason: str | None = None
        self.wanted = True

    def chunk(self, chunk: Any) -> list[Event | RunEvent]:
        """One chunk -> its events; none when nobody looks."""
        if chunk.__class__ is not str:
            self.usage = usage_of(chunk, self.usage)
            self.finish_reason = finish_reason_of(chunk, self.finish_reason)
        if not self._text:
            told = text_of(chunk)[0] if self._live else None
            return self._told(told, self._feed(chunk))
        text = chunk if chunk.__class__ is str else text_of(chunk)[0]
        if not isinstance(text, str):
            return self._told(None, self._feed(chunk))
        kept = text
        if self._stopper is not None:
            kept = self._stopper.feed(text)
            if self._stopper.found is not None:
                self.wanted, self.finish_reason = False, "stop"
        if kept is not text and text:
            chunk = kept if not self.wanted else ended(kept, text_of(chunk)[1])
        self._pieces.append(kept)
        return self._told(kept, self._feed(chunk))

    def _feed(self, chunk: Any) -> list[Event]:
        if self._fault is not None:
            return []
        try:
            return self._reading.feed(chunk)
        except ParseError as error:
            self._fault, self.wanted = error, False
            self._keep_odd(chunk)
            return []

    def _keep_odd(self, output: Any) -> None:
        """What is no text or message at all is the whole reply: nobody can read what stands around it."""
        if not (isinstance(text_of(output)[0], str) if self._text else isinstance(output, (str, dict))):
            self._odd = (output,)

    def whole(self, output: Any) -> list[Event | RunEvent]:
        """All of the reply at once -> its events."""
        self.usage = usage_of(output, self.usage)
        self.finish_reason = finish_reason_of(output, self.finish_reason)
        if self._text:
            text = text_of(output)[0]
            if isinstance(text, str):
                kept = cut_at_stop(text, self._stops)
                self._pieces.append(kept)
                if kept is not text:
                    output, self.finish_reason = kept, "stop"
        try:
            events = self._reading.whole(output)
        except ParseError as error:
            self._fault, events = error, []
            self._keep_odd(output)
        return self._told(text_of(output)[0], events)

    def close(self) -> tuple[list[Event | RunEvent], Outcome]:
        """The reply is over -> its last events, and what it says."""
        events: list[Event | RunEvent] = []
        held = "" if self._stopper is None else self._stopper.close()
        if rest := without_partial_stop(held, self._stops):
            self._pieces.append(rest)
            events += self._told(rest, self._feed(rest))
        if self._fault is None:
            try:
                events += self._told(None, self._reading.close())
            except ParseError as error:
                self._fault = error
        if self._fault is not None:
            return events, (self._reading.reply, self._fault)
        return events, self._loop.read_of(self._reading, self.finish_reason)

    @property
    def partial(self) -> Any:
        """What has come so far, of texts."""
        return "".join(self._pieces)

    def result(self, output: Any, seconds: float) -> ModelResult:
        """The reply as a value; ``output`` is None when it came in chunks."""
        if self._odd is not None:
            output = _dumped(self._odd[0])
        elif self._text:
            output = "".join(self._pieces) if self._pieces or output is None else output
        elif output is None or not isinstance(output, (str, dict)):
            reply = self._reading.reply
            output = None if reply is None else reply.message
        return ModelResult(output, self.usage, seconds, self.finish_reason)

    def _told(self, text: str | None, events: list[Event]) -> list[Event | RunEvent]:
        if not self._live:
            return []
        turn = self.turn
        out: list[Event | RunEvent] = [ModelDelta(turn, text)] if text else []
        for event in events:
            if self._answers:
                if isinstance(event, ContentDelta):
                    self._told_answer = True
                    event = AnswerDelta(event.start, event.end, event.text)
                elif self._told_answer and isinstance(event, self._ends_answer):
                    self._told_answer = self.answering = False
                    out.append(NoAnswer(turn))
            if isinstance(event, AnswerDelta) and not event.text.isspace():
                self.answering = True
            out.append(event)
        return out


def _dumped(output: Any) -> Any:
    """An object of an SDK's as the dict that it writes itself as."""
    dump = getattr(output, "model_dump", None)
    try:
        found = dump() if callable(dump) else output
    except Exception:  # a stranger's
        return output
    return found if isinstance(found, dict) else output


def usage_of(value: Any, before: Usage) -> Usage:
    """The tokens that a response or a chunk tells of; ``before`` where it says nothing."""
    found = _get(value, "usage")
    if found is None:
        return before
    for one, other in _TOKENS:
        counts = _get(found, one), _get(found, other)
        if any(isinstance(count, int) for count in counts):
            return Usage(*(count if isinstance(count, int) and count >= 0 else 0 for count in counts))
    return before


def _get(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, Mapping) else getattr(value, key, None)
