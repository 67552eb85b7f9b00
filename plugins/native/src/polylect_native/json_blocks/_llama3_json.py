"""The lect ``llama3_json``."""

from __future__ import annotations

import re
from functools import cached_property

from ._body import JsonBlock

_TYPE = r'"type"[ \t]{0,2}:[ \t]{0,2}"function"[ \t\r\n]{0,8},[ \t\r\n]{0,8}'
_CALL = (
    rf'[ \t\r\n]{{0,8}}(?:{_TYPE})?"name"[ \t]{{0,2}}:[ \t]{{0,2}}(?:\Z|"(?:[^"\\]|\\.){{0,128}}(?:\Z|"[ \t\r\n]{{0,8}}'
    rf'(?:\Z|,[ \t\r\n]{{0,8}}(?:{_TYPE})?(?:\Z|"(?:[a-z]{{0,10}}\Z|(?:parameters|arguments)")))))'
)
"""How a call goes on behind its brace, as in the grammar."""


class Llama3Json(JsonBlock):
    """``{"name": …, "parameters": …}``, with nothing around it.

    Source: Meta's documentation of Llama 3.1 ("JSON based tool calling"), and the chat templates of Llama 3.1 to 4.
    """

    name = "llama3_json"
    title = 'Llama 3: {"name": …, "parameters": …}'
    grammar_file = "llama3_json.lark"
    features = JsonBlock.features - {"reasoning"}
    think = None
    keys = ("name", "parameters")
    joint = "; "
    stops = ("<|eot_id|>", "<|eom_id|>")
    observation_prefix = "<|eot_id|><|start_header_id|>ipython<|end_header_id|>\n\n"
    between = "<|eot_id|>"
    again = "<|start_header_id|>ipython<|end_header_id|>\n\n"
    model_prefix = "<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n"
    special = (
        "<|python_tag|>", "<|python_start|>", "<|python_end|>", "<|start_header_id|>", "<|end_header_id|>",
        "<|header_start|>", "<|header_end|>", "<|eot_id|>", "<|eom_id|>", "<|eot|>", "<|eom|>", "<|end_of_text|>",
    )  # fmt: skip
    examples = (
        '{"name": "get_weather", "parameters": {"city": "Paris", "days": 3}}',
        '{"name": "a", "parameters": {"b": "}; {"}}; {"name": "now", "parameters": {}}',
        'I look it up.\n<|python_tag|>{"type": "function", "name": "search", "parameters": {"query": "Oslo"}}',
        "It rains in Paris.",
        '{"capital": "Paris"}',
    )
    sources = (
        "https://www.llama.com/docs/model-cards-and-prompt-formats/llama3_1/",
        "https://huggingface.co/meta-llama/Llama-3.3-70B-Instruct",
    )
    quirks = (
        "Nothing opens a call: an object is one where its name comes first and parameters (or arguments) follow; any "
        "other JSON is text. A call without arguments therefore needs an empty object, unless a tag stands before it.",
        "Several calls, joined by semicolons, are a convention of servers; Meta's templates write one.",
        "A list of objects, and an object in a fence, are read as calls too.",
        "Behind <|python_tag|> there may be code, or name.call(…) for Meta's own tools; both are read as text.",
        "Meta's template of 3.1 writes the texts of results as JSON strings; here they are written as they are, as the "
        "template of Llama 4 does.",
    )

    @cached_property
    def _marks(self) -> re.Pattern[str]:
        """As for all, and the brace that would begin a call."""
        return re.compile(rf"{super()._marks.pattern}|\{{\\*(?={_CALL})", re.S)
