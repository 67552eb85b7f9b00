"""The values that travel through polylect: what a model said, what the agent does about it, and the events between.

All are frozen ``msgspec`` structs: cheap to make, typed, and with one stable JSON form. Every value writes itself with
``to_json()`` and reads itself with ``from_json()``; the key ``"type"`` names the class.

Positions are half-open ``(start, end)`` character offsets into the text that was parsed. Two replies (or calls) are
equal when they *say* the same: positions, diagnostics, ids and the spelling of the arguments (``raw``) do not count.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, Self, TypeAlias

import msgspec

from ._json import decode_json, encode_json

Span: TypeAlias = tuple[int, int]
"""Half-open character offsets, ``(start, end)``."""
Status: TypeAlias = Literal["complete", "repaired", "invalid", "truncated"]
Role: TypeAlias = Literal["reasoning", "content", "call", "answer", "observation"]
Part: TypeAlias = tuple[Role, int, int]
"""A piece of a reply: its role, and where it stands."""

RUNNABLE: frozenset[str] = frozenset({"complete", "repaired"})
"""The only statuses whose calls may ever run."""


class Value(msgspec.Struct, frozen=True, tag=True, tag_field="type"):
    """What all values share: a JSON form, tagged by class under the key ``"type"``."""

    def to_json(self) -> str:
        """This value as JSON text. Lone surrogates are written as escapes; other objects as their ``str``."""
        return encode_json(self)

    @classmethod
    def from_json(cls, data: str | bytes) -> Self:
        """Read a value of this class from the JSON text that ``to_json`` wrote.

        Raises:
            ValueError: the text is not JSON, or is the JSON of another class (the path of the fault is at the end).
        """
        return decode_json(data, cls)


class AgentAction(Value, frozen=True):
    """The agent wants one tool to be run.

    ``log`` is the part of the model's text that asked for it. ``id`` pairs the call with its result where the tongue
    has ids, ``index`` is the position among the actions of one turn, and ``message`` is the provider's message that
    the action came from, in tongues that speak messages.

    An action whose ``tool`` is :data:`EXCEPTION_TOOL` is a call that must not run: its ``tool_input`` is the
    sentence to send back to the model as the observation.
    """

    tool: str
    tool_input: str | dict[str, Any]
    log: str = ""
    id: str | None = None
    index: int = 0
    message: dict[str, Any] | None = None


class AgentFinish(Value, frozen=True):
    """The agent is done. ``return_values["output"]`` is the answer; ``log`` is the model's text."""

    return_values: dict[str, Any]
    log: str = ""


class AgentStep(Value, frozen=True):
    """An action with what its tool returned: text, or any JSON-like value. ``action, observation = step`` works too."""

    action: AgentAction
    observation: Any

    def __iter__(self) -> Iterator[Any]:
        return iter((self.action, self.observation))


EXCEPTION_TOOL = "_Exception"
"""The name of the tool that echoes a correction to the model (the name LangChain gave it)."""


class Diagnostic(Value, frozen=True, gc=False):
    """Something in a reply that a developer should know: a repair, a cut, text that belonged nowhere.

    ``code`` is one of a fixed list (see ``docs/policies.md``), ``message`` one sentence, the span where it is.
    """

    code: str
    message: str
    start: int = 0
    end: int = 0

    @property
    def span(self) -> Span:
        """Half-open character offsets into the parsed text."""
        return self.start, self.end


class Call(Value, frozen=True, gc=False, eq=False):
    """One tool call of a reply.

    ``arguments`` is a dict, or text where the tongue has text, or None where they could not be read. ``raw`` is the
    arguments as the model spelt them, and where they come as keys and values, their JSON. Only calls whose ``status``
    is ``"complete"`` or ``"repaired"`` may run (:attr:`runnable`); for the others ``error`` is the sentence that tells
    the model what to correct.
    """

    name: str
    arguments: dict[str, Any] | str | None = None
    raw: str = ""
    id: str | None = None
    start: int = 0
    end: int = 0
    status: Status = "complete"
    error: str | None = None

    @property
    def span(self) -> Span:
        """From the first character of the call's opening marker to the last of its closing one."""
        return self.start, self.end

    @property
    def runnable(self) -> bool:
        """Whether an executor may run this call."""
        return self.status in RUNNABLE

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Call):
            return NotImplemented
        return (self.name, self.arguments, self.status) == (other.name, other.arguments, other.status)

    def __ne__(self, other: object) -> bool:  # msgspec's own knows nothing of the above
        return not self == other

    def __hash__(self) -> int:
        return hash((self.name, self.status))


class _Spelt:
    """A field whose text may still have to be written."""

    def __init__(self, field: Any) -> None:
        self._get = field.__get__

    def __get__(self, value: object, owner: type) -> Any:
        if value is None:
            return self
        text = self._get(value)
        return text if text.__class__ is str else text.value


type.__setattr__(Call, "raw", _Spelt(Call.raw))


class Reply(Value, frozen=True, gc=False, eq=False):
    """One model message, parsed.

    ``reasoning`` and ``content`` are verbatim, ``""`` when there are none. ``answer`` is the final answer in tongues
    that mark it (text, or a JSON value where the tongue carries JSON), else None. ``parts`` lists every piece in the
    order of the text as ``(role, start, end)``; ``text`` is the text itself (for tongues of messages: the reasoning,
    content and calls in the order they were read). ``complete`` is False when the message was cut short.
    """

    reasoning: str = ""
    content: str = ""
    calls: tuple[Call, ...] = ()
    answer: Any = None
    diagnostics: tuple[Diagnostic, ...] = ()
    complete: bool = True
    parts: tuple[Part, ...] = ()
    text: str = ""
    message: dict[str, Any] | None = None

    def spans(self, role: Role) -> tuple[Span, ...]:
        """Where the pieces of one role stand in ``text``."""
        return tuple((start, end) for name, start, end in self.parts if name == role)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Reply):
            return NotImplemented
        return (self.reasoning, self.content, self.answer, self.complete, self.calls) == (
            other.reasoning,
            other.content,
            other.answer,
            other.complete,
            other.calls,
        )

    def __ne__(self, other: object) -> bool:  # msgspec's own knows nothing of the above
        return not self == other

    def __hash__(self) -> int:
        return hash((self.reasoning, self.content, self.calls))


class Event(Value, frozen=True, gc=False):
    """What a parser emits while it reads. The spans of all events of a reply tile its text.

    A delta's text stands at the end of its span; what comes before it in the span is markup.
    """

    start: int
    end: int

    @property
    def span(self) -> Span:
        """Half-open character offsets into the parsed text."""
        return self.start, self.end


class ReasoningDelta(Event, frozen=True, gc=False):
    """More of the model's reasoning."""

    text: str


class ContentDelta(Event, frozen=True, gc=False):
    """More text for the reader."""

    text: str


class AnswerDelta(Event, frozen=True, gc=False):
    """More of the final answer."""

    text: str


class CallStart(Event, frozen=True, gc=False):
    """A call begins: its number in the reply, its id if the tongue gives one first, its name."""

    index: int
    id: str | None
    name: str


class ArgumentsDelta(Event, frozen=True, gc=False):
    """More of the arguments of call ``index``, as the model spells them; joined, they are ``call.raw``."""

    index: int
    text: str


class CallEnd(Event, frozen=True, gc=False):
    """Call ``index`` is over; ``call.status`` says whether it may run."""

    index: int
    call: Call


class ReplyEnd(Event, frozen=True, gc=False):
    """The message is over."""

    reply: Reply
