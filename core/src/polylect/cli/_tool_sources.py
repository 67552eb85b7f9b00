"""Where the tools of ``polylect run`` come from: functions of modules and of files, by name."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import os
import pkgutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import click

from .._errors import CLOSE, PromptError, ToolError, nearest
from .._examples import Example
from .._tools import Tool, as_tool
from ._records import place_of

LISTED = 12
"""Names that a message lists."""
FORM = "Write module:function, file.py:function, or module:one,another."
_files: dict[str, ModuleType] = {}


class ToolSource(click.ParamType[tuple[str, tuple[str, ...]]]):
    """``module:one,another`` or ``file.py:one,another``: the place, and the names there."""

    name = "module:function"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Nothing is imported yet: plugins come first."""
        if isinstance(value, tuple):
            return value
        found: list[tuple[str, tuple[str, ...]]] = []
        for piece in filter(None, (x.strip() for x in str(value).split(","))):
            place, colon, name = piece.rpartition(":")
            if colon and place and name.strip():
                found.append((place.strip(), (name.strip(),)))
            elif not colon and found:
                found[-1] = found[-1][0], (*found[-1][1], piece)
            else:
                self.fail(_no_name(piece), param, ctx)
        if not found:
            self.fail(f"There is no tool in {value!r}. {FORM}", param, ctx)
        return tuple(found)


def _no_name(piece: str) -> str:
    if piece.casefold().endswith((".json", ".jsonl", ".yaml", ".yml")):
        return (
            f"{piece!r} is a file of descriptions, and what a tool does must be known here. Name its functions: "
            "module:function, or file.py:function."
        )
    if piece.endswith(":"):
        return f"{piece!r} names no function. {FORM}"
    return f"{piece!r} is no place and name. {FORM}"


def tools_of(sources: Iterable[tuple[str, tuple[str, ...]]]) -> list[Tool]:
    """The tools, in the order in which they were named.

    Raises:
        ToolError: there is no such module, file or function, it fails, or it is no tool that can be run.
    """
    return [tool for place, names in sources for name in names for tool in _tools(place, name)]


def _tools(place: str, name: str) -> Iterator[Tool]:
    told = f"{place}:{name}"
    for entry in _entries(_attribute(_module(place), place, name)):
        try:
            tool = as_tool(entry)
        except ToolError as error:
            raise ToolError(f"{told} is no tool: {error}") from error
        if tool.function is None:
            raise ToolError(f"{told} describes the tool {tool.name!r}, but has no function for it, so it can't be run.")
        yield tool


def examples_of(sources: Iterable[tuple[str, tuple[str, ...]]]) -> list[Example]:
    """The worked examples, in the order in which they were named.

    Raises:
        PromptError: what is there is no example.
        ToolError: there is no such module, file or name.
    """
    found: list[Example] = []
    for place, names in sources:
        for name in names:
            there = _attribute(_module(place), place, name)
            entries = [there] if isinstance(there, Example) else there
            if not isinstance(entries, (list, tuple)) or not all(isinstance(x, Example) for x in entries):
                raise PromptError(f"{place}:{name} is no polylect.Example, and no list of them.")
            found += entries
    return found


def _entries(found: Any) -> list[Any]:
    """A tool, or the tools of a list, or of a dict by their names."""
    if isinstance(found, Mapping) and found and all(map(callable, found.values())):
        return list(found.values())
    return list(found) if isinstance(found, (list, tuple, set, frozenset)) else [found]


def _attribute(module: ModuleType, place: str, name: str) -> Any:
    found: Any = module
    for part in name.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            there = _public(found)
            more = "" if len(there) <= LISTED else f" and {len(there) - LISTED} more"
            listed = f" It has: {', '.join(there[:LISTED])}{more}." if there else ""
            raise ToolError(f"There is no {name!r} in {place}.{nearest(part, there)}{listed}") from None
    return found


def _public(holder: Any) -> list[str]:
    """The names of what may be a tool: functions of its own first of all."""
    names = {name: getattr(holder, name, None) for name in dir(holder) if not name.startswith("_")}
    own = getattr(holder, "__name__", None)
    mine = [name for name, x in names.items() if callable(x) and getattr(x, "__module__", own) == own]
    return mine or [name for name, x in names.items() if callable(x)]


# --- modules and files ------------------------------------------------------------------------------------------------


def _module(place: str) -> ModuleType:
    if place.endswith(".py") or os.sep in place or "/" in place:
        return _file(place)
    _look_also_in(os.getcwd())
    return _imported(place)


def _look_also_in(folder: str) -> None:
    """Modules beside the user's files are found, but never in place of installed ones."""
    if folder not in sys.path:
        sys.path.append(folder)


def _imported(name: str) -> ModuleType:
    if not all(part.isidentifier() for part in name.split(".")):
        raise ToolError(f"{name!r} is no name of a module. {FORM}")
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        missing = error.name or ""
        if name != missing and not name.startswith(f"{missing}."):
            raise ToolError(
                f"The module {name!r} can't be imported: it needs {missing!r}, which is not there."
            ) from error
        raise ToolError(f"There is no module {name!r}.{_nearest_module(name, missing)}") from None
    except (Exception, SystemExit) as error:  # a stranger's code
        raise ToolError(f"The module {name!r} can't be imported: {_told(error)}") from error


def _nearest_module(name: str, missing: str) -> str:
    outer, _, last = missing.rpartition(".")
    paths = getattr(sys.modules.get(outer), "__path__", None) if outer else None
    known = [x.name for x in pkgutil.iter_modules(paths)]
    known += [] if outer else sys.stdlib_module_names
    close = difflib.get_close_matches(last, known, n=1, cutoff=CLOSE)
    if not close:
        return f" It is looked for among the installed ones and in {os.getcwd()}." if not outer else ""
    found = f"{outer}.{close[0]}" if outer else close[0]
    return f" Did you mean {found + name[len(missing) :]!r}?"


def _file(path: str) -> ModuleType:
    file = Path(path)
    real = os.path.realpath(path)
    if real in _files:
        return _files[real]
    if not file.is_file():
        folder = file.parent
        there = sorted(x.name for x in folder.glob("*.py")) if folder.is_dir() else []
        raise ToolError(f"There is no file {path!r}.{nearest(file.name, there)}")
    name = f"polylect_tools_{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ToolError(f"{path} is no Python file: its name does not end in .py.")
    _look_also_in(os.path.dirname(real))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # a stranger's code
        sys.modules.pop(name, None)
        raise ToolError(f"{path} can't be run: {_told(error)}") from error
    _files[real] = module
    return module


def _told(error: BaseException) -> str:
    """An error in a line, with the place in the user's code where it came from."""
    words = str(error).strip()
    told = f"{type(error).__name__}: {words}" if words else type(error).__name__
    return told if isinstance(error, SyntaxError) else f"{told}{place_of(error)}"  # a SyntaxError tells it itself
