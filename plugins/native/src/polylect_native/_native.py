"""What all tongues of models share: a grammar, the facts of a family, and how its turns are written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

from polylect import (
    AgentStep,
    Call,
    LectError,
    Policies,
    Reply,
    TextLect,
    Tool,
    Toolbox,
    ToolLike,
    describe_tools_with_schemas,
    toolbox,
)
from polylect.plugin import (
    MISSING,
    Member,
    decode,
    fitted,
    is_mended,
    kinds,
    load_json,
    member,
    only_text,
    takes_only_text,
)

if TYPE_CHECKING:
    from ._chat_template import Rendered, Source

MARKED = 0.5
"""How sure a text with markers of a tongue, but no call, is in it."""
NO_CALL = 0.2
"""How sure one is in which that would be a call whose name is none, or one that is none by its arguments."""
MISNAMED = 0.2
"""How much less sure one is in which some calls are such."""


class NativeLect(TextLect):
    """A tongue that models were trained on. A subclass is the facts of one family; its base says how a call looks.

    What the model writes as text, without a call, is its answer. Arguments are objects; they are decoded, not checked
    against the tool's schema: who runs a tool checks what it is given.

    Attributes:
        think: what is written before and behind the reasoning; None where the tongue has no place for it.
        opener, closer: what is written before the first call of a turn and behind the last one.
        joint: what is written between two calls.
        before: what is written between text and the first call.
        again: what is written before each result of a turn but the first, for which it is ``observation_prefix``, too,
            where this is None; ``between`` closes each but the last, ``model_prefix`` the last.
        special: the tongue's markers as literal texts, the longest that are always written alike; ``escape`` makes them
            harmless.
        thinking: the grammar's ``THOUGHTS``, as lark source, that ends where a call begins too. With the policy
            ``reasoning_calls="accept"`` a call so ends reasoning that is never closed. Empty where nothing does.
        sources: where the format is described: model cards, papers, templates.
        quirks: what readers of this format get wrong, and what models do to it; a sentence each.
    """

    family = "native"
    policies: Policies = Policies(text="final")
    features = frozenset({"reasoning", "content", "calls", "several_calls", "object_input", "content_with_calls"})
    empty_arguments = "{}"
    checks_names = True
    think: tuple[str, str] | None = ("<think>\n", "\n</think>\n\n")
    opener: str = ""
    closer: str = ""
    joint: str = ""
    before: str = ""
    again: str | None = None
    special: ClassVar[tuple[str, ...]] = ()
    thinking: ClassVar[str] = ""
    sources: ClassVar[tuple[str, ...]] = ()
    quirks: ClassVar[tuple[str, ...]] = ()

    def __init__(self, replace: dict[str, str] | None = None) -> None:
        super().__init__(replace)
        self._replace = replace or {}
        example = Call("search", {"query": "weather in Oslo"})
        self.hint = f"To call a tool, write:\n{self.write_calls([example], None)}"

    # --- reading --------------------------------------------------------------------------------------------------

    @cached_property
    def _accepting(self) -> Self:
        """The same tongue, in which a call ends the reasoning."""
        lect = type(self)({**self._replace, "THOUGHTS": self.thinking})
        lect.policies = self.policies.replace(reasoning_calls="ignore")
        return lect

    @property
    def read_by(self) -> TextLect:
        """The tongue in which a call ends the reasoning, where that is how it is read."""
        return self._accepting if self.thinking and self.policies.reasoning_calls == "accept" else self

    def _reads(self, policies: dict[str, Any]) -> Self | None:
        """The lect that reads by these policies, where it is another one; takes what chose it from them."""
        if not self.thinking or policies.get("reasoning_calls", self.policies.reasoning_calls) != "accept":
            return None
        policies.pop("reasoning_calls", None)
        return self._accepting

    def parse(self, text: Any, /, **options: Any) -> Reply:
        """Read a whole message; see :meth:`polylect.Lect.parse`."""
        other = self._reads(options)
        return super().parse(text, **options) if other is None else other.parse(text, **options)

    def parser(self, **options: Any) -> Any:
        """A parser for one message that arrives in chunks; see :meth:`polylect.Lect.parser`."""
        other = self._reads(options)
        return super().parser(**options) if other is None else other.parser(**options)

    def read_json(self, name: str, value: Any, tool: Tool | None) -> tuple[dict[str, Any] | str | None, str | None]:
        """An object; null is one without keys, and a text that holds the JSON of an object is that object."""
        if isinstance(value, str):
            inner, _ = decode(value)
            value = inner if isinstance(inner, dict) else value
        return super().read_json(name, {} if value is None else value, tool)

    def no_arguments(self, name: str, tool: Tool | None) -> Any:
        """A call without arguments has none."""
        return {}, "complete", None

    def is_text(self, key: str, kind: str | None, tool: Tool | None, policies: Policies) -> bool:
        """Whether the schema of an argument allows texts only."""
        if policies.types == "as_written":
            return True
        return tool is not None and takes_only_text(member(tool.parameters, key, tool.parameters), tool.parameters)

    def read_member(self, key: str, kind: str | None, text: str, tool: Tool | None, policies: Policies) -> Member:
        """An argument that is text on the wire, typed by the tool's schema; without one, JSON is what it says."""
        text = self.member_text(text)
        root = {} if tool is None else tool.parameters
        schema = None if tool is None else member(root, key, root)
        if not kinds(schema, root):
            return self.untyped(text), None
        value = fitted(text, schema, root)
        if value is not MISSING:
            return value, None
        value = self.mended(text, schema, root)
        if value is not MISSING:
            return value, None
        return text, f"The argument {key!r:.80} is no {' or '.join(sorted(kinds(schema, root)))}; it was left a text."

    def member_text(self, text: str) -> str:
        """An argument's text as it is meant, where the tongue has a notation for some of its characters."""
        return text

    def mended(self, text: str, schema: Any, root: Any) -> Any:
        """A text that fits no type of the schema as a value all the same, by some other notation; else MISSING."""
        return MISSING

    def untyped(self, text: str) -> Any:
        """An argument of which no schema tells the type: what JSON says, if it is JSON (texts in quotes are texts)."""
        if text.startswith('"'):
            return text
        try:
            return load_json(text)
        except (ValueError, RecursionError):
            return text

    def repair(self, raw: str) -> Any:
        """Mended by ``json-repair``; MISSING when nothing came of it."""
        from json_repair import repair_json

        value = repair_json(raw, return_objects=True, skip_json_loads=True)
        return value if value not in ("", [], {}) and is_mended(value, raw) else MISSING

    # --- names ----------------------------------------------------------------------------------------------------

    @cached_property
    def _no_name(self) -> re.Pattern[str]:
        """What no tool's name has: white space, a control character, a quote, a bracket of markup, a marker."""
        marks = {mark.strip() for mark in (*self.special, *self.stops)}
        told = "|".join(re.escape(mark) for mark in sorted(marks, key=len, reverse=True) if len(mark) > 2)
        return re.compile(rf"[{{}}<>|\"\s\x00-\x1f\x7f-\x9f\u2028\u2029]|{told or '(?!)'}")

    def is_name(self, name: str) -> bool:
        """Whether no markup is in the name, and no white space."""
        return self._no_name.search(name) is None

    # --- telling it from others -----------------------------------------------------------------------------------

    @cached_property
    def signs(self) -> tuple[str, ...]:
        """The markers that begin calls, and all others that are longer than a bracket or two."""
        calls = super().signs
        marks = (mark.strip().lower() for mark in (*self.special, *(self.think or ())))
        return tuple(sorted({*calls, *(mark for mark in marks if len(mark) > 2)})) if calls else ()

    def begun(self, text: str) -> str:
        """The beginning of the reasoning, where the text closes one that it does not open."""
        opener, closer = (mark.strip() for mark in self.think or ("", ""))
        at = text.find(closer) if opener and closer else -1
        return "" if at < 0 or opener in text[:at] or self.think is None else self.think[0]

    def detect(self, text: str) -> float:
        """How sure it is that ``text`` is in this tongue: by its calls; half so, where other markers were read.

        Calls whose names are none are no calls, whole or cut.
        """
        score = super().detect(text)
        reply = self.parse(text, prefix=self.begun(text), truncated="flag")
        calls = [call for call in reply.calls if call.name.isidentifier() or self.is_name(call.name)]
        if len(calls) < len(reply.calls):
            score = score - MISNAMED if calls else min(score, NO_CALL)
        if score >= MARKED:
            return score
        markup = len(text) - len(reply.content) - len(reply.reasoning)
        told = {x.code for x in reply.diagnostics}
        return score if reply.calls or markup <= 0 or told & {"skipped", "truncated"} else MARKED

    # --- writing --------------------------------------------------------------------------------------------------

    def write(self, reply: Reply, tools: Toolbox | None = None) -> str:
        """The turn: reasoning, text, calls."""
        out = []
        if reply.reasoning:
            if self.think is None:
                raise LectError(f"{self.name} has no place for reasoning.")
            out += [self.think[0], reply.reasoning, self.think[1]]
        out.append(reply.content)
        if reply.calls:
            if reply.content:
                out.append(self.before)
            out.append(self.write_calls(reply.calls, tools))
        return "".join(out)

    def write_calls(self, calls: Sequence[Call], tools: Toolbox | None) -> str:
        """The calls of a turn."""
        return f"{self.opener}{self.joint.join([self.write_call(call, tools) for call in calls])}{self.closer}"

    def write_call(self, call: Call, tools: Toolbox | None) -> str:
        """One call."""
        raise NotImplementedError

    def opening(self, step: AgentStep, *, first: bool) -> str:
        """What stands before the result of a step."""
        return self.observation_prefix if first or self.again is None else self.again

    def format_tools(self, tools: Iterable[ToolLike], *, chat_template: Source | None = None) -> str:
        """Each tool with the JSON Schema of its arguments; or what the model's own template tells of the tools."""
        if chat_template is None:
            return describe_tools_with_schemas(toolbox(tools) or {})
        from ._chat_template import ChatTemplate, told_of

        template = ChatTemplate.load(chat_template)
        asked = [{"role": "user", "content": "?"}]
        return told_of(list(tools), lambda given: template.render(asked, tools=given).text)

    def format_messages(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        chat_template: Source,
        tools: Iterable[ToolLike] | None = None,
        **options: Any,
    ) -> Rendered:
        """A whole conversation by the model's own template, and what it began of the model's turn.

        Args:
            messages: as for OpenAI's chat completions.
            chat_template: a Jinja source or file, a ``tokenizer_config.json``, a GGUF file, or a ChatTemplate.
            tools: what the model is told of.
            options: further ones of :meth:`polylect_native.ChatTemplate.render`.

        Raises:
            LectError: the template can't be read, fails, or refuses the conversation.
        """
        from ._chat_template import ChatTemplate, begun

        found = ChatTemplate.load(chat_template).render(messages, tools=tools, **options)
        return found._replace(prefix=begun(found.text, self.think))

    @cached_property
    def _marks(self) -> re.Pattern[str]:
        """Where a marker would stand, up to where a backslash makes it harmless: behind its first character."""
        marks = sorted({*self.special, *self.stops}, key=len, reverse=True)
        return re.compile("|".join(rf"{re.escape(mark[0])}\\*(?={re.escape(mark[1:])})" for mark in marks))

    def escape(self, text: str) -> str:
        """A backslash behind the first character of each marker."""
        text = text if text.__class__ is str else only_text(text)
        return self._marks.sub(r"\g<0>\\", text)

    def unescape(self, text: str) -> str:
        """Takes off the backslashes that :meth:`escape` put in."""
        text = text if text.__class__ is str else only_text(text)
        return self._marks.sub(lambda mark: mark[0].removesuffix("\\"), text) if "\\" in text else text
