"""What a pipeline's model is held to: the constraint of each turn, made once for each way in which a turn may begin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ._errors import PromptError, nearest

if TYPE_CHECKING:
    from ._binding import BoundModel
    from ._lect import Lect
    from ._tools import Toolbox
    from .constraint import Constraint

OPTIONS = ("max_calls", "max_chars", "special_tokens", "target")
"""What ``constrain`` may say of the constraint."""
KEPT = 64
"""Constraints that are remembered; a pipeline has as many as it has choices of tools and beginnings of turns."""


class Constraining:
    """The constraints of a pipeline's turns.

    Args:
        lect: the tongue.
        tools: what the model may call; None is no tools.
        model: which is asked; None for a pipeline that has none yet.
        given: True, or keywords of :meth:`polylect.Lect.constraint`.

    Raises:
        PromptError: the model takes no constraint, or ``given`` has an option that is none.
    """

    def __init__(self, lect: Lect, tools: Toolbox | None, model: BoundModel | None, given: Mapping[str, Any]) -> None:
        for name in given:
            if name not in OPTIONS:
                hint = nearest(str(name), OPTIONS)
                raise PromptError(f"constrain has no option {name!r:.80}.{hint} Its options: {', '.join(OPTIONS)}.")
        self._lect, self._tools = lect, tools
        self._options = dict(given)
        if model is not None:
            self._options.setdefault("target", _target(lect, model))
        self._made: dict[tuple[str, str], Constraint] = {}

    def of(self, choice: str | None, prefix: str) -> Constraint:
        """The constraint of one turn.

        Args:
            choice: ``"auto"``, ``"required"``, ``"none"``, or a tool's name; None is ``"auto"``.
            prefix: what the prompt wrote of the turn.

        Raises:
            ConstraintError: the lect can't be put into the words of the model's engine; the message says what can't.
        """
        key = choice or "auto", prefix
        found = self._made.get(key)
        if found is None:
            names = {} if self._tools is None else {api: name for name, api in self._tools.api_names.items()}
            chosen = names.get(key[0], key[0]) if self._lect.messages else key[0]
            found = self._lect.constraint(self._tools, tool_choice=chosen, prefix=prefix, **self._options)
            if len(self._made) >= KEPT:
                self._made.clear()
            self._made[key] = found
        return found


def _target(lect: Lect, model: BoundModel) -> str:
    """The language in which the model takes constraints; in tongues of messages they are the schemas of tools."""
    target = getattr(model.model, "constraint_target", None)
    takes = "constraint" in model.taken
    if takes and not hasattr(model.model, "constraint_target"):
        raise PromptError(
            f"The model {model.name!r} takes constraint=, and does not say in which language: set its attribute "
            "constraint_target to a target, such as 'gbnf'."
        )
    if target is None or not takes:
        raise PromptError(
            f"The model {model.name!r} can't be held to a constraint: it takes no constraint=. Of this project's "
            "models local takes one, openai with server= for vLLM, SGLang or llama.cpp. Or leave constrain out."
        )
    return "json_schema" if lect.messages else str(target)


def constraining(lect: Lect, tools: Toolbox | None, model: BoundModel | None, given: Any) -> Constraining | None:
    """The constraints that a pipeline was asked for; None for none.

    Raises:
        PromptError: they can't be made for this model, or it is not said what is wanted.
    """
    if given is False or given is None:
        return None
    if given is not True and not isinstance(given, Mapping):
        raise PromptError(f"constrain is True, False or options such as {{'max_chars': 500}}, not {given!r:.80}.")
    return Constraining(lect, tools, model, {} if given is True else given)
