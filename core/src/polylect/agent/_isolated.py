"""Tools in processes of their own, for those that may hang where no thread can be ended, or that may crash."""

from __future__ import annotations

import functools
import importlib
import os
import pickle
import sys
from collections.abc import Awaitable, Callable
from typing import Any, ParamSpec, TypeVar

from .._errors import ToolError

P = ParamSpec("P")
T = TypeVar("T")


class ProcessDied(Exception):
    """The process of an isolated tool ended without a result."""


def isolated(function: Callable[P, T]) -> Callable[P, Awaitable[T]]:
    """The function as a tool that runs in a new process for each call.

    When the run's time is up, or it is cancelled, the process is killed, whatever it does. The function must stand at
    the top level of a module that can be imported; what goes in and out is pickled. Starting Python costs each call
    some 50 milliseconds and the imports of that module.

    >>> import math, polylect
    >>> polylect.isolated(math.factorial).__name__
    'factorial'

    Raises:
        ToolError: it is no function at the top level of a module.
    """
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", "")
    if not callable(function) or module in (None, "__main__") or not name.isidentifier():
        raise ToolError(
            f"Only a function at the top level of a module that can be imported can be isolated, not {function!r:.120}."
        )

    @functools.wraps(function)
    async def call(*args: P.args, **kwargs: P.kwargs) -> T:
        import anyio

        sent = pickle.dumps((sys.path, module, name, args, kwargs))
        ended = await anyio.run_process(COMMAND, input=sent, check=False, stderr=None)  # killed when it is cancelled
        try:
            found: tuple[T] | BaseException = pickle.loads(ended.stdout)
        except Exception:
            code = ended.returncode
            raise ProcessDied(f"the process ended without a result (exit code {code})") from None
        if isinstance(found, BaseException):
            raise found
        return found[0]

    return call


COMMAND = (sys.executable, "-c", "from polylect.agent import _isolated; _isolated.work()")


def work() -> None:
    """In the new process: read what to call, call it, and write what came of it. What it prints goes to stderr."""
    answers = os.dup(1)
    os.dup2(2, 1)
    sys.path[:], module, name, args, kwargs = pickle.load(sys.stdin.buffer)
    try:
        found = getattr(importlib.import_module(module), name)
        function = getattr(found, "__wrapped__", found)  # under the decorator's name stands the wrapper
        answer: Any = (function(*args, **kwargs),)
    except BaseException as error:
        answer = error
    try:
        data = pickle.dumps(answer)
        pickle.loads(data)
    except Exception as error:
        data = pickle.dumps(ProcessDied(f"its result can't be sent: {type(error).__name__}: {error}"))
    with os.fdopen(answers, "wb") as file:
        file.write(data)
