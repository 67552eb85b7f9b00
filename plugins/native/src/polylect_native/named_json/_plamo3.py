"""The lect ``plamo3``."""

from __future__ import annotations

from ._body import NamedJson


class Plamo3(NamedJson):
    """A name and arguments between tokens ``<|plamo:…:plamo|>``, in requests of one section.

    Source: the constants of vLLM's parser for PLaMo 3.
    """

    name = "plamo3"
    title = "PLaMo 3: name and {…} between tokens"
    grammar_file = "plamo3.lark"
    think = ("<|plamo:begin_think:plamo|>", "<|plamo:end_think:plamo|>")
    opener = "<|plamo:begin_tool_requests:plamo|>"
    head = "<|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>"
    sep = (
        "<|plamo:end_tool_name:plamo|><|plamo:begin_tool_arguments:plamo|><|plamo:constrain:plamo|>json"
        "<|plamo:msg:plamo|>"
    )
    tail = "<|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|>"
    closer = "<|plamo:end_tool_requests:plamo|>"
    stops = ("<|plamo:tag|>",)
    observation_prefix = "<|plamo:tag|><|plamo:begin_tool_responses:plamo|><|plamo:begin_tool_response:plamo|>"
    again = "<|plamo:begin_tool_response:plamo|>"
    between = "<|plamo:end_tool_response:plamo|>"
    model_prefix = "<|plamo:end_tool_response:plamo|><|plamo:end_tool_responses:plamo|>"
    special = ("<|plamo:",)
    thinking = r"/(?:(?!/ END_THINK /|/ SECTION /|/ CALL /)[\s\S])+/"
    examples = (
        "<|plamo:begin_tool_requests:plamo|><|plamo:begin_tool_request:plamo|>"
        "<|plamo:begin_tool_name:plamo|>get_weather"
        "<|plamo:end_tool_name:plamo|><|plamo:begin_tool_arguments:plamo|><|plamo:constrain:plamo|>json"
        "<|plamo:msg:plamo|>"
        '{"city": "Paris", "days": 3}<|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|>'
        "<|plamo:end_tool_requests:plamo|>",
        "<|plamo:begin_think:plamo|>I look it up.<|plamo:end_think:plamo|>One moment."
        "<|plamo:begin_tool_requests:plamo|>"
        "<|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>now<|plamo:end_tool_name:plamo|>"
        "<|plamo:begin_tool_arguments:plamo|><|plamo:msg:plamo|>{}<|plamo:end_tool_arguments:plamo|>"
        "<|plamo:end_tool_request:plamo|><|plamo:end_tool_requests:plamo|>",
        "It rains in Paris.",
    )
    sources = ("https://github.com/vllm-project/vllm",)
    quirks = (
        "The layout is put together from the constants of vLLM's parser; no template of the model was seen.",
        "The layout of results is not known: they are written like requests, as begin_tool_response and so on.",
        "The word json and its token may be missing before the arguments.",
    )
