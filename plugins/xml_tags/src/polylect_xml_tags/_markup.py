"""XML character data and elements, in and out, with ``lxml``: no DTD, no entities of one's own, no network.

``lxml`` loads on first use, and only for text that holds markup. What is no well-formed XML (``a < b``) is text as it
stands, with the entities in it decoded one by one.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import Any

from polylect import Arguments, LectError, Tool
from polylect.plugin import MISSING, entries, kinds, member, scalar, takes_keys, too_deep, typed, untyped

ITEM = "item"
"""The element of a list's entries."""
SHOWN = 3
"""Values that one diagnostic names."""
MAX_TEXT = 10_000_000
"""Characters that are given to the XML parser: its own limit for one text node."""
_MARKUP = re.compile(r"[&<>\r]")
_ENTITY = re.compile(r"&(?:(amp|lt|gt|quot|apos)|#([0-9]{1,7})|#[xX]([0-9a-fA-F]{1,6}));")
_OPEN, _CLOSE = "<![CDATA[", "]]>"
_BARE = re.compile(
    r"(?P<keep><!\[CDATA\[.*?\]\]>)|(?P<code>&#(?:[0-9]{1,7}|[xX][0-9a-fA-F]{1,6});)|&(?!(?:amp|lt|gt|quot|apos);)"
    r"|<(?![A-Za-z_/!])",
    re.S,
)
"""What a model forgets to escape: ``A & B``, ``a < b``."""
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_ELEMENT = re.compile(r"\s*<[A-Za-z_][\w.-]{0,63}\s{0,4}/?>")
_NAME = re.compile(r"[A-Za-z_][\w.-]{0,63}\Z")
_FOREIGN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML cannot hold, not even as numbers; we write them as numbers all the same, and read them back."""
_LOST = re.compile(f"\r|{_FOREIGN.pattern}")
"""Those, and the carriage return, which a parser would change."""
_SPARE = range(0xF0000, 0xFFFFE)
"""Characters of private use, which stand for the former in the parser."""


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
    if "&" not in text and _OPEN not in text:
        return text
    root = _parse(text)
    if root is not None and not len(root):
        return root.text or ""
    out = []
    at = 0
    while (start := text.find(_OPEN, at)) >= 0 and (end := text.find(_CLOSE, start)) >= 0:
        out += [_ENTITY.sub(_entity, text[at:start]), text[start + len(_OPEN) : end]]
        at = end + len(_CLOSE)
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


def _spare(text: str) -> Iterator[str]:
    """Characters that are not in the text."""
    there = set(text)
    return (chr(code) for code in _SPARE if chr(code) not in there)


class _Mended:
    """Text with the characters escaped that can be no markup, and others for those that a parser would lose."""

    def __init__(self, text: str) -> None:
        self.back: dict[int, str] = {}
        """The characters that were replaced, by those that stand for them."""
        self._there: dict[str, str] = {}
        self._spare: Iterator[str] | None = None
        self._whole = text
        self.text = _LOST.sub(lambda found: self._stand_in(found[0]), _BARE.sub(self._escaped, text))

    def _escaped(self, found: re.Match[str]) -> str:
        if found["keep"]:
            return found[0]
        if not found["code"]:
            return f"&#{ord(found[0])};"
        char = _ENTITY.sub(_entity, found[0])
        if len(char) > 1:  # there is no such character
            return f"&#38;{char[1:]}"
        return self._stand_in(char) if _FOREIGN.match(char) else found[0]

    def _stand_in(self, char: str) -> str:
        if char not in self._there:
            self._spare = self._spare or _spare(self._whole)
            self._there[char] = spare = next(self._spare, char)
            self.back[ord(spare)] = char
        return self._there[char]


def read_markup(name: str, raw: str, tool: Tool | None, *, coerce: bool, max_nesting: int) -> Arguments:
    """The input of a tool: typed arguments from nested elements, or text.

    A tool of one text argument takes its input as text, unless the elements are named like its arguments.

    Returns:
        (arguments, status, correction)
    """
    if raw.rfind(_OPEN) > raw.rfind(_CLOSE):
        return None, "invalid", (
            f"The input of {name!r} opens CDATA and does not close it: it ends at its first closing tag, even there. "
            "Write &lt; for < instead, and send the call again."
        )  # fmt: skip
    if "<" in raw and _ELEMENT.match(raw):
        root, back = _parse(raw), dict[int, str]()
        if root is None:
            mended = _Mended(raw)
            root, back = _parse(mended.text), mended.back
        schema = {} if tool is None else tool.parameters
        elements = _Elements(schema, coerce, back)
        if root is not None and not elements.mixed(root) and _fits(root, tool):
            if _depth(root) > max_nesting:
                return None, "invalid", too_deep(name)
            members = elements.members(root, schema)
            return members, "complete", elements.misfits(name)
    text = unescape(raw)
    if tool is None or tool.takes_text or not coerce:
        return text, "complete", None
    arguments, status, error = _from_text(name, text.strip(), tool, max_nesting)
    return text if isinstance(arguments, str) else arguments, status, error


def _depth(root: Any) -> int:
    """How deep elements nest; the parser itself takes no more than 256 levels."""
    deepest, waiting = 0, [(root, 0)]
    while waiting:
        element, depth = waiting.pop()
        deepest = max(deepest, depth)
        waiting += [(child, depth + 1) for child in element]
    return deepest


def _fits(root: Any, tool: Tool | None) -> bool:
    """Whether elements are arguments; for a tool of one text they are, when they are named like its argument."""
    return tool is None or takes_keys(tool, [child.tag for child in root])


def _from_text(name: str, text: str, tool: Tool, max_nesting: int) -> Arguments:
    """Text for a tool that takes no text: nothing, a JSON object, or the value of its only argument."""
    from polylect import read_input

    arguments, status, error = read_input(name, text, tool, max_nesting)
    if error is not None and len(tool.properties) > 1:
        keys = list(dict.fromkeys([*tool.required, *tool.properties]))
        shown = "".join(f"<{key}>…</{key}>" for key in keys[:2])
        error = (
            f"The tool {name!r} takes several arguments ({', '.join(keys)}). Write each as an element of its "
            f"own, as in {shown}, and write & and < in them as &amp; and &lt;."
        )
    return arguments, status, error


class _Elements:
    """Elements as values, typed by one tool's schema."""

    def __init__(self, root: dict[str, Any], coerce: bool, back: dict[int, str]) -> None:
        self.root, self.coerce, self.back = root, coerce, back
        self._odd: list[str] = []
        """The values that are not of their type, with it."""

    def _text(self, text: str) -> str:
        return text.translate(self.back) if self.back else text

    def mixed(self, element: Any) -> bool:
        """Whether text stands beside the elements in ``element``."""
        texts = [element.text, *(child.tail for child in element)]
        beside = any(text and not self._text(text).isspace() for text in texts)
        return beside or any(not isinstance(child.tag, str) for child in element)

    def misfits(self, name: str) -> str | None:
        """A sentence about the values that are not of their type; None when all are."""
        if not self._odd:
            return None
        more = f" and {len(self._odd) - SHOWN} more" if len(self._odd) > SHOWN else ""
        told = ", ".join(self._odd[:SHOWN])
        return f"Arguments of {name!r} are not of their types and stay as they are written: {told}{more}."

    def _check(self, element: Any, value: Any, allowed: set[str]) -> None:
        if isinstance(value, str) and allowed and "string" not in allowed:
            self._odd.append(f"{element.tag} ({' or '.join(sorted(allowed))})")

    def members(self, element: Any, schema: Any) -> dict[str, Any]:
        """The elements in ``element`` as an object; those of one name are a list."""
        found: dict[str, list[Any]] = {}
        for child in element:
            found.setdefault(child.tag, []).append(child)
        members = {}
        for tag, children in found.items():
            said = member(schema, tag, self.root)
            if len(children) > 1:
                each = entries(said, self.root) if "array" in kinds(said, self.root) else said
                members[tag] = [self.value(child, each) for child in children]
            else:
                members[tag] = self.value(children[0], said)
        return members

    def value(self, element: Any, schema: Any) -> Any:
        """One element as a value: a list, an object, or text by its type."""
        allowed = kinds(schema, self.root) if self.coerce else set()
        a_list = "array" in allowed and "string" not in allowed
        if len(element):
            if self.mixed(element) or (allowed and allowed <= {"string", "null"}):
                return self._text(_inner(element))
            if {child.tag for child in element} == {ITEM} and "object" not in allowed:
                each = entries(schema, self.root)
                return [self.value(child, each) for child in element]
            if a_list and "object" not in allowed:
                return [self.members(element, entries(schema, self.root))]
            return self.members(element, schema)
        text = self._text(element.text or "")
        if not self.coerce:
            return text
        value = untyped(text) if schema is None else typed(text, schema, self.root)
        if a_list and isinstance(value, str):
            if not text.strip():
                return []
            each = entries(schema, self.root)
            value = typed(text, each, self.root)
            self._check(element, value, kinds(each, self.root))
            return [value]
        self._check(element, value, allowed)
        return value


def _inner(element: Any) -> str:
    """What stands in an element that is text although it holds markup: the markup."""
    etree = _etree()
    return escape(element.text or "") + "".join(etree.tostring(child, encoding="unicode") for child in element)


def write_markup(arguments: dict[str, Any], tool: Tool | None) -> str:
    """Arguments as elements.

    Raises:
        LectError: a key is no XML name, or a value is none that elements can hold.
    """
    root = {} if tool is None else tool.parameters
    return "".join(_element(key, value, member(root, key, root), root) for key, value in arguments.items())


def _element(key: str, value: Any, schema: Any, root: dict[str, Any]) -> str:
    if not isinstance(key, str) or not _NAME.match(key):
        raise LectError(f"xml_tags can't express the argument {key!r:.80}: it is no XML name.")
    if isinstance(value, dict) and value:
        body = "".join(_element(k, v, member(schema, k, root), root) for k, v in value.items())
    elif isinstance(value, list) and value:
        body = "".join(_element(ITEM, v, entries(schema, root), root) for v in value)
    else:
        body = scalar(value, bool(kinds(schema, root)))
        if body is MISSING:
            raise LectError(f"xml_tags can't express the argument {key!r}: {value!r:.60}.")
        body = escape(body)
    return f"<{key}>{body}</{key}>"
