"""The lect ``tool_calls``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from polylect import (
    AgentAction,
    AgentFinish,
    AgentStep,
    Call,
    Lect,
    LectError,
    ParseError,
    Policies,
    Reply,
    Toolbox,
    ToolLike,
    openai_tools,
    toolbox,
)
from polylect.plugin import (
    Grammar,
    Reason,
    Tools,
    check_reply,
    checked_sizes,
    decide,
    difference,
    only_text,
    says_length,
)

from ._arguments import GRAMMAR, HINT, Rules, arguments_text
from ._parser import ToolCallsParser
from ._prompt import PROMPT
from ._shapes import entries, extras, from_json, legacy_call, open_message, text_pieces
from ._steps import call_message, steps_as_messages, with_api_names
from ._whole import quick

if TYPE_CHECKING:
    from polylect.constraint import Constraint

TARGET = "json_schema"
TEXT_CALLS = ("<tool_call>", "<function=", "<|tool_call", "<|python_tag|>", "[TOOL_CALLS]")
"""How content begins that is a call in a model's own tongue, which its server did not understand. As an answer it
would be shown to a user; as a call it would let quoted text call tools. So the model is asked to call properly."""


class ToolCalls(Lect):
    """Native tool calls: assistant messages of OpenAI's chat completions, and their stream deltas.

    Source: the OpenAI API reference, "Chat completions"; what other servers and LangChain make of it is read as well.
    A message without calls is the final answer. Arguments are JSON objects; ``{"__arg1": text}`` is a text.
    """

    name = "tool_calls"
    title = "Native tool calls: OpenAI chat completions messages and stream deltas"
    family = "tool_calls"
    aliases = ("openai", "openai_tools", "chat_completions")
    grammar_file = GRAMMAR
    messages = True
    policies = Policies(text="final")
    features = frozenset(
        {
            "reasoning", "content", "calls", "several_calls", "text_input", "object_input", "ids", "content_with_calls",
        }
    )  # fmt: skip
    hint = HINT
    prompt = PROMPT
    legacy: ClassVar[bool] = False
    """Whether it is the older API's form, with ``functions``."""
    examples = (
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "call_a1",
                    "type": "function",
                    "function": {"name": "forecast", "arguments": '{"city": "Oslo", "days": 3}'},
                }
            ],
        },
        {"role": "assistant", "content": "It rains in Oslo,\nand in Bergen too."},
        {
            "role": "assistant",
            "content": "I look up both.",
            "reasoning_content": "Two cities, so two calls.",
            "tool_calls": [
                {"id": "call_a2", "type": "function", "function": {"name": "search", "arguments": '{"query": "Oslo"}'}},
                {
                    "id": "call_a3",
                    "type": "function",
                    "function": {"name": "search", "arguments": '{"query": "\\u00c5lesund", "near": [62.5, 6.2]}'},
                },
            ],
        },
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "call_a4",
                    "type": "function",
                    "function": {"name": "note", "arguments": '{"__arg1": "umbrella"}'},
                },
                {"id": "call_a5", "type": "function", "function": {"name": "now", "arguments": "{}"}},
            ],
        },
        {"role": "assistant", "content": None, "function_call": {"name": "search", "arguments": '{"query": "Oslo"}'}},
    )

    @property
    def grammar(self) -> Grammar:
        """The grammar of a call's arguments."""
        return arguments_text().grammar

    # --- reading --------------------------------------------------------------------------------------------------

    def _rules(self, tools: Tools, prefix: str, policies: dict[str, Any]) -> Rules:
        if prefix:
            raise LectError(f"{self.name} reads messages, and no prompt begins one: it takes no prefix.")
        return Rules(toolbox(tools), self.policies.replace(**policies) if policies else self.policies)

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
        """Read a whole message: a dict, an SDK object, a whole response, or the JSON text of one.

        Args and errors are those of :meth:`polylect.Lect.parse`. A response's own ``finish_reason`` counts as well.
        """
        if type(text) is dict and not policies and not prefix and not says_length(finish_reason):
            known = type(tools) is Toolbox
            reply = quick(text) if known or tools is None else None
            if reply is not None and (tools is None or all(call.name in tools for call in reply.calls)):
                return reply
        rules = self._rules(tools, prefix, policies)
        fields, reason, others = open_message(text)
        parser = ToolCallsParser(rules, others)
        parser.take(fields, whole=True)
        parser.close("length" if says_length(reason) else finish_reason)
        return parser.reply

    def parser(self, *, tools: Tools = None, prefix: str = "", **policies: Any) -> ToolCallsParser:
        """A parser for one message that arrives in deltas; see :meth:`polylect.Lect.parser`."""
        return ToolCallsParser(self._rules(tools, prefix, policies))

    def decide(self, reply: Reply, **policies: Any) -> list[AgentAction] | AgentFinish:
        """The calls as actions, or the content as the answer; see :meth:`polylect.Lect.decide`.

        Never an empty finish: a reply without content, or whose calls are all broken or cut, is an error.

        Raises:
            ParseError: nothing can be done with the reply; ``correction`` is the sentence to send back.
        """
        chosen = self.policies.replace(**policies) if policies else self.policies
        if not isinstance(reply, Reply):
            raise LectError(f"decide() takes the Reply of parse(), not {type(reply).__name__}.")
        try:
            return self._decided(reply, chosen)
        except (TypeError, AttributeError):
            check_reply(reply)
            raise

    def _decided(self, reply: Reply, policies: Policies) -> list[AgentAction] | AgentFinish:
        if not reply.calls and reply.answer is None:
            cut = [x.span for x in reply.diagnostics if x.code == "truncated" and x.end > x.start]
            if cut:
                told = "Your reply was cut off in the middle of a call. Send it again, shorter."
                raise _undecided(reply, "truncated", "The reply's only call was cut short.", told, cut[0])
            said = reply.content.lstrip()
            if not said and reply.complete:
                raise _undecided(reply, "empty", "The reply has neither content nor calls.", "Your reply was empty.")
            if said.startswith(TEXT_CALLS):
                told = "You wrote a call as text, so nothing ran. Use the tool-call interface for it."
                raise _undecided(reply, "no_action", "The reply's content is a call written as text.", told)
        return decide(reply, policies, self.hint)

    def detect(self, text: str) -> float:
        """Near 1 for the JSON text of an assistant message or of a whole response, else 0."""
        head = text.lstrip()[:1] if isinstance(text, str) else ""
        if head != "{" or not any(key in text for key in ('"tool_calls"', '"function_call"', '"assistant"')):
            return 0.0
        try:
            fields = open_message(from_json(text)).fields
        except ParseError:
            return 0.0
        sure = (
            any(True for _ in entries(fields)) or legacy_call(fields) is not None or fields.get("role") == "assistant"
        )
        return 0.95 if sure else 0.0

    # --- writing --------------------------------------------------------------------------------------------------

    def format(self, reply: Reply, *, tools: Tools = None, **policies: Any) -> dict[str, Any]:
        """The model's turn as an assistant message, where calls without an id get ``call_0``, ``call_1`` and so on.

        Raises:
            LectError: the reply can't be written as such a message; the message says what.
        """
        if policies:
            self.policies.replace(**policies)
        if not isinstance(reply, Reply):
            raise LectError(f"format() takes a Reply, not {type(reply).__name__}.")
        check_reply(reply)
        if reply.answer is not None:
            raise LectError(f"{self.name} has no place for an answer: here the content is the answer.")
        for call in reply.calls:
            if not call.runnable:
                raise LectError(f"The call of {call.name!r:.80} is {call.status}; only whole calls can be written.")
        message: dict[str, Any] = {"role": "assistant", "content": reply.content or (None if reply.calls else "")}
        if reply.reasoning:
            message["reasoning_content"] = reply.reasoning
        if reply.calls:
            message.update(self.written_calls(reply.calls, toolbox(tools)))
        again = self.parse(message, tools=tools)
        if again != reply:
            raise LectError(f"{self.name} can't express this reply: {difference(reply, again)}.")
        return message

    def written_calls(self, calls: Sequence[Call], tools: Toolbox | None) -> dict[str, Any]:
        """The fields of a message that hold its calls; those without an id get one.

        Raises:
            LectError: a call can't be written.
        """
        given = {call.id for call in calls}
        fresh = (name for number in range(2 * len(calls)) if (name := f"call_{number}") not in given)
        others = {} if tools is None else tools.api_names
        return {
            "tool_calls": [
                call_message(
                    others.get(call.name, call.name),
                    "" if call.arguments is None else call.arguments,
                    call.id or next(fresh),
                )
                for call in calls
            ]
        }

    def format_steps(self, steps: Sequence[AgentStep], *, tools: Tools = None, **policies: Any) -> list[dict[str, Any]]:
        """The scratchpad as messages: each turn's assistant message, then the results, paired with calls by id.

        A parse error (an action of :data:`polylect.EXCEPTION_TOOL` without a call) becomes what the model said and a
        user's message with the correction, so that it reaches the model. With ``tools``, a call whose name the API
        rejects bears the one that :meth:`format_tools` gave its tool.

        Raises:
            LectError: an action cannot be written as a call.
            ToolError: a tool is broken.
        """
        if policies:
            self.policies.replace(**policies)
        known = toolbox(tools)
        messages = steps_as_messages(steps)
        return messages if known is None else [with_api_names(message, known) for message in messages]

    def format_tools(self, tools: Iterable[ToolLike]) -> list[dict[str, Any]]:
        """The tools in OpenAI's form, for the request: see :func:`polylect.openai_tools`.

        A name that the API rejects ("Python REPL") becomes one that it takes ("Python_REPL"); ``parse``, given the same
        tools, resolves the model's calls of it.

        Raises:
            ToolError: a tool is broken.
        """
        return openai_tools(tools)

    def constraint(
        self,
        tools: Tools = None,
        *,
        target: str = TARGET,
        tool_choice: str = "auto",
        prefix: str = "",
        max_calls: int | None = None,
        max_chars: int | None = None,
        special_tokens: Iterable[str] = (),
    ) -> Constraint:
        """The tools in strict mode, with the choice of them: the server, which makes the calls, keeps to their schemas.

        Args and errors are those of :meth:`polylect.Lect.constraint`; the only target is ``"json_schema"``.
        """
        from ._constraint import tools_constraint

        return tools_constraint(
            self.name,
            tools,
            target=target,
            tool_choice=tool_choice,
            prefix=prefix,
            max_calls=max_calls,
            max_chars=max_chars,
            special_tokens=special_tokens,
            legacy=self.legacy,
        )

    def chunks(self, message: Any, sizes: Sequence[int]) -> list[dict[str, Any]]:
        """A message as stream deltas: its texts, then each call, in pieces of ``sizes`` characters, used in turn.

        Raises:
            ParseError: it is no message.
            LectError: ``sizes`` are no sizes.
        """
        sizes = checked_sizes(sizes)
        fields = open_message(message).fields
        deltas = list(_deltas(fields, _Cutter(sizes)))
        first = {"role": "assistant", **(deltas[0] if deltas else {}), **extras(fields)}
        return [first, *deltas[1:]]

    def escape(self, text: str) -> str:
        """``text`` as it is: structure lies in the fields of messages, where no text can reach it."""
        return only_text(text)

    def unescape(self, text: str) -> str:
        """``text`` as it is."""
        return only_text(text)


class _Cutter:
    """Cuts texts into pieces; the sizes go round from one text to the next."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self._sizes, self._turn = sizes, 0

    def cut(self, text: str) -> Iterator[str]:
        at = 0
        while at < len(text):
            size = self._sizes[self._turn % len(self._sizes)]
            yield text[at : at + size]
            at += size
            self._turn += 1


def _deltas(fields: dict[str, Any], cutter: _Cutter) -> Iterator[dict[str, Any]]:
    for key, text in text_pieces(fields):
        if key == "block":
            yield {"content": [text]}
        else:
            for piece in cutter.cut(text):
                yield {key: piece}
    for index, entry in enumerate(entries(fields)):
        where = "invalid_tool_calls" if entry.broken else "tool_calls"
        form, key = ("custom", "input") if entry.custom else ("function", "arguments")
        head = {"index": index, "type": form, form: {"name": entry.name, key: ""}, **(entry.extra or {})}
        yield {where: [head if entry.id is None else {"id": entry.id, **head}]}
        for piece in cutter.cut(entry.arguments):
            yield {where: [{"index": index, form: {key: piece}}]}
    legacy = legacy_call(fields)
    if legacy is not None:
        yield {"function_call": {"name": legacy.name, "arguments": ""}}
        for piece in cutter.cut(legacy.arguments):
            yield {"function_call": {"arguments": piece}}


def _undecided(
    reply: Reply, reason: Reason, message: str, told: str, span: tuple[int, int] | None = None
) -> ParseError:
    return ParseError(
        message,
        text=reply.text,
        span=span or (0, len(reply.text)),
        expected=("a call", "an answer"),
        reason=reason,
        correction=f"{told} {HINT}",
    )
