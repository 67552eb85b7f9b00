"""XML character data and elements, in and out, with ``lxml``: no DTD, no entities of one's own, no network.

``lxml`` loads on first use, and only for text that holds markup. What is no well-formed XML (``a < b``) is text as it
stands, with the entities in it decoded one by one.
"""

from __future__ import annotations

import functools
import re
from typing import Any

from polylect import Arguments, LectError, Tool
from polylect.grammar import MISSING

from ._types import scalar, typed, untyped

ITEM = "item"
"""The element of a list's entries."""
MAX_TEXT = 10_000_000
"""Characters that are given to the XML parser: its own limit for one text node."""
_MARKUP = re.compile(r"[&<>\r]")
_ENTITY = re.compile(r"&(?:(amp|lt|gt|quot|apos)|#([0-9]{1,7})|#[xX]([0-9a-fA-F]{1,6}));")
_CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.S)
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_ELEMENT = re.compile(r"\s*<[A-Za-z_][\w.-]{0,63}\s{0,4}/?>")
_NAME = re.compile(r"[A-Za-z_][\w.-]{0,63}\Z")
_FOREIGN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML cannot hold, not even as numbers; we write them as numbers all the same, and read them back."""


@functools.cache
def _etree() -> Any:
    from lxml import etree

    return etree


def escape(text: str) -> str:
    """Text as XML character data."""
    if not _MARKUP.search(text) and not _FOREIGN.search(text):
        return text
    etree = _etree()
    out = []
    at = 0
    for match in [*_FOREIGN.finditer(text), None]:
        element = etree.Element("t")
        element.text = text[at : match.start() if match else len(text)]
        out.append(etree.tostring(element, encoding="unicode")[3:-4] if element.text else "")
        if match:
            out.append(f"&#{ord(match[0])};")
            at = match.end()
    return "".join(out)


def unescape(text: str) -> str:
    """The text that character data stands for: entities and CDATA decoded; anything else stays as it is."""
    if "&" not in text and "<![CDATA[" not in text:
        return text
    root = _parse(text)
    if root is not None and not len(root):
        return root.text or ""
    out = []
    at = 0
    for match in _CDATA.finditer(text):
        out += [_ENTITY.sub(_entity, text[at : match.start()]), match[1]]
        at = match.end()
    out.append(_ENTITY.sub(_entity, text[at:]))
    return "".join(out)


def _entity(match: re.Match[str]) -> str:
    if match[1]:
        return _NAMED[match[1]]
    code = int(match[2]) if match[2] else int(match[3], 16)
    return chr(code) if code < 0x110000 else match[0]


def _parse(text: str) -> Any:
    """The element that holds ``text``; None when it is not well-formed, or too much for the parser."""
    if len(text) > MAX_TEXT or "\r" in text or _FOREIGN.search(text):  # a raw CR would be lost in the parser
        return None
    etree = _etree()
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, dtd_validation=False, huge_tree=False, strip_cdata=True
    )
    try:
        return etree.fromstring(f"<t>{text}</t>", parser)
    except (etree.XMLSyntaxError, ValueError):
        return None


def read_markup(name: str, raw: str, tool: Tool | None, *, coerce: bool) -> Arguments:
    """The input of a tool: typed arguments from nested elements, or text.

    A tool of one text argument takes its input as text, unless the elements are named like its arguments.

    Returns:
        (arguments, status, correction)
    """
    if "<" in raw and _ELEMENT.match(raw):
        root = _parse(raw)
        if root is not None and not _mixed(root):
            keys = [child.tag for child in root]
            if tool is None or not tool.takes_text or set(keys) <= tool.properties.keys():
                return _members(root, tool, coerce), "complete", None
    text = unescape(raw)
    if tool is None or tool.takes_text or not coerce:
        return text, "complete", None
    return _from_text(name, text, tool)


def _from_text(name: str, text: str, tool: Tool) -> Arguments:
    """Text for a tool that takes no text: nothing, a JSON object, or the value of its only argument."""
    from polylect import read_input

    return read_input(name, text.strip(), tool)


def _mixed(element: Any) -> bool:
    """Whether text stands beside the elements in ``element``."""
    texts = [element.text, *(child.tail for child in element)]
    return any(text and not text.isspace() for text in texts) or any(not isinstance(c.tag, str) for c in element)


def _members(root: Any, tool: Tool | None, coerce: bool) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for child in root:
        schema = None if tool is None else tool.properties.get(child.tag)
        value = _value(child, schema, tool, coerce)
        if child.tag in members:  # a repeated element is a list
            old = members[child.tag]
            members[child.tag] = [*old, value] if isinstance(old, list) else [old, value]
        else:
            members[child.tag] = value
    return members


def _value(element: Any, schema: Any, tool: Tool | None, coerce: bool) -> Any:
    if len(element) and not _mixed(element):
        kinds = {child.tag for child in element}
        if kinds == {ITEM}:
            inner = schema.get("items") if isinstance(schema, dict) else None
            return [_value(child, inner, tool, coerce) for child in element]
        properties = schema.get("properties", {}) if isinstance(schema, dict) else {}
        return {child.tag: _value(child, properties.get(child.tag), tool, coerce) for child in element}
    text = element.text or ""
    if len(element):
        text = "".join(element.itertext())
    if not coerce:
        return text
    return untyped(text) if schema is None else typed(text, schema, tool.parameters if tool is not None else {})


def write_markup(arguments: dict[str, Any], tool: Tool | None) -> str:
    """Arguments as elements.

    Raises:
        LectError: a key is no XML name, or a value is none that elements can hold.
    """
    return "".join(_element(key, value, tool is not None and key in tool.properties) for key, value in arguments.items())


def _element(key: str, value: Any, known: bool) -> str:
    if not _NAME.match(key):
        raise LectError(f"xml_tags can't express the argument {key!r}: it is no XML name.")
    if isinstance(value, dict) and value:
        body = "".join(_element(k, v, False) for k, v in value.items())
    elif isinstance(value, list) and value:
        body = "".join(_element(ITEM, v, False) for v in value)
    else:
        body = scalar(value, known)
        if body is MISSING:
            raise LectError(f"xml_tags can't express the argument {key!r}: {value!r:.60}.")
        body = escape(body)
    return f"<{key}>{body}</{key}>"
