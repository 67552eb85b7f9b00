"""The pieces of a ``response_template``: markers as patterns of the grammars' profile, and what a call is made of."""

from __future__ import annotations

import re
from collections.abc import Mapping
from re import _constants as sre
from re import _parser as sre_parser
from typing import Any, NamedTuple, NoReturn

from polylect import LectError

_SPACES = {r"\s*": r"[ \t\r\n]{0,8}", r"\s+": r"[ \t\r\n]{1,8}", r"\s?": r"[ \t\r\n]?", r"\n*": r"\n{0,8}"}
_SPACES |= {r"\n+": r"\n{1,8}", " *": "[ ]{0,8}", " +": "[ ]{1,8}"}
_BOUND = re.compile(r"\\s[*+?]\??|\\n[*+]\??| [*+]\??")
_UNBOUND = re.compile(r"(?<!\\)(?:\\\\)*(?:[*+]|\{\d+,\})")
_CLASS_RUN = re.compile(r"(\\w|\[(?:[^\]\\]|\\.)+\])\+\??")
WORD = r"\w"
_CAPTURE = re.compile(r"\{(\w+)\}")
_CONTENT = re.compile(r"\{content\.(\w+)\}")


def refuse(what: str, why: str) -> NoReturn:
    """Tell what of a template a lect has no place for."""
    raise LectError(f"A lect has no place for {what} of the response template: {why}.")


class Part(NamedTuple):
    """A marker: its pattern, and texts that it matches, the first of which is written."""

    pattern: str
    samples: tuple[str, ...]

    @property
    def sample(self) -> str:
        """What is written."""
        return self.samples[0]


class Named(NamedTuple):
    """A marker around a group, or two: what stands before, between and behind them, and the groups' patterns."""

    before: Part
    behind: Part
    after: Part
    group: str

    def terminals(self, space: str) -> list[str]:
        """``NAME``, and ``END_NAME`` where something stands behind it."""
        if not self.behind.pattern:
            run = _CLASS_RUN.fullmatch(self.group)
            if run is None:
                refuse(f"the name {self.group!r}", "nothing says where it ends")
            kinds = r"[\w.-]" if run[1] == WORD else run[1]
            return [f"NAME: /{kinds}+/"]
        return [f"END_NAME: /{self.behind.pattern}{space}/", r"NAME: /(?:(?!/ END_NAME /)[\s\S])+/"]


class Calls:
    """What a template says of calls: which content they have, and where their name and their arguments are."""

    def __init__(self, field: Mapping[str, Any]) -> None:
        self.field = field
        self.kind = field.get("content", "text")
        self.args: Mapping[str, Any] = field.get("content_args") or {}
        self.each = bool(field.get("transform_each")) or self.kind == "python-call-list"
        self.keys = ("name", "arguments")
        self.captured = ""
        shape = field.get("transform", "{content}")
        function = shape.get("function", shape) if isinstance(shape, Mapping) else shape
        if function == "{content}":
            return
        if not isinstance(function, Mapping) or {*function} != {"name", "arguments"}:
            refuse("the transform of the calls", "it makes no name and arguments")
        if isinstance(shape, Mapping) and {*shape} - {"type", "function", "name", "arguments"}:
            refuse("the transform of the calls", "it makes more than a name and arguments")
        name, arguments = function["name"], function["arguments"]
        keys = [_CONTENT.fullmatch(str(x)) for x in (name, arguments)]
        if keys[0] and keys[1]:
            self.keys = keys[0][1], keys[1][1]
        elif arguments == "{content}" and (found := _CAPTURE.fullmatch(str(name))):
            self.captured = found[1]
        else:
            refuse("the transform of the calls", "its name and its arguments come from other places than is known")

    def only_args(self, *known: str) -> None:
        """Refuse further arguments of the content."""
        for key in self.args.keys() - {*known, "strip"}:
            refuse(f"the argument {key!r} of the calls' content", "such notations are not known")

    @property
    def values_are_json(self) -> bool:
        """Whether values are what JSON says, where they are JSON; else they are texts."""
        parser = self.args.get("value_parser") or {"name": "text"}
        if parser.get("name") == "json" and (parser.get("args") or {}).get("allow_non_json"):
            return True
        if parser.get("name") != "text":
            refuse(f"values read by {parser.get('name')!r}", "they are texts, or JSON where they are JSON")
        return False


def part(field: Mapping[str, Any], key: str) -> Part | None:
    """The marker that opens or closes a field; None where there is none."""
    literal, pattern = field.get(key), field.get(f"{key}_pattern")
    if literal is None and pattern is None:
        return None
    if pattern is not None:
        return of_pattern(pattern)
    literals = [literal] if isinstance(literal, str) else literal
    if not isinstance(literals, list) or not literals or not all(isinstance(x, str) and x for x in literals):
        refuse(f"the marker {literal!r:.80}", "it is a text, or a list of texts")
    longest = sorted(literals, key=len, reverse=True)
    return Part(f"(?:{'|'.join(map(quoted, longest))})" if len(longest) > 1 else quoted(longest[0]), tuple(literals))


def named(field: Mapping[str, Any], *groups: str) -> Named:
    """The marker that opens a field, around the named groups (of which an empty one is none)."""
    empty = Part("", ("",))
    if not any(groups):
        return Named(part(field, "open") or empty, empty, empty, "")
    source = field.get("open_pattern")
    if not isinstance(source, str):
        refuse(f"the group {groups[0]!r}", "there is no pattern with it")
    pieces, patterns, rest = [], [], source
    for group in groups:
        ahead, found, rest = rest.partition(f"(?P<{group}>")
        if not found:
            refuse(f"the pattern {source!r:.80}", f"there is no group {group!r} where it is looked for")
        inside, rest = _inside(rest)
        pieces.append(of_pattern(ahead))
        patterns.append(inside)
    pieces.append(of_pattern(rest))
    before, behind, after = [*pieces, empty][:3]
    return Named(before, behind, after, patterns[0])


def _inside(rest: str) -> tuple[str, str]:
    """What stands up to the bracket that closes a group, and what behind it."""
    depth, at, inside = 1, 0, False
    while at < len(rest):
        char = rest[at]
        if char == "\\":
            at += 1
        elif char == "[" and not inside:
            inside = True
        elif char == "]":
            inside = False
        elif not inside:
            depth += (char == "(") - (char == ")")
            if not depth:
                return rest[:at], rest[at + 1 :]
        at += 1
    refuse(f"the pattern {rest!r:.80}", "a group has no end")


def of_pattern(source: str) -> Part:
    """A regular expression in the grammars' profile, where all is bounded."""
    bound = _BOUND.sub(lambda found: _SPACES[found[0].rstrip("?") if len(found[0]) > 2 else found[0]], source)
    if "(?P<" in bound:
        refuse(f"the pattern {source!r:.80}", "only the name, and a key and a value, are groups with a name")
    if _UNBOUND.search(re.sub(r"\[(?:[^\]\\]|\\.)+\]", "x", bound)):
        refuse(f"the pattern {source!r:.80}", "it may be of any length")
    try:
        sample = "".join(_samples(sre_parser.parse(bound)))
    except re.error as error:
        refuse(f"the pattern {source!r:.80}", f"it is none: {error}")
    pattern = re.sub(r"(?<!\\)/", r"\\/", bound).replace("\n", r"\n")
    return Part(f"(?:{pattern})" if "|" in pattern else pattern, (sample,))


def _samples(tree: Any) -> list[str]:
    """A text that a pattern matches, in pieces: the shortest way through it."""
    out = []
    for op, value in tree:
        if op is sre.LITERAL:
            out.append(chr(value))
        elif op is sre.IN and value[0][0] is sre.LITERAL:
            out.append(chr(value[0][1]))
        elif op is sre.SUBPATTERN:
            out += _samples(value[3])
        elif op is sre.BRANCH:
            out += _samples(value[1][0])
        elif op in (sre.MAX_REPEAT, sre.MIN_REPEAT):
            out += _samples(value[2]) * value[0]
        elif op not in (sre.ASSERT, sre.ASSERT_NOT, sre.AT):
            refuse("a pattern of several texts", "nothing says which one of them is written")
    return out


def quoted(text: str) -> str:
    """A text as a pattern inside of slashes."""
    return "".join({"\n": r"\n", "\t": r"\t", "\r": r"\r", "/": r"\/", " ": " "}.get(x) or re.escape(x) for x in text)
