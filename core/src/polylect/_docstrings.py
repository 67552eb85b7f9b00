"""Docstrings of tools: what the tool does, and what each of its arguments means."""

from __future__ import annotations

import inspect
import re
from typing import Any

from ._errors import ToolError

INSTALL = "pip install 'polylect-core[agent]'"
"""How to install the libraries that tools are made and called with."""
_WORDS = (
    "args|arguments|parameters|params|other parameters|keyword args|keyword arguments|attributes|raises|exceptions?|"
    "except|warns|warnings|returns?|yields?|receives|examples?|notes?|see also|references|methods"
)
_STRUCTURE = re.compile(
    rf"^[ \t]*(?:(?:{_WORDS})[ \t]*(?::[ \t]*$|\n[ \t]*-{{3,}}[ \t]*$)|[:@](?:[a-z]+)(?:[ \t][^:\n]*)?:)", re.I | re.M
)
"""A section's head in Google's or NumPy's style, or a field in the style of reST or Epydoc."""


def read_docstring(docstring: str | None) -> tuple[str, dict[str, str]]:
    """(what it says of the whole, what it says of each argument): Google's, NumPy's, reST's and Epydoc's style.

    A plain text is all of it a description; another one is read by the library ``docstring-parser``.

    Raises:
        ToolError: the library is not installed.
    """
    text = inspect.cleandoc(docstring or "").strip()
    if _STRUCTURE.search(text) is None:
        return text, {}
    try:
        import docstring_parser
    except ImportError:
        raise ToolError(f"The docstring of a tool has sections, and docstring-parser reads them: {INSTALL}.") from None
    try:
        found = docstring_parser.parse(text)
    except Exception:  # no style fits, and then it is a text like any other
        return text, {}
    return _described(found), {
        name.strip().lstrip("*"): param.description.strip()
        for param in found.params
        if param.description
        for name in param.arg_name.split(",")
    }


def _described(found: Any) -> str:
    short, long = found.short_description or "", found.long_description or ""
    return f"{short}{chr(10) * (1 + found.blank_after_short_description) if short and long else ''}{long}".strip()
