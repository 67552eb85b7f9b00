"""The lect ``phi4_mini_functools``."""

from __future__ import annotations

from ._body import JsonArray


class Phi4MiniFunctools(JsonArray):
    """``functools[{"name": …, "arguments": …}]``.

    Source: the chat template of Firefunction v2, and the one that servers give to Phi-4-mini.
    """

    name = "phi4_mini_functools"
    title = 'Phi-4-mini, Firefunction: functools[{"name": …, "arguments": …}]'
    grammar_file = "phi4_mini_functools.lark"
    features = JsonArray.features - {"reasoning"}
    think = None
    opener = "functools["
    before = " "
    stops = ("<|end|>", "<|eot_id|>")
    observation_prefix = "<|end|><|tool|>"
    between = "<|end|>"
    again = "<|tool|>"
    model_prefix = "<|end|><|assistant|>"
    special = (
        "functools[", "<|tool_call|>", "<|/tool_call|>", "<|tool|>", "<|end|>", "<|eot_id|>", "<|start_header_id|>",
        "<|assistant|>", "<|endoftext|>",
    )  # fmt: skip
    examples = (
        'functools[{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}]',
        'One moment. functools[{"name": "a", "arguments": {"b": "]functools["}}, {"name": "now", "arguments": {}}]',
        "It rains in Paris.",
    )
    sources = (
        "https://huggingface.co/fireworks-ai/llama-3-firefunction-v2",
        "https://huggingface.co/microsoft/Phi-4-mini-instruct",
    )
    quirks = (
        "The marker is plain text, which may come in several tokens; it counts where an array of objects follows.",
        "Phi-4-mini may write <|tool_call|>[…]<|/tool_call|>, as its own template has it; that is read too.",
        "Firefunction has the turns of Llama 3; they are read, those of Phi are written.",
    )
