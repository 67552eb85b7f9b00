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


def mrkl(words: Mapping[str, str]) -> Prompt:
    """The prompt of ``mrkl``, in these words."""
    return _prompt(
        words,
        "Answer the question. You are no expert, but you can ask these, each of whom knows one thing:",
        [
            ("thought", "what has to be found out next, and whom to ask"),
            ("action", "the name of one expert, out of: {tool_names}"),
            ("input", "what to ask: plain text, or one JSON object if several things are to be told"),
            ("observation", "what the expert says. It is given to you; never write it yourself."),
        ],
        [("thought", "I know the answer now."), ("final", "the answer to the question")],
    )


def docstore(words: Mapping[str, str]) -> Prompt:
    """The prompt of ``docstore``, in these words."""
    said = _literals(words)
    question, thought, action = said.get("question", "Question"), said.get("thought", ""), said["action"]
    lines = [
        "Answer the question in turns of a thought, an action and an observation. These are the actions:",
        "",
        "{tools}",
        "Finish[answer] - Gives the answer, and is the last.",
        "",
        "Write in this form, each label with its number at the start of a line:",
        "",
        f"{question}: the question to answer",
        *([f"{thought} 1: what you know by now, and what you need next"] if thought else []),
        f"{action} 1: tool[input], where tool is one of: {{tool_names}}. Several arguments are one JSON object.",
        f"{said['observation']} 1: the result of the action. It is given to you; never write it yourself.",
        "(more turns like this one, numbered 2, 3 and so on, as often as you need them)",
        *([f"{thought} 4: I know the answer now."] if thought else []),
        f"{action} 4: Finish[the answer to the question]",
        "",
        "Begin.",
        "",
        f"{question}: {{input}}",
        "{agent_scratchpad}",
    ]
    return Prompt("\n".join(lines), prefix="")


def conversational(words: Mapping[str, str]) -> Prompt:
    """The prompt of ``conversational``, in these words."""
    said = _literals(words)
    new, thought, final = said.get("question", "New input"), said.get("thought", ""), said["final"]
    asked = "Do I need to use a tool?"
    lines = [
        "You are an assistant in a conversation. Answer the new input from what you know and what was said.",
        "For what you do not know you may use these tools:",
        "",
        "{tools}",
        "",
        "To use a tool, write in this form, each label at the start of a line:",
        "",
        *([f"{thought}: {asked} Yes"] if thought else []),
        f"{said['action']}: the name of one tool, out of: {{tool_names}}",
        f"{said['input']}: the input of that tool: plain text, or one JSON object if it takes several arguments",
        f"{said['observation']}: the result of the tool. It is given to you; never write it yourself.",
        "",
        "To answer, or when no tool is needed, write in this form:",
        "",
        *([f"{thought}: {asked} No"] if thought else []),
        f"{final}: what you say to the user",
        "",
        "The conversation so far:",
        "{chat_history}",
        "",
        f"{new}: {{input}}",
        f"{thought}:{{agent_scratchpad}}" if thought else "{agent_scratchpad}",
    ]
    prefix = f"{words['thought']}:" if thought else ""
    return Prompt("\n".join(lines), defaults={"chat_history": "(it begins now)"}, prefix=prefix)


def self_ask(words: Mapping[str, str]) -> Prompt:
    """The prompt of ``self_ask``, in these words."""
    said = _literals(words)
    question, needed, ask = said.get("question", "Question"), said.get("thought", ""), said["action"]
    answered, final = said["observation"], said["final"]
    lines = [
        "Answer the question. If it takes several facts, ask for one at a time; each is looked up for you with:",
        "",
        "{tools}",
        "",
        f"Write '{ask}:' with one short question, and wait for its '{answered}:'. It is given to you; never write it",
        f"yourself. When you know enough, write '{final}:' with the answer. For example:",
        "",
        f"{question}: Which is higher, the highest mountain of Norway or that of Sweden?",
        *([f"{needed}: Yes."] if needed else []),
        f"{ask}: How high is the highest mountain of Norway?",
        f"{answered}: Galdhøpiggen is 2,469 metres high.",
        f"{ask}: How high is the highest mountain of Sweden?",
        f"{answered}: Kebnekaise is 2,096 metres high.",
        f"{final}: Galdhøpiggen",
        "",
        f"{question}: {{input}}",
        f"{needed}:{{agent_scratchpad}}" if needed else "{agent_scratchpad}",
    ]
    return Prompt("\n".join(lines), prefix=f"{words['thought']}:" if needed else "")


def _literals(words: Mapping[str, str]) -> dict[str, str]:
    """The words of the labels that are not switched off, for a template."""
    return {label: Prompt.literal(word) for label, word in words.items() if word}


def _prompt(words: Mapping[str, str], task: str, turn: list[tuple[str, str]], end: list[tuple[str, str]]) -> Prompt:
    """A prompt with one line for each label; labels that are switched off are left out."""
    said = _literals(words)
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
