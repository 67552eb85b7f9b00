"""The lect ``apertus``."""

from __future__ import annotations

from typing import Any

from polylect import Call
from polylect.plugin import decode

from ._body import JsonArray


class Apertus(JsonArray):
    """``<|tools_prefix|>[{name: arguments}]<|tools_suffix|>``: the name is the only key of its object.

    Source: the model card and the chat template of Apertus.
    """

    name = "apertus"
    title = "Apertus: <|tools_prefix|>[{name: arguments}]<|tools_suffix|>"
    grammar_file = "apertus.lark"
    think = ("<|inner_prefix|>", "<|inner_suffix|>")
    names_ids = True
    opener = "<|tools_prefix|>["
    closer = "]<|tools_suffix|>"
    thinking = r"/(?:(?!/ END_THINK /|/ OPEN /)[\s\S])+/"
    stops = ("<|assistant_end|>",)
    observation_prefix = "["
    again = "]\n["
    model_prefix = "]<|assistant_start|>"
    special = (
        "<|tools_prefix|>", "<|tools_suffix|>", "<|inner_prefix|>", "<|inner_suffix|>", "<|assistant_start|>",
        "<|assistant_end|>", "]\n[",
    )  # fmt: skip
    examples = (
        '<|tools_prefix|>[{"get_weather": {"city": "Paris", "days": 3}}]<|tools_suffix|>',
        '<|inner_prefix|>I look it up.<|inner_suffix|>One moment.<|tools_prefix|>[{"a": {"b": "]<|tools_suffix|>"}}, '
        '{"now": {}}]<|tools_suffix|>',
        "It rains in Paris.",
    )
    sources = ("https://huggingface.co/swiss-ai/Apertus-8B-Instruct-2509",)
    quirks = (
        "The name of the function is a key.",
        "Results follow the calls in the model's own turn, as a list; a bracket behind the calls opens one.",
        "The template joins results with commas, and nothing else parts them; here each has a list of its own.",
    )

    def name_id(self, raw: str) -> tuple[str, str | None]:
        """The name; it is a JSON text, without its quotes."""
        if "\\" not in raw:
            return raw, None
        name, _ = decode(f'"{raw}"')
        return name if isinstance(name, str) else raw, None

    def entry(self, call: Call) -> dict[str, Any]:
        """The object whose only key is the name."""
        return {call.name: call.arguments}
