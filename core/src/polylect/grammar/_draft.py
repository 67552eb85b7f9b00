"""The call that is being read, and the calls that were."""

from __future__ import annotations

from json.encoder import encode_basestring as quote_json
from typing import Any, Protocol

import msgspec

from .._json import dumps
from .._values import AnswerDelta, ArgumentsDelta, Call, CallEnd, CallStart, Diagnostic, Part
from ._cursor import Cursor
from ._quoting import inside
from ._strings import unescape

MISSING: Any = object()
"""No decoded value yet: the sink decodes the raw text."""

NO_ARGUMENTS, TEXT, JSON, MEMBERS = range(4)
"""The forms of a call's arguments: none seen, raw text, JSON text, key and value pairs."""

CUT_LIST = "Your message was cut off in the middle of a list of calls, so none of them ran. Send them again, shorter."
CLOSED, OPEN, CUT, BROKEN = range(4)
"""How a call ended: by its marker, by the end of the message, cut short, or with a payload that is not one."""


class Sink(Protocol):
    """What a lect does with the pieces that the engine reads. Stateless: diagnostics go to the list that is passed."""

    bare: bool
    """Whether no tools are known, so that an identifier is a name as it stands."""
    live: bool
    """Whether argument text is emitted as it comes."""
    keep_cut: bool
    """Whether a call that was cut stays in the reply."""
    cut_observations: bool
    """Whether the reply ends where the model invents an observation."""
    separators: tuple[str, str]
    """What joins reasoning, and content, that starts again after something else."""
    stops: tuple[str, ...]
    max_calls: int
    answer_names: frozenset[str]
    """Names of "calls" that are the final answer; empty when there are none."""
    plain: Any
    """``match`` for raw text that is its own meaning as an input; None when inputs need a closer look."""
    names_ids: bool
    """Whether a call's name and its id are one text."""
    converts: bool
    """Whether arguments in a notation of the tongue's own become JSON text; they are held until then."""
    list_end: str
    """The character that ends a list of calls, none of which counts before; empty where each counts for itself."""
    mends: bool
    """Whether a malformed payload may be mended, so that it is followed to its end, whatever stands in it."""
    strict: bool
    """Whether text within a call that fits nowhere makes it invalid."""
    types: bool
    """Whether the values of members have types; else they are texts."""
    empty: str
    """The arguments' text of a call without any."""

    def name_id(self, raw: str) -> tuple[str, str | None]:
        """The name and the id in a text that is both."""

    def key(self, raw: str) -> str:
        """The key of a member as it is meant."""

    def is_text(self, name: str, key: str, kind: str | None) -> bool:
        """Whether a member's value is its text, whatever that is, so that it need not be waited for."""

    def member(
        self, name: str, key: str, kind: str | None, text: str, start: int, end: int, diagnostics: list[Diagnostic]
    ) -> Any:
        """The value of a member that is no mere text."""

    def name(self, raw: str, start: int, end: int, diagnostics: list[Diagnostic]) -> str:
        """The tool's name as the model spelt it -> the name to use."""

    def is_answer(self, name: str) -> bool:
        """Whether a "call" of this name is the final answer."""

    def call(
        self,
        name: str,
        form: int,
        raw: str,
        value: Any,
        call_id: str | None,
        start: int,
        end: int,
        ending: int,
        diagnostics: list[Diagnostic],
    ) -> Call:
        """The finished call."""

    def broken(self, raw: str, start: int, end: int, diagnostics: list[Diagnostic]) -> tuple[str, str, Any] | None:
        """(name, raw arguments, arguments) recovered from the text of a malformed call object, or None."""

    def answer(self, form: int, raw: str, value: Any) -> Any:
        """The final answer that a call of an answer's name carries; MISSING if it can't be read."""


def converted(call: Call) -> Call:
    """A call whose arguments were text in the tongue's own notation, with their JSON as what was written."""
    if call.status == "truncated":  # half of that text is no part of any JSON
        return msgspec.structs.replace(call, raw="")
    if not isinstance(call.arguments, dict):
        return call
    return msgspec.structs.replace(call, raw=dumps(call.arguments))


class Draft:
    """The calls of one reply, and the one being read."""

    index = 0
    start = 0
    form = NO_ARGUMENTS
    open = named = started = is_answer = is_broken = second = has_answer = False
    name: str | None = None
    id: str | None = None
    arguments = (0, 0)
    members: dict[str, Any] | None = None
    waiting: list[tuple[int, bool, Call]] | None = None
    """Calls of a list that is not over: their numbers, whether they were announced, and what they will be."""
    raw: str | None = None
    value: Any = MISSING
    # Most messages need few of these lists, and a parser that waits for its message should be small.
    answers: list[tuple[Any, str]] | None = None
    """Each with its text as it was streamed."""
    held: list[str] | None = None
    streamed: list[str] | None = None
    member_raw: list[str] | None = None
    key: str | None = None
    """The key of a member whose value has not ended yet."""
    kind: str | None = None
    """What the tongue itself says of the type of that value."""
    verbatim = True
    """Whether that value is its text."""
    markup = False
    """Whether what follows the payload begins with ``<``, which ends one that has lost its last bracket."""

    def __init__(self, cursor: Cursor, sink: Sink) -> None:
        self.cursor, self.sink = cursor, sink
        self.calls: list[Call] = []
        self.parts: list[Part] = []
        self.diagnostics: list[Diagnostic] = []

    def begin(self, start: int) -> None:
        """A call begins at ``start``."""
        if self.named or self.form or self.id is not None:  # an earlier call left its traces
            self.name = self.id = self.members = None
            self.named = self.started = self.is_answer = self.is_broken = False
            self.form = NO_ARGUMENTS
            self.raw, self.value = None, MISSING
            self.held = self.streamed = self.member_raw = self.key = self.kind = None
        self.open = True
        self.start = start
        self.arguments = (start, start)
        cursor = self.cursor
        cursor.mark = (cursor.c, cursor.base, len(cursor.seen))

    def set_name(self, raw: str, start: int, end: int) -> None:
        """The name has been read: announce the call, or turn it into the answer."""
        if end < 0:
            end = 0
        sink = self.sink
        if sink.names_ids:
            raw, told = sink.name_id(raw)
            self.id = self.id if told is None else told
        plain = sink.bare and raw.isidentifier()
        self.name = name = raw if plain else sink.name(raw, start, end, self.diagnostics)
        self.named = True
        if sink.answer_names and sink.is_answer(name):
            self.is_answer = True
            self.second = self.has_answer
        elif sink.live:
            cursor = self.cursor
            self.started = True
            cursor.out.append(CallStart(cursor.last, end, self.index, self.id, name))
            cursor.last = end
            if self.held:  # arguments that came before the name
                cursor.out.append(ArgumentsDelta(end, end, self.index, "".join(self.held)))
                self.held = None

    def begin_value(self) -> str:
        """A member's value begins: what of its JSON text is known by now."""
        sink = self.sink
        self.verbatim = not sink.types or sink.is_text(self.name or "", self.key or "", self.kind)
        return f'{self._before()}"' if self.verbatim else ""

    def _before(self) -> str:
        """The JSON text before a member's value."""
        return f"{', ' if self.members else '{'}{quote_json(self.key or '')}: "

    def member(self, text: str, end: int) -> None:
        """More JSON text of arguments that come as keys and values."""
        if end < 0:
            end = 0
        if self.member_raw is None:
            self.member_raw = []
        self.member_raw.append(text)
        cursor = self.cursor
        if self.started and self.sink.live:
            cursor.out.append(ArgumentsDelta(cursor.last, end, self.index, text))
            cursor.last = end
        else:
            self.hold(text)

    def more(self, begun: str, text: str, end: int) -> None:
        """More text of a member's value that is its text; ``begun`` is JSON text before it."""
        self.member(begun + inside(text), end)

    def end_member(self, text: str, begin: int, end: int) -> None:
        """The value of the member, which stood between the two positions, is over."""
        value: Any = text
        key = self.key or ""
        if self.verbatim:
            self.member('"', end)
        else:
            value = self.sink.member(self.name or "", key, self.kind, text, begin, end, self.diagnostics)
            if value is MISSING:
                self.break_off()
                return
            self.member(self._before() + dumps(value), end)
        if self.members is None:
            self.members = {}
        self.form = MEMBERS
        self.members[key] = value
        self.key = self.kind = None

    def spread_members(self, text: str, begin: int, end: int) -> None:
        """The members of an object that stands between the two positions, in the tongue's notation, are members."""
        values = self.sink.member(self.name or "", "**", "value", text, begin, end, self.diagnostics)
        if not isinstance(values, dict):
            self.break_off()
            return
        for key, value in values.items():
            self.form = MEMBERS
            self.members = self.members or {}
            self.key = key
            self.member(self._before() + dumps(value), end)
            self.members[key] = value
        self.key = None

    def break_off(self) -> None:
        """The call's payload is none."""
        self.is_broken = True
        self.key = self.kind = None

    def break_object(self, start: int, end: int) -> None:
        """The call's object is none; all of it counts where it is not known whose it is, and where it may be mended."""
        if not self.started and (not self.named or self.sink.mends):
            self.form = JSON
            self.arguments = (start, end)

    def key_without_value(self, end: int) -> None:
        """A key is over, or the call, and nothing came behind the last key: its value is empty."""
        if self.key is not None:
            begun = self.begin_value()
            if begun:
                self.member(begun, end)
            self.end_member("", end, end)

    def hold(self, text: str) -> None:
        """Keep part of the arguments for later."""
        if self.held is None:
            self.held = []
        self.held.append(text)

    def finish(self, end: int, ending: int) -> None:
        """The call is over at ``end``."""
        if end < 0:  # in the prompt
            end = 0
        self.open = False
        if self.is_answer and (self.form or self.is_broken):
            self._finish_answer(end, ending)
            return
        cursor, sink = self.cursor, self.sink
        if ending < CUT:
            self.key_without_value(end)
            if self.member_raw and not self.is_broken:
                self.member("}", end)
            elif self.form == NO_ARGUMENTS and sink.empty and not self.is_broken:
                self.form, self.members = MEMBERS, {}
                self.member(sink.empty, end)
        call = self._call(end, ending)
        if len(self.calls) + len(self.waiting or ()) >= sink.max_calls and call.status != "truncated":
            error = f"Your message has more than {sink.max_calls} calls. Send fewer at a time."
            self.note("limit", error, call.start, end)
            call = msgspec.structs.replace(call, arguments=None, status="invalid", error=error)
        if self.started and sink.converts and self.form == TEXT and call.raw and call.status != "truncated":
            cursor.out.append(ArgumentsDelta(cursor.last, end, self.index, call.raw))
            cursor.last = end
        if sink.list_end and ending == CLOSED and cursor.c[end - cursor.base - 1] != sink.list_end:
            if self.waiting is None:
                self.waiting = []
            self.waiting.append((self.index, self.started, call))
            self.index += 1
            return
        self.settle(end, cut=ending == CUT)
        self._told(self.index, self.started, call, end)
        self.index += 1

    def settle(self, end: int, *, cut: bool) -> None:
        """The calls that wait for the end of their list are over, as it is; or cut, as it is."""
        for index, started, call in self.waiting or ():
            if cut:
                call = msgspec.structs.replace(call, arguments=None, status="truncated", error=CUT_LIST)
            self._told(index, started, call, end)
        self.waiting = None

    def _told(self, index: int, started: bool, call: Call, end: int) -> None:
        """Tell what a call came to, and keep it."""
        out, last = self.cursor.out, self.cursor.last
        is_cut = call.status == "truncated" and not self.sink.keep_cut
        if is_cut and not started:
            return
        if not started:
            out.append(CallStart(last, end, index, call.id, call.name))
            last = end
            if call.raw:
                out.append(ArgumentsDelta(end, end, index, call.raw))
        out.append(CallEnd(last, end, index, call))
        self.cursor.last = end
        if not is_cut:
            self.calls.append(call)
            self.parts.append(("call", call.start, call.end))

    def _call(self, end: int, ending: int) -> Call:
        start = self.start if self.start > 0 else 0
        if ending != CLOSED:
            self.cursor.end()
        if self.is_broken and ending != CUT:
            ending = BROKEN
            if self.form == JSON and not self.started:
                found = self.sink.broken(self.cursor.slice(*self.arguments), *self.arguments, self.diagnostics)
                if found is not None:
                    self.name = self.sink.name(found[0], start, end, self.diagnostics)
                    self.held = [found[1]]
                    call = self.sink.call(self.name, JSON, *found[1:], self.id, start, end, CLOSED, self.diagnostics)
                    return msgspec.structs.replace(call, status="repaired") if call.status == "complete" else call
        if self.members is not None:
            raw, form, value = "".join(self.member_raw or ()), MEMBERS, self.members
        else:
            raw = self.cursor.slice(*self.arguments) if self.raw is None else self.raw
            form, value = self.form, self.value
        sink, name = self.sink, self.name or ""
        if form == TEXT and name and ending < CUT and sink.plain is not None and sink.plain(raw) is not None:
            return Call(name, raw, raw, self.id, start, end)
        call = sink.call(name, form, raw, value, self.id, start, end, ending, self.diagnostics)
        return converted(call) if sink.converts and form == TEXT else call

    def begin_answer(self, start: int) -> None:
        """An answer that is no call begins."""
        self.second = self.has_answer
        self.start, self.streamed = start, None
        self._answered("", "")
        start = start if start > 0 else 0
        self.parts.append(("answer", start, start))

    def end_answer(self, text: str, end: int) -> None:
        """The answer that is no call is ``text``, up to ``end``."""
        assert self.answers is not None
        self.answers[-1] = text, text
        self.has_answer = self.has_answer or bool(text)
        self.parts[-1] = ("answer", self.parts[-1][1], end if end > 0 else 0)

    def answer_delta(self, text: str, end: int) -> None:
        """Emit more of the final answer; a second answer goes on a line of its own."""
        if end < 0:
            end = 0
        if self.streamed is None:
            self.streamed = []
        self.streamed.append(text)
        if self.second:
            self.second = False
            text = "\n" + text
        cursor = self.cursor
        cursor.out.append(AnswerDelta(cursor.last, end, text))
        cursor.last = end

    def _finish_answer(self, end: int, ending: int) -> None:
        raw = self.cursor.slice(*self.arguments) if self.raw is None else self.raw
        value = self.sink.answer(self.form, raw, self.value)
        shown = "".join(self.streamed or ())
        if self.is_broken or (self.form == JSON and (ending == CUT or value is MISSING)):
            value = shown or (unescape(raw[1:].removesuffix('"')) if raw[:1] == '"' else raw)
            cut = ending == CUT
            self.note("truncated" if cut else "invalid_answer", "The final answer is not whole.", self.start, end)
        if isinstance(value, str) and value.startswith(shown) and len(value) > len(shown):
            self.answer_delta(value[len(shown) :], end)
        self._answered(value, value if isinstance(value, str) else raw)
        self.has_answer = self.has_answer or (value != "" and value is not None)
        self.parts.append(("answer", self.start if self.start > 0 else 0, end))

    def _answered(self, value: Any, text: str) -> None:
        if self.answers is None:
            self.answers = []
        self.answers.append((value, text))

    def final_answer(self) -> Any:
        """The reply's answer: the only one, or the lines of several."""
        answers = [(value, text) for value, text in self.answers or () if value is not None]
        if len(answers) > 1:
            answers = [(value, text) for value, text in answers if value != ""] or [("", "")]
        if len(answers) < 2:
            return answers[0][0] if answers else None
        return "\n".join(text for _, text in answers)

    def note(self, code: str, message: str, start: int, end: int) -> None:
        """Report something about the text between two positions."""
        self.diagnostics.append(Diagnostic(code, message, max(start, 0), max(end, 0)))
