"""What a model is told about the label tongues."""

from __future__ import annotations

from collections.abc import Mapping

from polylect import Prompt


def react(words: Mapping[str, str]) -> Prompt:
    """The prompt of ``react``, in these words."""
    return _prompt(
        words,
        "Answer the question as well as you can. You may use these tools:",
        [
            ("thought", "what you know by now, and what you need next"),
            ("action", "the name of one tool, out of: {tool_names}"),
            ("input", "the input of that tool: plain text, or one JSON object if it takes several arguments"),
            ("observation", "the result of the tool. It is given to you; never write it yourself."),
        ],
        [("thought", "I know the answer now."), ("final", "the answer to the question")],
    )


def react_bracket(words: Mapping[str, str]) -> Prompt:
    """The prompt of ``react_bracket``, in these words."""
    return _prompt(
        words,
        "Answer the question by thinking and acting in turns. You may use these tools:",
        [
            ("thought", "what you know by now, and what you need next"),
            ("action", "tool[input], where tool is one of: {tool_names}. Several arguments are one JSON object."),
            ("observation", "the result of the tool. It is given to you; never write it yourself."),
        ],
        [("thought", "I know the answer now."), ("action", "finish[the answer to the question]")],
    )


def _prompt(words: Mapping[str, str], task: str, turn: list[tuple[str, str]], end: list[tuple[str, str]]) -> Prompt:
    """A prompt with one line for each label; labels that are switched off are left out."""
    said = {label: Prompt.literal(word) for label, word in words.items() if word}
    question, thought = said.get("question", "Question"), said.get("thought", "")
    lines = [
        task,
        "",
        "{tools}",
        "",
        "Write in this form, each label at the start of a line:",
        "",
        f"{question}: the question to answer",
        *(f"{said[label]}: {told}" for label, told in turn if label in said),
        "(these lines may come again, as often as you need tools)",
        *(f"{said[label]}: {told}" for label, told in end if label in said),
        "",
        "Begin.",
        "",
        f"{question}: {{input}}",
        f"{thought}:{{agent_scratchpad}}" if thought else "{agent_scratchpad}",
    ]
    return Prompt("\n".join(lines), prefix=f"{words['thought']}:" if thought else "")
