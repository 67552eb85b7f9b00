"""Putting a pipeline together: each stage checked, so that what is missing is found before anything runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ._binding import check_call, keywords, name_of
from ._errors import LectError, ParseError, PolylectError, PromptError, nearest
from ._lect import Lect
from ._prompt import Message, Prompt, missing_values
from ._registry import registry
from ._stages import FormatScratchpad, FormatSteps, OwnParse, PromptStage, ReadReply
from ._tools import Toolbox
from ._values import AgentAction, AgentStep

OWN = ("agent_scratchpad", "tools", "tool_names")
"""The variables that the pipeline fills in itself."""


def lect_of(lect: Any) -> Lect:
    """The lect of that name, or the lect itself."""
    found = registry.lect(lect) if isinstance(lect, str) else lect
    if not isinstance(found, Lect):
        raise LectError(f"A pipeline speaks a lect, by name or as it is, not {type(found).__name__}.")
    return found


def model_of(model: Any) -> Any:
    """The model of that name, or the model itself.

    Raises:
        ModelError: there is none of that name; the message has the nearest, or the line that installs it.
    """
    if not isinstance(model, str):
        return model
    from ._models import model as named

    return named(model)


def unknown_argument(name: str, known: Iterable[str], model: Any) -> LectError:
    """The error for a keyword that a pipeline has not; it may be meant for the model, if that is given by its name."""
    hint = nearest(name, known)
    if not hint and isinstance(model, str):
        hint = f" An option of the model is given where the model is made: polylect.model({model!r:.80}, {name}=…)."
    return LectError(f"There is no policy and no stage {name!r}.{hint}")


def told_tools(lect: Lect, tools: Toolbox | None, render: Any) -> str | list[Message]:
    """The tools as the model is told of them: text for the prompt, or a list for the request."""
    if render is not None:
        check_call(render, "render_tools", ())
    if not tools:
        return [] if lect.messages else ""
    try:
        told = (render or lect.format_tools)(list(tools.values()))
    except NotImplementedError:
        raise PromptError(f"{lect.name} has no format_tools, so a pipeline with tools needs render_tools.") from None
    if lect.messages and isinstance(told, list):
        return told
    if not lect.messages and isinstance(told, str):
        return told
    kind = "a list for the request" if lect.messages else "text for the prompt"
    raise PromptError(f"In {lect.name} tools are {kind}; render_tools made {type(told).__name__}.")


def own_prompt(lect: Lect) -> Prompt:
    """The lect's own prompt; a template will do for one."""
    prompt: Any = lect.prompt
    return prompt if isinstance(prompt, Prompt) else Prompt(prompt)


def prompt_stage(lect: Lect, given: Any, texts: dict[str, str]) -> tuple[PromptStage, dict[str, str]]:
    """The prompt stage, its tools filled in; and what it is still to be given with every call."""
    prompt = own_prompt(lect) if given is None else given
    if not isinstance(prompt, Prompt) and (isinstance(prompt, (str, bytes, Mapping)) or not callable(prompt)):
        prompt = Prompt(prompt)
    if not isinstance(prompt, Prompt):
        check_call(prompt, "A prompt stage", ())
        return prompt, texts
    own = own_prompt(lect).variables
    prompt.require([name for name in OWN if name == "agent_scratchpad" or (name in own and not lect.messages)])
    if "agent_scratchpad" not in prompt.variables:
        raise PromptError("The prompt's {agent_scratchpad} has a fixed value; the steps need it open.")
    if lect.messages and prompt.is_text:
        raise PromptError(f"{lect.name} speaks messages, and this prompt is a text. Make it a list of messages.")
    return prompt.partial(**{name: texts[name] for name in texts if name in prompt.variables}), {}


def cue_of(lect: Lect, prompt: Any) -> str:
    """What the prompt's end may have written of the model's turn."""
    own = prompt.prefix if isinstance(prompt, Prompt) else None
    cue = own_prompt(lect).prefix if own is None else own
    return "" if lect.messages else (cue or "").strip()


def checked_prefix(lect: Lect, prefix: Any) -> str | None:
    """The prefix that the caller fixed; None when it is to be seen from each prompt."""
    if prefix is not None and not isinstance(prefix, str):
        raise PromptError(f"prefix is a text, not {type(prefix).__name__}.")
    if prefix and lect.messages:
        raise PromptError(f"{lect.name} reads whole messages, which no prompt begins: it takes no prefix.")
    return "" if lect.messages else prefix


def scratchpad_stage(
    lect: Lect,
    given: FormatScratchpad | None,
    policies: dict[str, Any],
    cue: str,
    prompt: PromptStage,
    tools: Toolbox | None,
) -> FormatScratchpad:
    """The first stage, tried on no steps: what it makes must have its place in the prompt."""
    stage = given
    if stage is None:
        before = prompt.before("agent_scratchpad") if isinstance(prompt, Prompt) else ""
        stage = FormatSteps(lect, policies, cue if cue and before.rstrip().endswith(cue) else "", tools)
    check_call(stage, "format_scratchpad", ())
    try:
        made: Any = stage([])
    except Exception as error:  # a stranger's code, and the first thing that every run does
        raise PromptError(
            f"{name_of(stage)!r} can't format an empty scratchpad: {type(error).__name__}: {error}"
        ) from error
    if not isinstance(made, (str, list, tuple)):
        raise PromptError(f"A scratchpad is text or a list of messages; {name_of(stage)!r} made {type(made).__name__}.")
    if isinstance(prompt, Prompt):
        takes_messages = "agent_scratchpad" in prompt.placeholders
        if isinstance(made, str) and takes_messages:
            raise PromptError(
                f"The scratchpad of {lect.name} is text, and the prompt has a placeholder for messages. Put "
                "{agent_scratchpad} into the text of a message."
            )
        if not isinstance(made, str) and not takes_messages:
            raise PromptError(
                f"The scratchpad of {lect.name} is messages, and {{agent_scratchpad}} stands inside a text. Make it an "
                "entry of its own: '{agent_scratchpad}'."
            )
    return stage


def parse_stage(lect: Lect, given: Any, tools: Toolbox | None, policies: dict[str, Any]) -> ReadReply | OwnParse:
    """The fourth stage: the lect's, or the caller's with its result checked."""
    if isinstance(given, ReadReply) and given.lect is lect:
        given = None
    if given is None:
        return ReadReply(lect, tools, policies)
    taken = keywords(given, ("prefix",)) if callable(given) else frozenset[str]()
    check_call(given, "A parse stage", taken)
    return OwnParse(lect, given, takes_prefix=bool(taken))


def stop_strings(stop: Any, lect: Lect) -> tuple[str, ...]:
    """The stop strings: the lect's own for True, none for False or None, else those given.

    Raises:
        PromptError: they are no strings, or cut the lect's own messages short.
    """
    if stop is True:
        chosen: Any = lect.stops
    elif stop is False or stop is None:
        chosen = ()
    else:
        chosen = (stop,) if isinstance(stop, str) else stop
    if isinstance(chosen, (bytes, dict)) or not isinstance(chosen, Iterable):
        raise PromptError(f"stop is True, False, a string or a list of strings, not {stop!r:.80}.")
    found = tuple(chosen)
    for text in found:
        if not isinstance(text, str) or not text:
            raise PromptError(f"A stop string is a text of at least one character, not {text!r:.80}.")
        for example in lect.examples:
            if isinstance(example, str) and text in example and not _survives(lect, example, text):
                raise PromptError(
                    f"The stop string {text!r} cuts this message of {lect.name} short: {example!r:.120}. "
                    f"Its own stop strings: {', '.join(map(repr, lect.stops)) or 'none'}."
                )
    return tuple(dict.fromkeys(found))


def _survives(lect: Lect, example: str, stop: str) -> bool:
    """Whether a message that is cut at a stop string still says what it said; of several calls, the first ones."""
    try:
        wanted = lect.decide(lect.parse(example))
    except PolylectError:
        return True
    try:
        got = lect.decide(lect.parse(example[: example.find(stop)]))
    except ParseError:
        return False
    if isinstance(wanted, list):
        return isinstance(got, list) and _calls(got) == _calls(wanted)[: len(got)]
    return not isinstance(got, list) and wanted.return_values == got.return_values


def _calls(actions: list[AgentAction]) -> list[tuple[str, Any]]:
    return [(action.tool, action.tool_input) for action in actions]


# --- the inputs of a turn ---------------------------------------------------------------------------------------------


def step_of(given: Any) -> AgentStep:
    """A step of a turn, from an action with its observation."""
    if isinstance(given, (tuple, list)) and len(given) == 2 and isinstance(given[0], AgentAction):
        return AgentStep(given[0], given[1])
    raise PromptError(f"A step is an AgentStep, or an action with its observation, not {given!r:.80}.")


def fitting(prompt: Prompt, inputs: dict[str, Any]) -> dict[str, Any]:
    """The inputs that the prompt takes; others may only be empty."""
    wanted = [name for name in prompt.variables if name not in OWN]
    missing = [name for name in wanted if inputs.get(name) is None and not prompt.may_lack(name)]
    if missing:
        raise missing_values(missing, inputs)
    for name, value in inputs.items():
        empty = value is None or (isinstance(value, (str, list, tuple)) and not value)
        if name not in wanted and not empty:
            hint = nearest(name, wanted)
            told = ", ".join(f"{{{x}}}" for x in wanted) or "none"
            raise PromptError(f"The prompt has no {{{name}}}, so this input would be lost.{hint} Its inputs: {told}.")
    return {name: value for name, value in inputs.items() if name in wanted}


def is_messages(value: Any) -> bool:
    """Whether a value is a list of messages."""
    if not isinstance(value, (list, tuple)) or not value:
        return False
    return all(isinstance(x, Mapping) and isinstance(x.get("role"), str) for x in value)
