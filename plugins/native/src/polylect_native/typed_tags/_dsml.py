"""The lects ``deepseek_dsml_v32`` and ``deepseek_dsml_v4``."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any, ClassVar

from polylect import Policies, Tool
from polylect.plugin import Member

from ._body import Elements, unlike

_BARS = r"[｜|]{1,2}(?:DSML|GCML)[｜|]{1,2}"
UNLIKE = 0.1
"""How much less sure a tongue is of a block that has the name of another one's."""


class Dsml(Elements):
    """A tongue of ``invoke`` elements, whose parameters say whether they are strings.

    Attributes:
        dsml: what makes a tag one of the tongue's own.
        block: the name of the element around the calls.
        blocks: the names that it has in the model's own text, as a pattern; others are read, too.
    """

    dsml: str = "｜DSML｜"
    block: str = "function_calls"
    blocks: ClassVar[str] = "function_calls"
    think = ("<think>", "</think>")
    thinking = r"/(?:(?!/ END_THINK /|/ OPEN /|/ INVOKE /)[\s\S])+/"
    joint = "\n"
    stops = ("<｜end▁of▁sentence｜>",)

    def __init__(self, replace: dict[str, str] | None = None) -> None:
        # An empty line stands before the block, text or no text.
        self.opener = f"\n\n<{self.dsml}{self.block}>\n"
        self.closer = f"\n</{self.dsml}{self.block}>"
        super().__init__(replace)

    def detect(self, text: str) -> float:
        """How sure it is that ``text`` is in this tongue: less so, where the block has another tongue's name."""
        score = super().detect(text)
        own = score < UNLIKE or re.search(f"{_BARS} ?(?:{self.blocks})>", text) is not None
        return score if own else score - UNLIKE

    def write_element(self, name: str, members: list[str]) -> str:
        """An ``invoke`` element; one without parameters holds an empty line."""
        inside = "\n".join(members)
        return f'<{self.dsml}invoke name="{name}">\n{inside}\n</{self.dsml}invoke>'

    def write_member(self, key: str, value: Any) -> str:
        """A ``parameter`` element."""
        string = "true" if isinstance(value, str) else "false"
        return f'<{self.dsml}parameter name="{key}" string="{string}">{self.write_value(value)}</{self.dsml}parameter>'

    def is_text(self, key: str, kind: str | None, tool: Tool | None, policies: Policies) -> bool:
        """Whether the parameter says that it is a string; one that says nothing is typed by the schema."""
        said = None if kind is None else kind.strip(" \"'").lower()
        return said == "true" or (said != "false" and super().is_text(key, kind, tool, policies))

    def read_member(self, key: str, kind: str | None, text: str, tool: Tool | None, policies: Policies) -> Member:
        """JSON, if it says that it is no string; what says nothing, or is none, is typed by the schema."""
        value = super().read_member(key, kind, text, tool, policies)
        return value if kind is None else unlike(value, key, "no string and no JSON", text)

    @cached_property
    def _marks(self) -> re.Pattern[str]:
        return re.compile(rf"{super()._marks.pattern}|<\\*(?=/?{_BARS})")


class DsmlV32(Dsml):
    """A ``function_calls`` block.

    Source: the reference encoder of DeepSeek-V3.2.
    """

    name = "deepseek_dsml_v32"
    title = 'DeepSeek-V3.2: <｜DSML｜invoke name="NAME"> with <｜DSML｜parameter name="…" string="…">'
    grammar_file = "deepseek_dsml_v32.lark"
    observation_prefix = "<｜end▁of▁sentence｜>\n\n<function_results>\n<result>"
    again = "\n<result>"
    between = "</result>"
    model_prefix = "</result>\n</function_results>\n\n"
    special = (
        "<think>", "</think>", "<function_results>", "</function_results>", "<result>", "</result>",
        "<｜end▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>",
    )  # fmt: skip
    examples = (
        '\n\n<｜DSML｜function_calls>\n<｜DSML｜invoke name="get_weather">\n'
        '<｜DSML｜parameter name="city" string="true">Paris</｜DSML｜parameter>\n'
        '<｜DSML｜parameter name="days" string="false">3</｜DSML｜parameter>\n'
        "</｜DSML｜invoke>\n</｜DSML｜function_calls>",
        '<think>I look it up.</think>One moment.\n\n<｜DSML｜function_calls>\n<｜DSML｜invoke name="now">\n\n'
        "</｜DSML｜invoke>\n</｜DSML｜function_calls>",
        '\n\n<｜DSML｜function_calls>\n<｜DSML｜invoke name="a">\n'
        '<｜DSML｜parameter name="b" string="true">the marker </｜DSML｜parameter> too</｜DSML｜parameter>\n'
        '</｜DSML｜invoke>\n<｜DSML｜invoke name="now">\n\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
        "It rains in Paris.",
    )
    sources = ("https://huggingface.co/deepseek-ai/DeepSeek-V3.2",)
    quirks = (
        "string= is sometimes missing; the tool's schema says the type then.",
        "An invoke element may hold a JSON object in place of parameters; it is read.",
        "All arguments in one parameter named arguments or input are read as that parameter.",
        "The bars may be ASCII or doubled; both are read.",
    )


class DsmlV4(Dsml):
    """A ``tool_calls`` block.

    Source: the reference encoders of DeepSeek-V4 and V4.1. Others write the same with other
    words, for which there are keyword arguments; all of them are read. V4.1 has a space at the end of ``dsml``, and
    ``block="calls"``; GigaChat 3.5 has GCML in place of DSML.
    """

    name = "deepseek_dsml_v4"
    title = 'DeepSeek-V4: <｜DSML｜tool_calls> with <｜DSML｜invoke name="NAME">'
    grammar_file = "deepseek_dsml_v4.lark"
    blocks = "tool_calls|toolcalls|tool|calls"
    observation_prefix = "<｜end▁of▁sentence｜><｜User｜><tool_result>"
    again = "\n\n<tool_result>"
    between = "</tool_result>"
    model_prefix = "</tool_result><｜Assistant｜>"
    special = (
        "<think>", "</think>", "<tool_result>", "</tool_result>", "<｜end▁of▁sentence｜>", "<｜User｜>",
        "<｜Assistant｜>",
    )  # fmt: skip
    examples = (
        '\n\n<｜DSML｜tool_calls>\n<｜DSML｜invoke name="get_weather">\n'
        '<｜DSML｜parameter name="city" string="true">Paris</｜DSML｜parameter>\n'
        '<｜DSML｜parameter name="days" string="false">3</｜DSML｜parameter>\n'
        "</｜DSML｜invoke>\n</｜DSML｜tool_calls>",
        '<think>I look it up.</think>One moment.\n\n<｜DSML｜tool_calls>\n<｜DSML｜invoke name="now"/>\n'
        "</｜DSML｜tool_calls>",
        '\n\n<｜DSML｜ calls>\n<｜DSML｜ invoke name="a">\n'
        '<｜DSML｜ parameter name="b" string="true">the marker </｜DSML｜ parameter> too</｜DSML｜ parameter>\n'
        '</｜DSML｜ invoke>\n<｜DSML｜ invoke name="now">\n\n</｜DSML｜ invoke>\n</｜DSML｜ calls>',
        "It rains in Paris.",
    )
    sources = (
        "https://huggingface.co/deepseek-ai/DeepSeek-V4-Flash",
        "https://huggingface.co/deepseek-ai/DeepSeek-V4.1-Flash",
    )
    quirks = (
        "V4.1 has a space behind the marker and calls the block calls; toolcalls and tool were seen, too.",
        "An invoke element without parameters may close itself.",
        "GigaChat 3.5 writes the same with GCML in place of DSML.",
        "string= is sometimes missing, and the bars may be ASCII or doubled: see deepseek_dsml_v32.",
    )

    def __init__(
        self, replace: dict[str, str] | None = None, *, dsml: str = "｜DSML｜", block: str = "tool_calls"
    ) -> None:
        self.dsml, self.block = dsml, block
        super().__init__(replace)


__all__ = ["Dsml", "DsmlV4", "DsmlV32"]
