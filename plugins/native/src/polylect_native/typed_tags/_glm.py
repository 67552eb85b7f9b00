"""The lects ``glm45`` and ``glm47``."""

from __future__ import annotations

from ._body import Pairs

_SPECIAL = (
    "<tool_call>", "</tool_call>", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>", "<think>", "</think>",
    "<tool_response>", "</tool_response>", "<|system|>", "<|user|>", "<|assistant|>", "<|observation|>",
    "<|endoftext|>", "<|role_end|>", "</assistant>", "<｜end▁of▁sentence｜>",
)  # fmt: skip


class Glm47(Pairs):
    """``<tool_call>NAME<arg_key>K</arg_key><arg_value>V</arg_value></tool_call>``, without line breaks.

    Source: the chat templates of GLM-4.7 and GLM-5, Poolside Laguna, Spark 2.5.
    """

    name = "glm47"
    title = "GLM-4.7: <tool_call>NAME<arg_key>…</arg_key><arg_value>…</arg_value></tool_call>"
    grammar_file = "glm.lark"
    call_tags = ("<tool_call>", "", "</tool_call>")
    member_tags = ("<arg_key>", "</arg_key><arg_value>", "</arg_value>")
    think = ("<think>", "</think>")
    thinking = r"/(?:(?!/ END_THINK /|/ OPEN /)[\s\S])+/"
    stops = ("<|user|>", "<|observation|>", "<|endoftext|>")
    observation_prefix = "<|observation|><tool_response>"
    again = "<tool_response>"
    between = "</tool_response>"
    model_prefix = "</tool_response><|assistant|>"
    special = _SPECIAL
    examples = (
        "<tool_call>get_weather<arg_key>city</arg_key><arg_value>Paris</arg_value><arg_key>days</arg_key>"
        "<arg_value>3</arg_value></tool_call>",
        "<think>I look it up.</think>One moment.<tool_call>now</tool_call>",
        "<tool_call>a<arg_key>b</arg_key><arg_value>the marker </arg_value> and </tool_call> too</arg_value>"
        "</tool_call><tool_call>now</tool_call>",
        "It rains in Paris.",
    )
    sources = ("https://huggingface.co/zai-org/GLM-4.7", "https://huggingface.co/poolside/Laguna-XS.2")
    quirks = (
        "A call without arguments is its name alone.",
        "The prompt ends with <think>, so that only </think> is in the model's text: give it as the prefix.",
        "The last </arg_value> may be missing; the </tool_call> that ends the turn, or another call follows, ends the "
        "value then. So a value that is cut just behind a </tool_call> of its own reads as a whole one.",
        "Laguna closes its turn with </assistant>, and Spark with an end of sentence; their results are read, and "
        "those of GLM are written.",
    )


class Glm45(Glm47):
    """``<tool_call>NAME``, a line for each key and each value, ``</tool_call>``.

    Source: the chat templates of GLM-4.5 and GLM-4.6, and of Ling 3.
    """

    name = "glm45"
    names_ids = True
    title = "GLM-4.5: <tool_call>NAME, lines of <arg_key>…</arg_key> and <arg_value>…</arg_value>, </tool_call>"
    think = ("<think>", "</think>\n")
    call_tags = ("<tool_call>", "\n", "</tool_call>")
    member_tags = ("<arg_key>", "</arg_key>\n<arg_value>", "</arg_value>\n")
    joint = before = "\n"
    observation_prefix = "<|observation|>\n<tool_response>\n"
    again = "\n<tool_response>\n"
    between = "\n</tool_response>"
    model_prefix = "\n</tool_response><|assistant|>\n"
    examples = (
        "<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n<arg_key>days</arg_key>\n"
        "<arg_value>3</arg_value>\n</tool_call>",
        "<think>I look it up.</think>\nOne moment.\n<tool_call>now\n</tool_call>",
        "<tool_call>a\n<arg_key>b</arg_key>\n<arg_value>the marker </arg_value> and </tool_call> too</arg_value>\n"
        "</tool_call>\n<tool_call>now\n</tool_call>",
        "It rains in Paris.",
    )
    sources = ("https://huggingface.co/zai-org/GLM-4.5", "https://huggingface.co/inclusionAI/Ling-3.0-flash")
    quirks = (
        "The turn ends with the marker of the next role.",
        "Some outputs have a backslash and an n where a line break is due; behind the name, a key and a value it is "
        "read as one.",
        "An opening <arg_value> may be missing, and the last </arg_value>: see glm47.",
        "Ling 3 closes its turn with <|role_end|>, and writes results under the role OBSERVATION; both are read.",
    )

    def name_id(self, raw: str) -> tuple[str, str | None]:
        """The name, without what should have been a line break."""
        return raw.removesuffix("\\n"), None


__all__ = ["Glm45", "Glm47"]
