"""The lect ``minimax_m3``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from polylect import Policies, Tool
from polylect.plugin import MISSING, Member, dumps, fitted, kinds, member

from ._body import STRING, Notation
from ._elements import EMPTY, TOKEN, read_elements, write_elements


class MinimaxM3(Notation):
    """``<invoke name="…"><key>value</key>…</invoke>``, each tag behind the token ``]<]minimax[>[``.

    An argument's text is typed by the tool's schema, as in other tongues of tags. Values in elements of their own are
    lists where all are items or the schema says so, and objects else.

    Source: the model card and chat template of MiniMax M3.
    """

    name = "minimax_m3"
    title = "MiniMax M3: elements named as the arguments behind ]<]minimax[>["
    grammar_file = "minimax_m3.lark"
    opener, joint, closer = f"{TOKEN}<tool_call>\n", "\n", f"\n{TOKEN}</tool_call>"
    think = "<mm:think>", "</mm:think>"
    stops = ("[e~[",)
    observation_prefix = "[e~[\n]~b]tool\n<response>"
    between = "</response>"
    again = "\n<response>"
    model_prefix = "</response>[e~[\n]~b]ai\n"
    special = (TOKEN, "<mm:think>", "</mm:think>", "<response>", "</response>", "[e~[", "]~b]")
    thinking = r"/(?:(?!/ END_THINK /|/ SECTION /)[\s\S])+/"
    examples = (
        f'{TOKEN}<tool_call>\n{TOKEN}<invoke name="get_weather">{TOKEN}<city>Paris{TOKEN}</city>{TOKEN}<days>3{TOKEN}'
        f"</days>{TOKEN}<opt>{TOKEN}<k>{TOKEN}<item>1{TOKEN}</item>{TOKEN}<item>true{TOKEN}</item>{TOKEN}</k>{TOKEN}"
        f"</opt>{TOKEN}</invoke>\n{TOKEN}</tool_call>",
        f'<mm:think>I look it up.</mm:think>One moment.{TOKEN}<tool_call>\n{TOKEN}<invoke name="get_weather">{TOKEN}'
        f'<city>Paris{TOKEN}</city>{TOKEN}</invoke>\n{TOKEN}<invoke name="now">{TOKEN}</invoke>\n{TOKEN}</tool_call>',
        "It rains in Paris.",
    )
    sources = ("https://huggingface.co/MiniMaxAI/MiniMax-M3",)
    quirks = (
        "The token's own brackets mislead readers that look for tags.",
        "A list and an object look alike but for the name of their elements, item, or the tool's schema.",
        "The template leaves an element empty for null; null is written here.",
        "An argument that elements can't say (an empty list, odd keys, texts that look typed) is written as JSON.",
    )

    def is_text(self, key: str, kind: str | None, tool: Tool | None, policies: Policies) -> bool:
        """Whether the schema of an argument allows texts only."""
        return super(Notation, self).is_text(key, kind, tool, policies)

    def read_member(self, key: str, kind: str | None, text: str, tool: Tool | None, policies: Policies) -> Member:
        """The text of an argument, or the elements in it, typed by the schema."""
        root: Mapping[str, Any] = {} if tool is None else tool.parameters
        schema = None if tool is None else member(root, key, root)
        if TOKEN in text:
            return read_elements(text, schema, root, policies.max_nesting, self.untyped), None
        if kinds(schema, root) - {STRING} == {"null"} and not text:
            return None, None
        return super(Notation, self).read_member(key, kind, text, tool, policies)

    def mended(self, text: str, schema: Any, root: Any) -> Any:
        """An empty element is null where that may be, and a list or an object without anything in it."""
        if text.strip():
            return MISSING
        return next((x for y in EMPTY if (x := fitted(y, schema, root)) is not MISSING), MISSING)

    def write_arguments(self, name: str, arguments: dict[str, Any], tool: Tool | None) -> str:
        """The elements of a call."""
        root: Mapping[str, Any] = {} if tool is None else tool.parameters
        written = []
        for key, value in arguments.items():
            schema = None if tool is None else member(root, key, root)
            text = value if isinstance(value, str) else write_elements(value)
            if text is not value and TOKEN in text:
                again = read_elements(text, schema, root, len(text), self.untyped)
                if dumps([again]) != dumps([value]):
                    text = dumps(value)
            written.append(f"{TOKEN}<{key}>{text}{TOKEN}</{key}>")
        return f'{TOKEN}<invoke name="{name}">{"".join(written)}{TOKEN}</invoke>'
