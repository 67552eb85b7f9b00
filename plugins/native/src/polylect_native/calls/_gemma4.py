"""The lect ``gemma4``."""

from __future__ import annotations

from ._body import TokenObjects


class Gemma4(TokenObjects):
    """``<|tool_call>call:name{key:<|"|>text<|"|>,…}<tool_call|>``.

    Source: the model cards and chat templates of Gemma 4.
    """

    name = "gemma4"
    title = "Gemma 4: <|tool_call>call:name{key:…}<tool_call|>"
    grammar_file = "gemma4.lark"
    around = "<|tool_call>", "<tool_call|>"
    quote = '<|"|>'
    think = "<|channel>thought\n", "\n<channel|>"
    stops = ("<turn|>", "<|tool_response>")
    response = '<|tool_response>response:{}{{value:<|"|>'
    observation_prefix = '<|tool_response>response:tool{value:<|"|>'
    between = model_prefix = '<|"|>}<tool_response|>'
    special = (
        "<|tool_call>", "<tool_call|>", "<|tool_response>", "<tool_response|>", '<|"|>', "<|channel>", "<channel|>",
        "<|turn>", "<turn|>", "<eos>",
    )  # fmt: skip
    thinking = r"/(?:(?!/ END_THINK /|/ OPEN /)[\s\S])+/"
    examples = (
        '<|tool_call>call:get_weather{city:<|"|>Paris<|"|>,days:3,opt:{k:[1,true,null]}}<tool_call|>',
        '<|channel>thought\nI look it up.\n<channel|>One moment.<|tool_call>call:get_weather{city:<|"|>Paris<|"|>}'
        "<tool_call|><|tool_call>call:now{}<tool_call|>",
        '<|tool_call>call:say{text:<|"|>{a:<|"|>, "b"}<|"|>}<tool_call|>',
        "It rains in Paris.",
    )
    sources = (
        "https://huggingface.co/google/gemma-4-31B-it",
        "https://ai.google.dev/gemma/docs/core/prompt-formatting-gemma4",
    )
    quirks = (
        "Nothing is escaped in a string: the token ends one only where a comma with a key, or the call's end, follows.",
        "A string may lack its first token, or stand in quotes of JSON or Python; both are read.",
        "The degraded form call:name(key=value) is read as Python.",
        "The template writes None for null; null is written here, and both are read.",
        "Results stand in the model's own turn, and the text that followed the calls stands behind them.",
    )
