"""The parser of one message that arrives in deltas. Whole messages are read by it too, as one delta."""

from __future__ import annotations

from typing import Any

from polylect import (
    ArgumentsDelta,
    CallEnd,
    CallStart,
    ContentDelta,
    Diagnostic,
    Event,
    LectError,
    ReasoningDelta,
    Reply,
    ReplyEnd,
)
from polylect.plugin import check_policies, decode, says_length

from ._arguments import Rules
from ._message import MessageDraft, OpenCall
from ._shapes import (
    MESSAGE_KEYS,
    REASONING_KEYS,
    Entry,
    Fields,
    as_fields,
    entries,
    extras,
    first_choice,
    from_json,
    legacy_call,
    refuse,
    text_pieces,
)


class ToolCallsParser:
    """Reads the deltas of one assistant message; made by ``lect.parser()``."""

    def __init__(self, rules: Rules, others: int = 0) -> None:
        self._rules = rules
        self._live = rules.policies.arguments == "live"
        self._draft = MessageDraft()
        self._calls: list[OpenCall] = []
        self._by_index: dict[int, OpenCall] = {}
        self._by_id: dict[str, OpenCall] = {}
        self._legacy: OpenCall | None = None
        self._held_back = False
        self._diagnostics: list[Diagnostic] = []
        self._out: list[Event] = []
        self._last = 0
        self._length = False
        self._skipped_choices = others
        self._reply: Reply | None = None

    # --- the protocol ---------------------------------------------------------------------------------------------

    def feed(self, chunk: Any) -> list[Event]:
        """A delta, or a chunk with ``choices``, as a dict, an SDK object or JSON text -> the events of it.

        Raises:
            ParseError: ``chunk`` is none of these.
            LectError: the parser is closed.
        """
        if self._reply is not None:
            raise LectError("This parser is closed. Make a new one for the next message.")
        fields = chunk
        if type(chunk) is not dict:
            found = from_json(chunk) if isinstance(chunk, str) else as_fields(chunk)
            if found is None:
                kind = "nothing (None)" if chunk is None else type(chunk).__name__
                refuse(f"A stream chunk is a dict, an SDK object or JSON text, not {kind}.")
            fields = found
        out: list[Event] = []
        self._out = out
        if len(fields) == 1 and self._plain(fields):
            return out
        whole = False
        if "choices" in fields or ("role" not in fields and ("delta" in fields or "message" in fields)):
            delta, whole = self._opened(fields)
            if delta is None or (len(delta) == 1 and self._plain(delta)):
                return out
            fields = delta
        if not fields.keys().isdisjoint(MESSAGE_KEYS):
            self.take(fields, whole=whole)
        return out

    def close(self, finish_reason: str | None = "stop") -> list[Event]:
        """The message is over -> the remaining events, a ReplyEnd last.

        Raises:
            ParseError: where a policy says so.
            LectError: the parser is closed already.
        """
        if self._reply is not None:
            raise LectError("This parser is closed already.")
        length = self._length or says_length(finish_reason)
        out: list[Event] = []
        self._out = out
        for call in self._calls:
            if call.finished is None:
                last = (call.number == len(self._calls) - 1 or call.crossed) and (length or not call.broken)
                self._finish(call, last=last, length=length)
        self._reply = reply = self._whole(length)
        out.append(ReplyEnd(self._last, self._draft.at, reply))
        if reply.diagnostics:
            check_policies(reply, self._rules.policies)
        return out

    @property
    def reply(self) -> Reply:
        """The reply.

        Raises:
            LectError: the parser is not closed yet.
        """
        if self._reply is None:
            raise LectError("The reply is known only after close().")
        return self._reply

    # --- chunks ---------------------------------------------------------------------------------------------------

    def _opened(self, fields: Fields) -> tuple[Fields | None, bool]:
        """(the delta of a chunk's first choice, whether it is a whole message); (None, …) when it has none."""
        choice, others = first_choice(fields)
        if others:
            self._skipped_choices = max(self._skipped_choices, others)
        if choice is None:
            return None, False
        reason = choice.get("finish_reason")
        if reason is not None and says_length(reason):
            self._length = True
        delta = choice.get("delta")
        if type(delta) is dict or (delta := as_fields(delta)) is not None:
            return delta, False
        return as_fields(choice.get("message")), True

    def _plain(self, delta: Fields) -> bool:
        """Read a delta with one field, if it is one of the usual ones: this is nearly all of a long stream."""
        ((key, value),) = delta.items()
        if key == "content" or key in REASONING_KEYS:
            if type(value) is not str:
                return False
            if value:
                self._say(key, value)
            return True
        if key != "tool_calls" or type(value) is not list or len(value) != 1:
            return False
        entry = value[0]
        if type(entry) is not dict or len(entry) != 2:
            return False
        function, index = entry.get("function"), entry.get("index")
        if type(function) is not dict or len(function) != 1 or type(index) is not int:
            return False
        call, piece = self._by_index.get(index), function.get("arguments")
        if call is None or type(piece) is not str or not piece:
            return False
        if call.started and call is self._calls[-1]:
            end = self._draft.add(call, piece)
            call.end = end
            call.pieces.append(piece)
            self._out.append(ArgumentsDelta(self._last, end, call.number, piece))
            self._last = end
        else:
            self._fragment(call, piece)
        return True

    def take(self, fields: Fields, *, whole: bool) -> None:
        """Read a delta, or a whole message, where every entry of ``tool_calls`` is a call of its own."""
        for key, text in text_pieces(fields):
            if key == "block":
                self._odd_block(text)
            else:
                self._say(key, text)
        for entry in entries(fields):
            self._entry(entry, None if whole else self._known(entry))
        legacy = legacy_call(fields)
        if legacy is not None:
            self._entry(legacy, None if whole else self._legacy, legacy=True)
        more = extras(fields)
        if more:
            self._draft.keep(more)

    def _odd_block(self, block: Any) -> None:
        kind = block.get("type") if isinstance(block, dict) else None
        told = f"of type {kind[:40]!r}" if isinstance(kind, str) else f"that is a {type(block).__name__}"
        at = self._draft.at
        self._diagnostics.append(Diagnostic("skipped", f"A content block {told} was passed over.", at, at))

    def _say(self, key: str, text: str) -> None:
        end = self._draft.say(key, text)
        maker = ReasoningDelta if key in REASONING_KEYS else ContentDelta
        self._out.append(maker(self._last, end, text))
        self._last = end

    # --- calls ----------------------------------------------------------------------------------------------------

    def _known(self, entry: Entry) -> OpenCall | None:
        """The call that a piece belongs to, or None for a new one.

        Servers differ: some give no index, and some give every call of a turn the index 0.
        """
        if entry.place is not None:
            call = self._by_index.get(entry.place)
        elif entry.id is not None:
            call = self._by_id.get(entry.id)
        else:
            call = self._calls[-1] if self._calls and not entry.name else None
        if call is None or not entry.name:
            return call
        if entry.id is not None and call.id is not None and entry.id != call.id:
            return None
        return None if call.pieces and call.names and not call.is_named(entry.name) else call

    def _entry(self, entry: Entry, call: OpenCall | None, *, legacy: bool = False) -> None:
        if call is None:
            call = self._begin(entry, legacy)
        else:
            if call.id is None and call.finished is None:
                call.id = entry.id
            if entry.extra:
                call.extra = call.extra or {}
                call.extra.update(entry.extra)
        if call.id is not None:
            self._by_id.setdefault(call.id, call)
        if entry.name:
            again = (entry.arguments or entry.id or call.name is not None) and call.is_named(entry.name)
            if call.name is not None and not again:
                self._too_late(call, entry.name)
            elif not again:
                call.names.append(entry.name)
                call.name_length += len(entry.name)
                call.end = self._draft.add(call, entry.name)
        if entry.arguments:
            self._fragment(call, entry.arguments)

    def _begin(self, entry: Entry, legacy: bool) -> OpenCall:
        """A new call; the one before it is over, if its arguments are whole."""
        if self._calls:
            before = self._calls[-1]
            if self._live and before.names:
                self._start(before)
            if before.finished is None and (self._live or not self._held_back):
                raw = "".join(before.pieces)
                if raw and decode(raw)[1] is None:
                    self._finish(before)
            self._held_back = self._held_back or before.finished is None
        call = OpenCall(len(self._calls), self._draft.at, entry, legacy)
        self._calls.append(call)
        if legacy:
            self._legacy = call
        if entry.place is not None:
            self._by_index[entry.place] = call
        return call

    def _fragment(self, call: OpenCall, text: str) -> None:
        """More of a call's arguments."""
        draft = self._draft
        if call.finished is not None:
            self._too_late(call, text)
            return
        if self._live and not call.started and call.names:
            self._start(call)
        call.end = end = draft.add(call, text)
        call.pieces.append(text)
        if call.number != len(self._calls) - 1:
            call.crossed = True
        if call.started:
            self._out.append(ArgumentsDelta(self._last, end, call.number, text))
            self._last = end

    def _too_late(self, call: OpenCall, text: str) -> None:
        """Text for a call that has been announced or is over: it is kept in the reading text, and reported."""
        at = self._draft.at
        end = self._draft.add(call, text)
        call.late = (at if call.late is None else call.late[0], end)

    def _start(self, call: OpenCall) -> None:
        """Announce a call, with the arguments that came before its name."""
        if call.started or call.finished is not None:
            return
        call.started = True
        at = self._draft.at
        call.name = self._rules.name("".join(call.names), call.start, at, self._diagnostics)
        self._out.append(CallStart(self._last, at, call.number, call.id, call.name))
        if call.pieces:
            self._out.append(ArgumentsDelta(at, at, call.number, "".join(call.pieces)))
        self._last = at

    def _finish(self, call: OpenCall, *, last: bool = False, length: bool = False) -> None:
        rules, diagnostics = self._rules, self._diagnostics
        raw = "".join(call.pieces)
        if call.name is None:
            call.name = rules.name("".join(call.names), call.start, call.end, diagnostics)
        beyond = call.number >= rules.policies.max_calls
        if call.number == rules.policies.max_calls:
            note = f"There are more than {call.number} calls; the calls from here on can't run."
            diagnostics.append(Diagnostic("limit", note, call.start, call.end))
        call.finished = found = rules.call(
            call.name, raw, call.id, call.start, call.end, diagnostics,
            custom=call.custom, last=last, length=length, beyond=beyond,
        )  # fmt: skip
        dropped = found.status == "truncated" and rules.policies.truncated != "flag"
        if dropped and not call.started:
            return
        at, out = self._draft.at, self._out
        if not call.started:
            out.append(CallStart(self._last, at, call.number, call.id, call.name))
            if raw:
                out.append(ArgumentsDelta(at, at, call.number, raw))
            self._last = at
        out.append(CallEnd(self._last, at, call.number, found))
        self._last = at

    # --- the end --------------------------------------------------------------------------------------------------

    def _whole(self, length: bool) -> Reply:
        """The reply, now that everything has been read."""
        flagged = self._rules.policies.truncated == "flag"
        ended = [(x, x.finished) for x in self._calls if x.finished is not None]
        truncated = {x for x, call in ended if call.status == "truncated"}
        dropped = set[OpenCall]() if flagged else truncated
        kept = [x for x in self._calls if x not in dropped]
        draft, diagnostics = self._draft, self._diagnostics
        if length and not any(x.code == "truncated" for x in diagnostics):
            diagnostics.append(Diagnostic("truncated", "The message ends in the middle.", draft.at, draft.at))
        self._note_ids(kept)
        if draft.refusal:
            diagnostics.append(Diagnostic("refusal", "The model refused; its words are the content.", *draft.refused))
        if self._skipped_choices:
            note = f"{self._skipped_choices} more choices were passed over."
            diagnostics.append(Diagnostic("skipped", note, draft.at, draft.at))
        return Reply(
            "".join(draft.reasoning),
            "".join(draft.content),
            tuple(call for x, call in ended if x not in dropped),
            None,
            tuple(diagnostics),
            not (length or truncated),
            draft.parts(dropped),
            "".join(draft.text),
            draft.message(kept),
        )

    def _note_ids(self, kept: list[OpenCall]) -> None:
        """Report ids that will not pair calls with results, and arguments that came too late."""
        seen: set[str] = set()
        for call in kept:
            note = None
            if call.id is None and not call.legacy:
                note = "This call has no id; its result is paired by position."
            elif call.id in seen:
                note = f"Another call of this turn has the id {call.id[:80]!r} too." if call.id else None
            if note is not None:
                self._diagnostics.append(Diagnostic("id", note, call.start, call.end))
            if call.id is not None:
                seen.add(call.id)
            if call.late is not None:
                note = "This part of a call came after the call was announced or over, and was passed over."
                self._diagnostics.append(Diagnostic("skipped", note, *call.late))
