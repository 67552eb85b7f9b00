"""The Lect protocol: one agent format, read and written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

from ._checks import check_reply, checked_sizes, only_text
from ._decide import decide
from ._errors import ConstraintError, LectError
from ._policies import Policies
from ._prompt import Prompt, default_prompt
from ._tools import ToolLike, Tools
from ._values import AgentAction, AgentFinish, AgentStep, Event, Reply

if TYPE_CHECKING:
    from .constraint import Constraint

Features = frozenset[str]
FEATURES = frozenset(
    {
        "reasoning",
        "content",
        "calls",
        "several_calls",
        "answer",
        "json_answer",
        "text_input",
        "object_input",
        "ids",
        "content_with_answer",
        "content_with_calls",
    }
)
"""What a lect's formatter may be able to express; see ``docs/writing-a-lect.md``."""


@runtime_checkable
class Parser(Protocol):
    """Reads one message in chunks."""

    @property
    def reply(self) -> Reply:
        """The reply; LectError before ``close``."""

    def feed(self, chunk: Any) -> list[Event]:
        """More of the message -> the events that it made certain."""

    def close(self, finish_reason: str | None = "stop") -> list[Event]:
        """The message is over -> the remaining events, a ReplyEnd last. ``"length"``, ``"max_tokens"``: it was cut."""


class Lect:
    """One tongue. Subclass :class:`polylect.TextLect` for a tongue of text; this is what all tongues have.

    Attributes:
        name: as ``polylect.lect(name)`` finds it: lower case, digits and underscores.
        title: a few words for people.
        family: the distribution's short name.
        aliases: other names.
        models: how the names of the models begin that speak it, such as ``"Qwen3-Coder"``.
        stops: strings at which a server should stop the model.
        policies: this lect's defaults.
        features: what ``format`` can express, a subset of :data:`FEATURES`.
        messages: True when the tongue speaks a provider's messages (dicts) and not text.
        examples: well-formed messages, for the law kit and the documentation.
        hint: one sentence that reminds the model of the format; the end of most corrections.
        answer_cue: how a final answer begins in this tongue; an agent that must come to an end writes it for the model.
    """

    name: ClassVar[str] = ""
    title: ClassVar[str] = ""
    family: ClassVar[str] = ""
    aliases: ClassVar[tuple[str, ...]] = ()
    models: ClassVar[tuple[str, ...]] = ()
    stops: tuple[str, ...] = ()
    policies: Policies = Policies()
    features: Features = FEATURES
    messages: ClassVar[bool] = False
    examples: ClassVar[tuple[Any, ...]] = ()
    hint: str = ""
    answer_cue: str = ""

    def __init_subclass__(cls, **options: Any) -> None:
        """A subclass with a name of its own has no part in its parent's other names."""
        super().__init_subclass__(**options)
        if "name" in cls.__dict__ and "aliases" not in cls.__dict__:
            cls.aliases = ()
        if "name" in cls.__dict__ and "models" not in cls.__dict__:
            cls.models = ()

    @cached_property
    def prompt(self) -> Prompt:
        """The prompt that teaches a model this tongue: a plain one with the ``hint``, where a lect has none of its own.

        Its variables are ``input`` and ``agent_scratchpad``; in tongues of text ``tools``, and ``tool_names`` where the
        prompt needs them; in tongues of messages ``chat_history``. A subclass sets ``prompt = Prompt(…)``.
        """
        return default_prompt(self.hint, messages=self.messages)

    def parse(
        self,
        text: Any,
        /,
        *,
        tools: Tools = None,
        prefix: str = "",
        finish_reason: str | None = "stop",
        **policies: Any,
    ) -> Reply:
        """Read a whole message.

        Args:
            text: what the model wrote; for tongues of messages a dict, an SDK object, or JSON text.
            tools: the tools that were offered, in any form that :func:`polylect.as_tool` takes; None when unknown.
            prefix: what the prompt already wrote of the message (``"Thought:"``, ``"<think>\\n"``).
            finish_reason: the server's word for the end; ``"length"`` and ``"max_tokens"`` mean that the model was cut.
            policies: choices other than this lect's own, by name.

        Raises:
            ParseError: only where a policy says so, or when ``text`` is no text.
            LectError: an unknown policy or choice.
            ToolError: a broken tool.
        """
        raise NotImplementedError

    def parser(self, *, tools: Tools = None, prefix: str = "", **policies: Any) -> Parser:
        """A parser for one message that arrives in chunks. Arguments and errors as for :meth:`parse`."""
        raise NotImplementedError

    def decide(self, reply: Reply, **policies: Any) -> list[AgentAction] | AgentFinish:
        """What the agent does with a reply: its actions, in the model's order, or the finish.

        Raises:
            ParseError: nothing can be done with the reply; ``correction`` is the sentence to send back.
        """
        if not isinstance(reply, Reply):
            raise LectError(f"decide() takes the Reply of parse(), not {type(reply).__name__}.")
        try:
            return decide(reply, self.policies.replace(**policies) if policies else self.policies, self.hint)
        except (TypeError, AttributeError):
            check_reply(reply)
            raise

    def format(self, reply: Reply, *, tools: Tools = None, **policies: Any) -> Any:
        """The model's turn in this tongue: text, or a provider's message.

        Raises:
            LectError: the tongue can't express this reply; the message says what.
        """
        raise NotImplementedError

    def format_steps(self, steps: Sequence[AgentStep], *, tools: Tools = None, **policies: Any) -> Any:
        """The scratchpad: what was done so far, as text or as a list of messages.

        With ``tools``, a tongue of messages calls a tool whose name its API rejects by the name that it told the API.
        """
        raise NotImplementedError

    def format_tools(self, tools: Iterable[ToolLike]) -> Any:
        """How the tools are told to the model: text for the prompt, or a list for the request."""
        raise NotImplementedError

    def constraint(
        self,
        tools: Tools = None,
        *,
        target: str = "llguidance",
        tool_choice: str = "auto",
        prefix: str = "",
        max_calls: int | None = None,
        max_chars: int | None = None,
        special_tokens: Iterable[str] = (),
    ) -> Constraint:
        """What makes an engine hold a model to this tongue: no turn that it allows is refused by ``parse``.

        Args:
            tools: the tools that are offered, in any form that :func:`polylect.as_tool` takes; their schemas type the
                arguments.
            target: the engine's language: ``"llguidance"``, ``"gbnf"`` (llama.cpp), ``"xgrammar"``,
                ``"structural_tag"`` (xgrammar, vLLM, SGLang), ``"regex"``, ``"json_schema"`` or
                ``"openai_custom_tool"``.
            tool_choice: ``"auto"``, ``"none"``, ``"required"``, or the name of the one tool to be called.
            prefix: what the prompt already wrote of the turn; the constraint is for what follows.
            max_calls: the most calls in a turn; None: any number.
            max_chars: the most characters of a free text, and a quarter as many entries of a list; None: no limit,
                so that a weak model may never come to an end.
            special_tokens: markers that are one token each in the model's vocabulary, where the target tells apart.

        Raises:
            ConstraintError: the lect, or the target, has no way to say it; the message names the place.
            ToolError: a broken tool.
        """
        raise ConstraintError(f"{self.name} has no constraint.")

    def escape(self, text: str) -> str:
        """Text from outside so that nothing in it is structure; a tongue of messages has nothing to escape."""
        return text if text.__class__ is str else only_text(text)

    def unescape(self, text: str) -> str:
        """The text that :meth:`escape` was given."""
        return text if text.__class__ is str else only_text(text)

    def chunks(self, message: Any, sizes: Sequence[int]) -> list[Any]:
        """A message cut into pieces that ``feed`` takes; ``sizes`` are the piece lengths, used in turn.

        Raises:
            ParseError: it is no message.
            LectError: ``sizes`` are no sizes.
        """
        sizes = checked_sizes(sizes)
        if message.__class__ is not str and not self.messages:
            from ._parser import text_problem

            message = text_problem(message)
        pieces = []
        at = turn = 0
        while at < len(message):
            size = sizes[turn % len(sizes)]
            pieces.append(message[at : at + size])
            at += size
            turn += 1
        return pieces

    def detect(self, text: str) -> float:
        """How sure it is that ``text`` is in this tongue: 0.0 (no sign of it) to 1.0."""
        return 0.0

    @property
    def signs(self) -> tuple[str, ...]:
        """Markers, in lower case, of which one stands in each text that ``detect`` finds; empty: it is always asked."""
        return ()

    def begun(self, text: str) -> str:
        """What the prompt had written of a message, by the look of the message: the prefix that ``parse`` needs."""
        return ""

    def __repr__(self) -> str:
        return f"<lect {self.name}>"
