"""Calls of a model's code, which may end in ways that are no errors elsewhere."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import Context
from typing import ParamSpec, TypeVar

from .._errors import ModelError
from ._calling import told
from ._contexts import inside

P = ParamSpec("P")
T = TypeVar("T")
ENDS = (GeneratorExit, SystemExit, asyncio.CancelledError)
"""Raised by a model, they would end generators, programs and tasks that have nothing to do with it."""


def guarded(context: Context | None, call: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """What a call of the model's code returns, made inside a context.

    Raises:
        ModelError: it raised one of :data:`ENDS`.
    """
    try:
        return inside(context, call, *args, **kwargs)
    except ENDS as error:
        raise broken_off(error) from error


def broken_off(error: BaseException) -> ModelError:
    """The error for a model that raised one of :data:`ENDS`."""
    return ModelError(f"it raised {told(error)}")
