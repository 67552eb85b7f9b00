"""The lect ``functiongemma``."""

from __future__ import annotations

from ._body import TokenObjects


class FunctionGemma(TokenObjects):
    """``<start_function_call>call:name{key:<escape>text<escape>,…}<end_function_call>``.

    Source: the model card and the documentation of FunctionGemma.
    """

    name = "functiongemma"
    title = "FunctionGemma: <start_function_call>call:name{key:…}<end_function_call>"
    grammar_file = "functiongemma.lark"
    features = TokenObjects.features - {"reasoning"}
    think = None
    around = "<start_function_call>", "<end_function_call>"
    quote = "<escape>"
    stops = ("<end_of_turn>", "<start_function_response>")
    response = "<start_function_response>response:{}{{value:<escape>"
    observation_prefix = "<start_function_response>response:tool{value:<escape>"
    between = model_prefix = "<escape>}<end_function_response>"
    special = (
        "<start_function_call>", "<end_function_call>", "<start_function_response>", "<end_function_response>",
        "<escape>", "<start_of_turn>", "<end_of_turn>", "<eos>",
    )  # fmt: skip
    examples = (
        "<start_function_call>call:get_weather{city:<escape>Paris<escape>,days:3,opt:{k:[1,true,null]}}"
        "<end_function_call>",
        "One moment.<start_function_call>call:get_weather{city:<escape>Paris<escape>}<end_function_call>"
        "<start_function_call>call:now{}<end_function_call>",
        "It rains in Paris.",
    )
    sources = (
        "https://huggingface.co/google/functiongemma-270m-it",
        "https://ai.google.dev/gemma/docs/functiongemma/formatting-and-best-practices",
    )
    quirks = (
        "Nothing is escaped in a string, as with Gemma 4.",
        "Some templates put every value of the history between the tokens, objects as Python shows them; the tool's "
        "schema says what such a text is.",
        "The official layout has results in the model's own turn; some templates tell them in words of the user.",
    )
