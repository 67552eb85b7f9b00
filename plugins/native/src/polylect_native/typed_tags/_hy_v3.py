"""The lect ``hy_v3``."""

from __future__ import annotations

import re
from functools import cached_property

from ._body import Pairs


class HyV3(Pairs):
    """``<tool_call>NAME<tool_sep>``, a line for each key and each value, within ``<tool_calls>``.

    Source: the chat template of Tencent's Hy3. Args for other releases: ``suffix`` is what each tag's name ends with;
    any suffix is read, and none.
    """

    name = "hy_v3"
    title = "Hy3: <tool_call:opensource>NAME<tool_sep:opensource> with <arg_key:opensource> and <arg_value:opensource>"
    grammar_file = "hy_v3.lark"
    thinking = r"/(?:(?!/ END_THINK /|/ BLOCK /|/ OPEN /)[\s\S])+/"
    joint = "\n"
    special = ("<｜hy_",)
    examples = (
        "<tool_calls:opensource>\n<tool_call:opensource>get_weather<tool_sep:opensource>\n"
        "<arg_key:opensource>city</arg_key:opensource>\n<arg_value:opensource>Paris</arg_value:opensource>\n"
        "<arg_key:opensource>days</arg_key:opensource>\n<arg_value:opensource>3</arg_value:opensource>\n"
        "</tool_call:opensource>\n</tool_calls:opensource>",
        "<think:opensource>I look it up.</think:opensource>One moment.<tool_calls:opensource>\n"
        "<tool_call:opensource>now<tool_sep:opensource>\n</tool_call:opensource>\n</tool_calls:opensource>",
        "<tool_calls>\n<tool_call>a<tool_sep>\n<arg_key>b</arg_key>\n"
        "<arg_value>the marker </arg_value> and </tool_call> too</arg_value>\n</tool_call>\n"
        "<tool_call>now<tool_sep>\n</tool_call>\n</tool_calls>",
        "It rains in Paris.",
    )
    sources = ("https://huggingface.co/tencent/Hy3",)
    quirks = (
        "The released template has the suffix :opensource on every tag; other readers expect none.",
        "The last </arg_value> may be missing: see glm47.",
    )

    def __init__(self, replace: dict[str, str] | None = None, *, suffix: str = ":opensource") -> None:
        end = f"{suffix}>"
        self.think = (f"<think{end}", f"</think{end}")
        self.opener, self.closer = f"<tool_calls{end}\n", f"\n</tool_calls{end}"
        self.call_tags = (f"<tool_call{end}", f"<tool_sep{end}\n", f"</tool_call{end}")
        between = f"</arg_key{end}\n<arg_value{end}"
        self.member_tags = (f"<arg_key{end}", between, f"</arg_value{end}\n")
        eos = f"<｜hy_eos{suffix}｜>"
        self.stops = (eos,)
        self.observation_prefix = f"{eos}<tool_responses{end}\n<tool_response{end}\n"
        self.again = f"\n<tool_response{end}\n"
        self.between = f"\n</tool_response{end}"
        self.model_prefix = f"\n</tool_response{end}\n</tool_responses{end}<｜hy_Assistant{suffix}｜>"
        super().__init__(replace)

    @cached_property
    def _marks(self) -> re.Pattern[str]:
        names = "tool_calls?|tool_sep|arg_key|arg_value|think|tool_responses?"
        return re.compile(rf"{super()._marks.pattern}|<\\*(?=/?(?:{names})(?::[a-z0-9_]{{1,32}})?>)")


__all__ = ["HyV3"]
