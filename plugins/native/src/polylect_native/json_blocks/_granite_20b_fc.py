"""The lect ``granite_20b_fc``."""

from __future__ import annotations

from ._body import JsonBlock


class Granite20bFc(JsonBlock):
    """``<function_call> {"name": …, "arguments": …}``, with nothing that closes it.

    Source: "Granite-Function Calling Model" (https://arxiv.org/abs/2407.00121), and the template of vLLM.
    """

    name = "granite_20b_fc"
    title = 'Granite 20B function calling: <function_call> {"name": …, "arguments": …}'
    grammar_file = "granite_20b_fc.lark"
    features = JsonBlock.features - {"reasoning"}
    think = None
    around = ("<function_call> ", "")
    joint = before = "\n"
    separators = ("\n", "\n")
    stops = ("<|endoftext|>",)
    observation_prefix = "\n<|endoftext|>\n<function_response> "
    again = "<function_response> "
    model_prefix = "\nASSISTANT: "
    special = ("<function_call>", "<function_response>", "<|endoftext|>", "\nASSISTANT:")
    examples = (
        '<function_call> {"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}',
        'One moment.\n<function_call> {"name": "a", "arguments": {"b": "<function_call> {"}}\n'
        '<function_call> {"name": "now", "arguments": {}}',
        'I can\'t.\n<function_call> {"name": "no_function", "arguments": {}}',
        "It rains in Paris.",
    )
    sources = (
        "https://arxiv.org/abs/2407.00121",
        "https://huggingface.co/ibm-granite/granite-20b-functioncalling",
    )
    quirks = (
        "Nothing closes a call but the end of its object.",
        "A call of no_function says that no tool fits; it is none.",
        "Results stand behind one another, and nothing closes them but the next one, or the model's turn.",
    )
