"""The four stages of a pipeline: what each is called with, and the one that a lect brings."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

from ._errors import LectError, ParseError, PromptError
from ._outputs import message_of, text_of
from ._parser import text_problem
from ._prompt import Prompted, as_messages, as_text
from ._text_lect import TextLect
from ._values import AgentAction, AgentFinish, AgentStep, ContentDelta, Event, Reply

if TYPE_CHECKING:
    from ._lect import Lect, Parser
    from ._policies import Policies
    from ._tools import Toolbox

Decision: TypeAlias = "list[AgentAction] | AgentFinish"
WHOLE = 1 << 30
"""A size of chunks that cuts nothing."""


class FormatScratchpad(Protocol):
    """The first stage: what was done so far, as text or as messages."""

    def __call__(self, steps: Sequence[AgentStep], /) -> Prompted:
        """``steps`` is empty on the first turn."""


class PromptStage(Protocol):
    """The second stage: what is sent to the model. A :class:`polylect.Prompt` is one."""

    def __call__(self, values: Mapping[str, Any], /) -> Prompted:
        """``values``: ``agent_scratchpad`` and the inputs; to a stage of your own also ``tools`` and ``tool_names``."""


@runtime_checkable
class Model(Protocol):
    """The third stage: any callable. It is given only those keywords that its signature has.

    Besides these it may take ``tool_choice`` (``"auto"``, ``"required"``, ``"none"`` or a tool's name), ``timeout``
    (seconds), and ``constraint`` (a :class:`polylect.constraint.Constraint` for the target that its attribute
    ``constraint_target`` names). It returns the model's text; or the provider's message (a dict or an SDK object); or
    either in chunks, and closes its connection when the iterator of these is closed. What it has as ``acall`` is called
    in its place where things are asynchronous. See ``docs/models.md``.
    """

    def __call__(self, prompt: Any, /, *, stop: Any = None, tools: Any = None) -> Any:
        """``prompt`` is text or a list of messages, ``stop`` a list of strings, ``tools`` a list in OpenAI form."""


class ParseStage(Protocol):
    """The fourth stage: what the agent does with the reply.

    It is given the text where the lect speaks text, else the message; and ``prefix``, if its signature has it: what the
    prompt already wrote of the model's turn.
    """

    def __call__(self, output: Any, /) -> Decision | AgentAction:
        """Raises ParseError when nothing can be done with the reply."""


class Reading(Protocol):
    """One reply that arrives in chunks."""

    @property
    def reply(self) -> Reply | None:
        """The reply, once it is over."""

    def feed(self, chunk: Any) -> list[Event]:
        """More of the reply -> what it made certain."""

    def whole(self, output: Any) -> list[Event]:
        """All of the reply at once, instead of chunks."""

    def close(self) -> list[Event]:
        """The reply is over -> the remaining events."""

    def decide(self) -> Decision:
        """What the agent does with it."""


class Probe:
    """Tells whether a reply begins with structure of its own, although the prompt had begun it (``Thought:Action: …``).

    It reads the reply as if the prompt had not, up to the first event.
    """

    def __init__(self, lect: Lect) -> None:
        self._parser = lect.parser()
        self._blank = True

    def feed(self, text: str) -> bool | None:
        """The answer, or None as long as it is not certain."""
        events = self._parser.feed(text)
        self._blank = self._blank and not text.strip()
        return not isinstance(events[0], ContentDelta) if events else None

    def close(self) -> bool:
        """The answer, now that the reply is over."""
        try:
            events = self._parser.close()
        except ParseError:  # only structure can break a rule
            return True
        return not self._blank and not isinstance(events[0], ContentDelta)


def begins_anew(lect: Lect, text: str) -> bool:
    """What :class:`Probe` says of a whole reply."""
    if _is_content(lect, text):
        return False
    try:
        return _anew(lect.parse(text), text)
    except ParseError:
        return True


def _is_content(lect: Lect, text: str) -> bool:
    return isinstance(lect, TextLect) and lect.grammar.begins_with_content(text, lect.lead)


def _anew(reply: Reply, text: str) -> bool:
    return bool(text.strip()) and not (reply.parts and reply.parts[0][0] == "content")


class FormatSteps:
    """The lect's scratchpad, as the prompt goes on.

    Models often write again what the prompt had written for them, or leave it out. Behind a ``cue`` (``"Thought:"``) in
    the prompt, the same cue does then not come twice, and other structure is put on a line of its own.
    """

    def __init__(self, lect: Lect, policies: dict[str, Any], cue: str = "", tools: Toolbox | None = None) -> None:
        self._lect, self._policies, self._cue = lect, policies, cue
        # a lect of a stranger's may not know the keyword
        known = tools is not None and "tools" in inspect.signature(lect.format_steps).parameters
        self._tools: dict[str, Any] = {"tools": tools} if known else {}

    def __call__(self, steps: Sequence[AgentStep], /) -> Prompted:
        """The steps as :meth:`polylect.Lect.format_steps` writes them."""
        found: Prompted = self._lect.format_steps(steps, **self._tools, **self._policies)
        return self.continued(found) if self._cue and steps and isinstance(found, str) else found

    def continued(self, text: str) -> str:
        """A text of the tongue as it goes on behind the cue."""
        end = text.find(self._lect.observation_prefix) if isinstance(self._lect, TextLect) else -1
        if not begins_anew(self._lect, text if end < 0 else text[:end]):
            return text
        body = text.lstrip()
        if body[: len(self._cue)].casefold() == self._cue.casefold():
            return body[len(self._cue) :]
        return text if text.startswith(("\n", "\r\n")) else f"\n{text}"

    def __repr__(self) -> str:
        return f"{self._lect.name}: format_steps -> {'messages' if self._lect.messages else 'text'}"


class Guard:
    """Makes the caller's values harmless: no text in them is structure in the lect. By the policy ``escape``."""

    def __init__(self, lect: Lect, policies: Policies) -> None:
        escape = getattr(lect, "escape", None)
        self._escape = None if lect.messages or policies.escape == "raw" else escape
        self._refuse, self._name = policies.escape == "error", lect.name
        self._known: tuple[str | None, str] = (None, "")
        """The last text and what became of it: a run's question comes again with every turn."""

    def value(self, name: str, value: Any, *, as_list: bool) -> Any:
        """One input: as text, or as messages whose texts are not the model's own.

        Raises:
            LectError: it holds markers, and the policy is ``error``.
        """
        if self._escape is None or value is None:
            return value
        if not as_list:
            return self._text(name, as_text(value, name))
        return [
            {**message, "content": self._text(name, message["content"])}
            if message["role"] not in ("assistant", "system", "developer") and isinstance(message.get("content"), str)
            else message
            for message in as_messages(value, f"{{{name}}}")
        ]

    def _text(self, name: str, text: str) -> str:
        assert self._escape is not None
        if self._known[0] == text:
            return self._known[1]
        escaped: str = self._escape(text)
        if self._refuse and escaped != text:
            raise LectError(f"The input {name!r} holds markers of {self._name}: {text[:80]!r}.")
        self._known = text, escaped
        return escaped


class ReadReply:
    """The lect's parse stage: ``parse`` and ``decide``, with the pipeline's tools and policies."""

    def __init__(self, lect: Lect, tools: Toolbox | None, policies: dict[str, Any]) -> None:
        self.lect, self.tools, self.policies = lect, tools, policies

    def __call__(self, output: Any, /, *, prefix: str = "") -> Decision:
        """What the agent does with a whole reply."""
        return self.lect.decide(self.read(output, prefix), **self.policies)

    def read(self, output: Any, prefix: str = "") -> Reply:
        """A whole reply."""
        lect = self.lect
        if lect.messages:
            return lect.parse(message_of(output), tools=self.tools, **self.policies)
        text, reason = text_of(output)
        reason = reason or "stop"
        if prefix and isinstance(text, str) and not _is_content(lect, text):
            try:
                alone = lect.parse(text, tools=self.tools, finish_reason=reason, **self.policies)
            except ParseError:
                if begins_anew(lect, text):
                    raise
            else:
                if _anew(alone, text):
                    return alone
        return lect.parse(text, tools=self.tools, prefix=prefix, finish_reason=reason, **self.policies)

    def decided(self, reply: Reply) -> Decision:
        """What the agent does with a reply."""
        return self.lect.decide(reply, **self.policies)

    def parser(self, prefix: str) -> Parser:
        """The lect's own parser of chunks."""
        return self.lect.parser(tools=self.tools, prefix=prefix, **self.policies)

    def reading(self, prefix: str) -> Reading:
        """A reading of one reply that arrives in chunks."""
        return LectReading(self, prefix)

    def __repr__(self) -> str:
        return f"{self.lect.name}: parse, decide"


class ReadAnswer(ReadReply):
    """The parse stage for a reply that must be an answer; its prefix is the beginning of that answer.

    A prefix in the usual sense stands before the parts of a message. This one is put in front of the text, so that the
    model may go on with it, and so that any text is an answer.
    """

    def __init__(self, lect: Lect, tools: Toolbox | None, policies: dict[str, Any]) -> None:
        super().__init__(lect, tools, {**policies, "text": "final", "both": "final"})

    def read(self, output: Any, prefix: str = "") -> Reply:
        """A whole reply."""
        text = None if self.lect.messages else text_of(output)[0]
        if prefix and isinstance(text, str) and not begins_anew(self.lect, text):
            return super().read(f"{prefix}{text}")
        return super().read(output)

    def reading(self, prefix: str) -> Reading:
        """A reading of one reply that arrives in chunks."""
        return AnswerReading(self, prefix)


class LectReading:
    """A reply in chunks, read by a lect."""

    def __init__(self, stage: ReadReply, prefix: str) -> None:
        self._stage, self._prefix = stage, prefix
        self._reason = "stop"
        self._held: list[str] = []
        self._probe = Probe(stage.lect) if prefix else None
        self._parser = None if prefix else stage.parser("")
        self.reply: Reply | None = None

    def feed(self, chunk: Any) -> list[Event]:
        """More of the reply."""
        if self._stage.lect.messages and self._parser is not None:
            return self._parser.feed({"content": chunk} if isinstance(chunk, str) else chunk)
        text, reason = text_of(chunk)
        self._reason = reason or self._reason
        if text == "":
            return []
        if self._parser is not None:
            return self._parser.feed(text)
        assert self._probe is not None
        anew = self._probe.feed(text)
        self._held.append(text)
        return [] if anew is None else self._begin(anew)

    def whole(self, output: Any) -> list[Event]:
        """All of the reply."""
        lect = self._stage.lect
        if not lect.messages:
            return self.feed(output)
        self._reason = text_of(output)[1] or "stop"
        return [event for chunk in lect.chunks(message_of(output), (WHOLE,)) for event in self.feed(chunk)]

    def _begin(self, anew: bool) -> list[Event]:
        self._parser = self._opened("" if anew else self._prefix)
        return self._parser.feed("".join(self._held))

    def _opened(self, prefix: str) -> Parser:
        return self._stage.parser(prefix)

    def close(self) -> list[Event]:
        """The reply is over."""
        events = [] if self._probe is None or self._parser is not None else self._begin(self._probe.close())
        assert self._parser is not None
        events += self._parser.close(self._reason)
        self.reply = self._parser.reply
        return events

    def decide(self) -> Decision:
        """What the agent does with it, by the lect."""
        assert self.reply is not None
        return self._stage.lect.decide(self.reply, **self._stage.policies)


class AnswerReading(LectReading):
    """A reply in chunks behind the beginning of an answer."""

    def _opened(self, prefix: str) -> Parser:
        parser = self._stage.parser("")
        if prefix:
            parser.feed(prefix)
        return parser


class OwnParse:
    """A parse stage of the caller's, with its result checked."""

    def __init__(self, lect: Lect, parse: Any, *, takes_prefix: bool) -> None:
        self.lect, self.function, self._takes_prefix = lect, parse, takes_prefix

    def __call__(self, output: Any, /, *, prefix: str = "") -> Decision:
        """What the caller's function makes of a whole reply.

        Raises:
            PromptError: it made something that is no decision.
            ParseError: there is no text where there should be some.
        """
        given = message_of(output) if self.lect.messages else text_problem(text_of(output)[0])
        found = self.function(given, prefix=prefix) if self._takes_prefix else self.function(given)
        if isinstance(found, AgentAction):
            return [found]
        if isinstance(found, AgentFinish):
            return found
        if isinstance(found, (list, tuple)) and found and all(isinstance(x, AgentAction) for x in found):
            return list(found)
        raise PromptError(f"The parse stage gives a list of actions, at least one, or a finish, not {found!r:.80}.")

    def reading(self, prefix: str) -> Reading:
        """A reading that collects the chunks."""
        return OwnReading(self, prefix)


class OwnReading:
    """A reply in chunks for a parse stage of the caller's: all text is content; messages are put together."""

    def __init__(self, stage: OwnParse, prefix: str) -> None:
        self._stage, self._prefix = stage, prefix
        self._parser = stage.lect.parser() if stage.lect.messages else None
        self._pieces: list[str] = []
        self._at = 0
        self.reply: Reply | None = None

    def feed(self, chunk: Any) -> list[Event]:
        """More of the reply."""
        if self._parser is not None:
            return self._parser.feed({"content": chunk} if isinstance(chunk, str) else chunk)
        text = text_problem(text_of(chunk)[0])
        start, self._at = self._at, self._at + len(text)
        self._pieces.append(text)
        return [ContentDelta(start, self._at, text)] if text else []

    def whole(self, output: Any) -> list[Event]:
        """All of the reply."""
        if self._parser is None:
            return self.feed(output)
        chunks = self._stage.lect.chunks(message_of(output), (WHOLE,))
        return [event for chunk in chunks for event in self.feed(chunk)]

    def close(self) -> list[Event]:
        """The reply is over."""
        if self._parser is None:
            return []
        events = self._parser.close()
        self.reply = self._parser.reply
        return events

    def decide(self) -> Decision:
        """What the caller's function makes of all of it."""
        if self.reply is None:
            return self._stage("".join(self._pieces), prefix=self._prefix)
        return self._stage(self.reply.message or {"role": "assistant", "content": self.reply.content})
