"""The lects ``gigachat3`` and ``gigachat31``: one grammar reads both, each writes its own."""

from __future__ import annotations

from typing import Any, ClassVar

from ._body import JsonBlock

_QUIRKS = (
    "The chat templates write the first of several calls only; several are read.",
    "Models of 3.0 write a call as a turn of its own, models of 3.1 behind a token; both lects read both.",
)


class Gigachat3(JsonBlock):
    """``function call<|role_sep|>`` and an object ``{"name": …, "arguments": …}``.

    Source: the chat template of GigaChat 3.
    """

    name = "gigachat3"
    title = 'GigaChat 3: function call<|role_sep|>{"name": …, "arguments": …}'
    grammar_file = "gigachat3.lark"
    features = JsonBlock.features - {"reasoning", "several_calls", "content_with_calls"}
    think = None
    around = ("function call<|role_sep|>\n", "")
    separators = ("\n", "\n")
    stops = ("<|message_sep|>",)
    observation_prefix = "<|message_sep|>\n\nfunction result<|role_sep|>\n"
    between = "<|message_sep|>\n\n"
    again = "function result<|role_sep|>\n"
    model_prefix = "<|message_sep|>\n\nassistant<|role_sep|>\n"
    special = ("<|function_call|>", "<|role_sep|>", "<|message_sep|>")
    examples: ClassVar[tuple[str | dict[str, Any], ...]] = (
        'function call<|role_sep|>\n{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}',
        'function call<|role_sep|>\n{"name": "a", "arguments": {"b": "<|role_sep|>"}}<|message_sep|>\n\n',
        "It rains in Paris.",
    )
    sources = ("https://huggingface.co/ai-sage/GigaChat3-10B-A1.8B",)
    quirks: ClassVar[tuple[str, ...]] = (
        *_QUIRKS,
        "Text before a call ends with the same token that ends the message, so a server that stops there never sees "
        "the call: such turns are read, not written.",
    )

    def cue(self, following: str | None) -> str:
        """A turn that calls has a role of its own, not the assistant's."""
        if following is not None and following.startswith(self.around[0]):
            return self.between
        return self.model_prefix


class Gigachat31(Gigachat3):
    """``<|function_call|>`` and an object ``{"name": …, "arguments": …}``.

    Source: the chat template of GigaChat 3.1.
    """

    name = "gigachat31"
    title = 'GigaChat 3.1: <|function_call|>{"name": …, "arguments": …}'
    features = JsonBlock.features - {"reasoning", "several_calls"}
    around = ("<|function_call|>", "")
    examples = (
        '<|function_call|>{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}',
        'One moment.<|function_call|>{"name": "a", "arguments": {"b": "<|role_sep|>"}}<|message_sep|>',
        "It rains in Paris.",
    )
    sources = ("https://huggingface.co/ai-sage/GigaChat3.1-10B-A1.8B",)
    quirks = _QUIRKS

    def cue(self, following: str | None) -> str:
        """Every turn of the model is the assistant's."""
        return self.model_prefix
