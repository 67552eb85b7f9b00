"""The lect ``k2_horizon_ifm``."""

from __future__ import annotations

from ._body import Typed


class K2Horizon(Typed):
    """``<ifm|tool_call>NAME`` with pairs of ``<ifm|arg_key>`` and ``<ifm|arg_value>``, within ``<ifm|tool_calls>``.

    Source: the readers of vLLM and SGLang for K2 Horizon.
    """

    name = "k2_horizon_ifm"
    title = "K2 Horizon: <ifm|tool_call>NAME<ifm|arg_key>…</ifm|arg_key><ifm|arg_value>…</ifm|arg_value>"
    grammar_file = "k2_horizon_ifm.lark"
    think = ("<ifm|think>", "</ifm|think>")
    thinking = r"/(?:(?!/ END_THINK /|/ BLOCK /|/ OPEN /)[\s\S])+/"
    opener = "<ifm|tool_calls>"
    closer = "</ifm|tool_calls>"
    joint = "\n"
    call_tags = ("<ifm|tool_call>", "", "</ifm|tool_call>")
    member_tags = ("<ifm|arg_key>", "</ifm|arg_key><ifm|arg_value>", "</ifm|arg_value>")
    strict_calls = True
    stops = ("<|im_end|>",)
    observation_prefix = "<|im_end|>\n<|im_start|>tool\n<ifm|tool_response>\n"
    again = "\n<ifm|tool_response>\n"
    between = "\n</ifm|tool_response>"
    model_prefix = "\n</ifm|tool_response><|im_end|>\n<|im_start|>assistant\n"
    special = (
        "<ifm|tool_calls>", "</ifm|tool_calls>", "<ifm|tool_call>", "</ifm|tool_call>", "<ifm|arg_key>",
        "</ifm|arg_key>", "<ifm|arg_type>", "</ifm|arg_type>", "<ifm|arg_value>", "</ifm|arg_value>", "<ifm|think>",
        "<ifm|think_fast>", "<ifm|think_faster>", "</ifm|think>", "</ifm|think_fast>", "</ifm|think_faster>",
        "<ifm|tool_response>", "</ifm|tool_response>", "<|im_start|>", "<|im_end|>", "<|endoftext|>",
    )  # fmt: skip
    examples = (
        "<ifm|tool_calls><ifm|tool_call>get_weather<ifm|arg_key>city</ifm|arg_key><ifm|arg_value>Paris"
        "</ifm|arg_value><ifm|arg_key>days</ifm|arg_key><ifm|arg_type>integer</ifm|arg_type><ifm|arg_value>3"
        "</ifm|arg_value></ifm|tool_call></ifm|tool_calls>",
        "<ifm|think>I look it up.</ifm|think>One moment.<ifm|tool_calls><ifm|tool_call>now</ifm|tool_call>"
        "</ifm|tool_calls>",
        "<ifm|tool_calls><ifm|tool_call>a<ifm|arg_key>b</ifm|arg_key><ifm|arg_value>the marker </ifm|arg_value> too"
        "</ifm|arg_value></ifm|tool_call>\n<ifm|tool_call>now</ifm|tool_call></ifm|tool_calls>",
        '<ifm|tool_calls><ifm|tool_call>{"name": "get_weather", "arguments": {"city": "Paris"}}</ifm|tool_call>'
        "</ifm|tool_calls>",
        "It rains in Paris.",
    )
    sources = ("https://huggingface.co/LLM360",)
    quirks = (
        "Three bodies stand under one wrapper: pairs, pairs with types, and a JSON object; all are read, and pairs "
        "without types are written.",
        "Reasoning has three openers, for three depths: think, think_fast, think_faster.",
        "The layout of results, and the end of the turn, are not in the sources read: what is written is that of "
        "ChatML, with the tongue's own kind of tag.",
    )


__all__ = ["K2Horizon"]
