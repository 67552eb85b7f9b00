"""What an agent is set to: limits and policies, checked when the agent is built."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import msgspec

from .._building import unknown_argument
from .._errors import LectError, ParseError, PromptError, nearest
from .._pipeline import Pipeline
from .._policies import CHOICES as CHOICES_OF_POLICIES
from .._values import AgentStep
from ._trim import TokenBudget

ParsingErrors: TypeAlias = "Literal['observe', 'raise'] | str | Callable[[ParseError], str]"
ToolErrors: TypeAlias = "Literal['observe', 'raise'] | str | Callable[[Exception], str]"
Trim: TypeAlias = "int | TokenBudget | Callable[[list[AgentStep]], Iterable[AgentStep]] | None"

MAX_ITERATIONS = 15
"""LangChain's own default; a run that needs more should say so."""
MAX_RETRIES = 3
"""A model that was told three times what is wrong with its reply will not find it out the fourth time."""
MAX_REPEATS = 5
"""The same calls with the same results; a tool that is polled changes its answer before that."""
MAX_OBSERVATION = 100_000
"""Characters of one observation: some 25,000 tokens, a fair part of any model's context."""
CHOICES = ("auto", "required", "none")


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """See :class:`polylect.Agent`, whose keyword arguments these are."""

    max_iterations: int | None = MAX_ITERATIONS
    max_execution_time: float | None = None
    early_stopping: Literal["force", "generate"] = "force"
    parsing_errors: Any = "observe"
    tool_errors: Any = "observe"
    max_retries: int | None = MAX_RETRIES
    max_repeats: int | None = MAX_REPEATS
    trim: Any = None
    tool_choice: str = "auto"
    return_intermediate_steps: bool = False
    max_observation: int | None = MAX_OBSERVATION

    def __post_init__(self) -> None:
        for name, least in (("max_iterations", 0), ("max_retries", 0), ("max_repeats", 2), ("max_observation", 1)):
            value = getattr(self, name)
            if value is not None and (type(value) is not int or value < least):
                raise PromptError(f"{name} is None or a whole number of at least {least}, not {value!r:.80}.")
        limit = self.max_execution_time
        if limit is not None and (isinstance(limit, bool) or not isinstance(limit, (int, float)) or not limit >= 0):
            raise PromptError(f"max_execution_time is None or a number of seconds, not {limit!r:.80}.")
        if self.early_stopping not in ("force", "generate"):
            raise PromptError(f"early_stopping is 'force' or 'generate', not {self.early_stopping!r:.80}.")
        if not isinstance(self.return_intermediate_steps, bool):
            raise PromptError("return_intermediate_steps is True or False.")
        for name in ("parsing_errors", "tool_errors"):
            value = getattr(self, name)
            if not (isinstance(value, str) and value.strip()) and not callable(value):
                raise PromptError(
                    f"{name} is 'observe', 'raise', a text for the model or a callable, not {value!r:.80}."
                )
        trim = self.trim
        if trim is not None and not callable(trim) and (type(trim) is not int or trim < 1):
            raise PromptError(
                f"trim is None, a number of steps of at least 1, a TokenBudget or a callable, not {trim!r:.80}."
            )
        if not isinstance(self.tool_choice, str):
            raise PromptError(f"tool_choice is {', '.join(CHOICES)} or the name of a tool.")


SETTINGS = frozenset(Settings.__struct_fields__)


OTHERWISE = {
    "handle_parsing_errors": "It is called parsing_errors here.",
    "early_stopping_method": "It is called early_stopping here.",
    "trim_intermediate_steps": "It is called trim here.",
    "verbose": "result.to_text() shows a run, and agent.stream() while it goes on.",
    "callbacks": "They are hooks here: hooks=[…].",
    "memory": "Give what was said to run(), as chat_history=.",
}
"""What LangChain's executor takes, by the words of this one."""


def check_options(options: Mapping[str, Any], model: Any) -> None:
    """Check that what is no setting is something for the pipeline.

    Raises:
        LectError: there is no such keyword; the message has the nearest, or says what it is called here.
    """
    stages = inspect.signature(Pipeline).parameters
    for name in options:
        if name in OTHERWISE:
            raise LectError(f"An agent has no {name!r}. {OTHERWISE[name]}")
        if name not in stages and name not in CHOICES_OF_POLICIES:
            raise unknown_argument(name, [*SETTINGS, "hooks", *stages, *CHOICES_OF_POLICIES], model)


def settings_of(given: dict[str, Any], tools: Sequence[str] | None) -> Settings:
    """The settings; ``tools`` are the names that ``tool_choice`` may have, None when they are not known.

    Raises:
        PromptError: a setting is wrong, or asks for a tool that there is not.
    """
    found = Settings(**given)
    choice = found.tool_choice
    if choice not in CHOICES and choice not in (tools or ()):
        hint = nearest(choice, [*CHOICES, *(tools or ())])
        raise PromptError(f"tool_choice={choice!r} is neither {', '.join(CHOICES)} nor the name of a tool.{hint}")
    if choice == "required" and not tools:
        raise PromptError("tool_choice='required' needs tools, and this agent has none.")
    return found
