"""Values in elements that are named as their keys, each tag behind a token; read in one pass, without recursion."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from polylect.plugin import MISSING, dumps, entries, fitted, kinds, member

TOKEN = "]<]minimax[>["
ITEM = "item"
EMPTY = ("null", "[]", "{}")
"""What an empty element may be, as JSON."""
_TAG = re.compile(re.escape(TOKEN) + r"<(/?)([^<>\s/\"]{1,128})>")
_NAME = re.compile(r"[A-Za-z_][\w.\-]{0,127}").fullmatch


class _Open:
    """An element that has not been closed, with what stands in it."""

    __slots__ = ("inner", "name", "schema", "texts")

    def __init__(self, name: str, schema: Any) -> None:
        self.name, self.schema = name, schema
        self.texts: list[str] = []
        self.inner: list[tuple[str, Any]] = []


def read_elements(text: str, schema: Any, root: Mapping[str, Any], nesting: int, untyped: Callable[[str], Any]) -> Any:
    """What stands in an element; MISSING where tags do not match, or text stands beside elements."""
    stack = [_Open("", schema)]
    at = 0
    for tag in _TAG.finditer(text):
        closes, name = tag.groups()
        top = stack[-1]
        top.texts.append(text[at : tag.start()])
        at = tag.end()
        if not closes:
            if len(stack) > nesting:
                return MISSING
            stack.append(_Open(name, _schema_of(name, top.schema, root)))
            continue
        if len(stack) == 1 or name != top.name:
            return MISSING
        value = _value(stack.pop(), root, untyped)
        if value is MISSING:
            return MISSING
        stack[-1].inner.append((name, value))
    if len(stack) != 1:
        return MISSING
    stack[0].texts.append(text[at:])
    return _value(stack[0], root, untyped)


def _schema_of(name: str, outer: Any, root: Mapping[str, Any]) -> Any:
    """The schema of an element in one of this schema."""
    allowed = kinds(outer, root)
    if "array" in allowed and (name == ITEM or "object" not in allowed):
        return entries(outer, root)
    return member(outer, name, root)


def _value(element: _Open, root: Mapping[str, Any], untyped: Callable[[str], Any]) -> Any:
    text = "".join(element.texts)
    allowed = kinds(element.schema, root)
    if not element.inner:
        if not allowed:
            return untyped(text)
        value = fitted(text, element.schema, root)
        if value is not MISSING:
            return value
        if not text.strip():
            return next((x for y in EMPTY if (x := fitted(y, element.schema, root)) is not MISSING), text)
        return text
    if text.strip():
        return MISSING
    is_list = all(name == ITEM for name, _ in element.inner)
    if allowed & {"array", "object"} and not {"array", "object"} <= allowed:
        is_list = "array" in allowed
    return [value for _, value in element.inner] if is_list else dict(element.inner)


def write_elements(value: Any) -> str:
    """A value as elements; what those can't say, as JSON."""
    if isinstance(value, (list, tuple)) and value:
        return "".join([f"{TOKEN}<{ITEM}>{_inner(x)}{TOKEN}</{ITEM}>" for x in value])
    if isinstance(value, dict) and value and all(isinstance(key, str) and _NAME(key) for key in value):
        return "".join([f"{TOKEN}<{key}>{_inner(x)}{TOKEN}</{key}>" for key, x in value.items()])
    return dumps(value)


def _inner(value: Any) -> str:
    return value if isinstance(value, str) else write_elements(value)
