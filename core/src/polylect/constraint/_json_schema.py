"""A tree as a JSON schema, for engines that take nothing else: where the whole message is one JSON value."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from .._errors import ConstraintError
from ._printed import Options, Printed, Reasons
from ._tree import Alt, Json, Lit, Node, Ref, Rep, Seq, Tree

MOST = 1_000
"""So many alternatives at the most."""
_HOLE = "\uf8f0{}\uf8f1"


def json_schema(tree: Tree, options: Options) -> Printed:
    """The tree as a JSON schema.

    An engine that has only a schema chooses white space and the order of keys itself.

    Raises:
        ConstraintError: a message of the tree is something else than one JSON value.
    """
    found: list[Any] = []
    for parts in _messages(Ref(tree.start), tree, ()):
        schema = _schema(parts)
        if schema not in found:
            found.append(schema)
        if len(found) > MOST:
            raise ConstraintError(f"A JSON schema of more than {MOST:,} alternatives is of no use; offer fewer tools.")
    text = found[0] if len(found) == 1 else {"anyOf": found}
    reasons = Reasons()
    return reasons.printed(text if isinstance(text, dict) else {"allOf": [text]})


def _messages(node: Node, tree: Tree, above: tuple[str, ...]) -> Iterator[list[Lit | Json]]:
    """All messages, as literals and JSON values."""
    if isinstance(node, Lit | Json):
        yield [node]
    elif isinstance(node, Alt):
        for option in node.options:
            yield from _messages(option, tree, above)
    elif isinstance(node, Seq):
        yield from _sequences(node.parts, tree, above)
    elif isinstance(node, Rep) and node.least == node.most == 1:
        yield from _messages(node.part, tree, above)
    elif isinstance(node, Ref) and node.name not in above:
        yield from _messages(tree.rules[node.name], tree, (*above, node.name))
    else:
        raise no_schema(f"it holds {_named(node)}")


def _sequences(parts: tuple[Node, ...], tree: Tree, above: tuple[str, ...]) -> Iterator[list[Lit | Json]]:
    if not parts:
        yield []
        return
    for first in _messages(parts[0], tree, above):
        for rest in _sequences(parts[1:], tree, above):
            yield first + rest


def _named(node: Node) -> str:
    if isinstance(node, Ref):
        return f"the rule {node.name!r}, which refers to itself"
    return {"Text": "free text", "Rep": "a part that repeats", "Chars": "characters outside of JSON"}[
        type(node).__name__
    ]


def _schema(parts: list[Lit | Json]) -> Any:
    values: list[Any] = []
    text = ""
    for part in parts:
        if isinstance(part, Lit):
            text += part.text
        else:
            text += json.dumps(_HOLE.format(len(values)))
            values.append(part.schema)
    try:
        value = json.loads(text)
    except ValueError:
        shown = text.replace("\\uf8f0", "<").replace("\\uf8f1", ">")
        raise no_schema(f"a message like {shown[:80]!r} is none") from None
    return _of(value, values)


def _of(value: Any, values: list[Any]) -> Any:
    """The schema of one value, in which some are described by schemas of their own."""
    if isinstance(value, str) and value[:1] == _HOLE[0] and value[-1:] == _HOLE[-1]:
        return values[int(value[1:-1])]
    if isinstance(value, dict):
        members = {key: _of(inner, values) for key, inner in value.items()}
        return {"type": "object", "properties": members, "required": list(value), "additionalProperties": False}
    if isinstance(value, list):
        items = [_of(inner, values) for inner in value]
        return {"type": "array", "prefixItems": items, "items": False, "minItems": len(items), "maxItems": len(items)}
    return {"const": value}


def no_schema(why: str) -> ConstraintError:
    """The refusal of a tongue that a JSON schema can't say."""
    return ConstraintError(
        "A JSON schema can't say this tongue: a message has to be one JSON value from its first character to its last; "
        f"{why}. Where its calls are such values, tool_choice='required' or a tool's name leaves only those; else take "
        "a lect of JSON alone, or one of messages, for which the server makes the calls."
    )


__all__ = ["json_schema", "no_schema"]
