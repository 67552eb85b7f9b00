"""Compiling: a grammar file to plain tables that fit in one small JSON file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from .._errors import GrammarError
from . import _patterns as patterns
from . import _ways as ways
from ._automaton import END, PAYLOADS, Edge, base_name, build
from ._faults import explained, of_terminal
from ._source import Source

ENGINE = 4
"""Raise it when the meaning of the tables changes, or what compiles: cached ones of another number are thrown away."""

CALL_BEGIN, CALL_END, CALL_END_BEFORE, ANSWER_BEGIN, ARGUMENTS_BEGIN, OBSERVATION_BEGIN = 1, 2, 4, 8, 16, 32
REASONING, CONTENT, ANSWER, NAME, ARGUMENTS, ID, KEY, VALUE, OBSERVATION, MARKUP = range(10)
KIND = 11  # 10 is the pseudo role of what is skipped
ROLE_CODES = {
    "reasoning": REASONING,
    "content": CONTENT,
    "answer": ANSWER,
    "name": NAME,
    "arguments": ARGUMENTS,
    "id": ID,
    "key": KEY,
    "kind": KIND,
    "value": VALUE,
    "observation": OBSERVATION,
}


class Text(msgspec.Struct, frozen=True):
    """Free text: it runs to the first of its delimiters, and does not begin where its guard matches."""

    delimiters: tuple[str, ...]
    guard: str | None = None


class Move(msgspec.Struct, frozen=True, array_like=True):
    """A transition: on this terminal to that state, with flags; ``role`` is what a text there is."""

    terminal: str
    target: int
    flags: int
    role: int


class Tables(msgspec.Struct, frozen=True):
    """A compiled grammar. ``states[i]`` lists the moves in the order in which lark would try their terminals."""

    engine: int
    name: str
    starts: dict[str, int]
    states: tuple[tuple[Move, ...], ...]
    markers: dict[str, str]
    texts: dict[str, Text]
    keys: dict[str, str]
    """For the payload ``json_call``: which JSON key has which role."""
    words: dict[str, str] = {}
    """For other payloads: the literals, and the patterns, of the terminals that they look for."""


def no_lexer() -> Any:
    """A lexer class for lark that refuses to lex: we want its tables only."""
    from lark.lexer import Lexer

    class NoLexer(Lexer):
        def __init__(self, lexer_conf: Any) -> None: ...

        def lex(self, *args: Any) -> Iterator[Any]:
            raise NotImplementedError

    return NoLexer


def load_lark(source: Source, **options: Any) -> Any:
    """The grammar as a ``lark.Lark``; GrammarError when lark refuses it."""
    import lark

    files: list[Source | None] = [None]

    def load(_: object, path: str) -> tuple[str, str]:
        found = source.imported(path)
        files.append(source._replace(name=path, text=found[1]))
        return found

    _check_statements(source)
    starts = ["start", "written"] if re.search(r"^\??written[ \t]*:", source.text, re.M) else ["start"]
    settings = {"parser": "lalr", "keep_all_tokens": True, "maybe_placeholders": False, "start": starts, **options}
    try:
        return lark.Lark(source.text, import_paths=[load], **settings)
    except (lark.exceptions.LarkError, re.error, OSError, AssertionError, TypeError) as error:
        raise GrammarError(explained(source, error, files[-1])) from error


_STATEMENTS = (
    (r"^%ignore\b", "%ignore is outside the profile: nothing may vanish; name the white space where it may stand"),
    (r"^%declare\b", "%declare is outside the profile: the engine reads text, so every terminal needs a pattern"),
    (r"^[?!]{0,2}_?[A-Za-z]\w*\.-?\d+[ \t]*:", "priorities are outside the profile; let patterns exclude each other"),
    (r"^[?!]{0,2}_?[a-z]\w*\{", "templates are outside the profile; write the rule out"),
)


def _check_statements(source: Source) -> None:
    """Refuse what lark takes and the profile does not."""
    for number, line in enumerate(source.text.split("\n"), 1):
        for pattern, what in _STATEMENTS:
            if re.match(pattern, line):
                raise GrammarError(f"{source.name}:{number}: {what}.")


def compile_source(source: Source) -> Tables:
    """Compile a grammar.

    Raises:
        GrammarError: lark refuses the grammar, it has a conflict, or it leaves the profile; the message says where.
    """
    lark = load_lark(source, lexer=no_lexer(), strict=True)
    machine = build(lark.rules, lark.options.start, source.place)
    used = {name for row in machine.rows for name in row}
    order, markers, texts = {}, {}, {}
    for terminal in lark.terminals:
        name, pattern = str(terminal.name), terminal.pattern
        expression = pattern.to_regexp()
        try:
            text = _text(expression) if pattern.type == "re" else None
            for part in (expression,) if text is None else (*text.delimiters, text.guard or ""):
                tree = patterns.parse(part)
                if part and name in used and patterns.can_be_empty(tree):
                    raise patterns.PatternError("it can match nothing at all; make part of it obligatory")
                if name in used:
                    ways.check(tree)
        except patterns.PatternError as error:
            raise GrammarError(f"{of_terminal(source, name, str(pattern.raw))}: {error}.") from error
        order[name] = (-terminal.priority, -pattern.max_width, -len(pattern.value), name)
        if text is None:
            markers[name] = expression
        else:
            texts[name] = text
    states = tuple(
        tuple(_move(name, row[name]) for name in sorted(row, key=lambda n: order.get(n, (1, 0, 0, n))))
        for row in machine.rows
    )
    return Tables(
        ENGINE,
        source.name,
        machine.starts,
        states,
        {n: p for n, p in markers.items() if n in used},
        {n: t for n, t in texts.items() if n in used},
        _call_keys(lark),
        _payload_words(lark),
    )


def _move(terminal: str, edge: Edge) -> Move:
    flags = 0
    if "call" in edge.opens:
        flags |= CALL_BEGIN
    if "answer" in edge.opens:
        flags |= ANSWER_BEGIN
    if "arguments" in edge.opens:
        flags |= ARGUMENTS_BEGIN
    if "observation" in edge.opens:
        flags |= OBSERVATION_BEGIN
    if "call" in edge.before:
        flags |= CALL_END_BEFORE
    if "call" in edge.after:
        flags |= CALL_END
    return Move(terminal, edge.target, flags, ROLE_CODES.get(edge.role or "", MARKUP))


_TEMPERED = re.compile(r"(?s)(?:\(\?!(?P<guard>.*?)\))??\(\?:\(\?!(?P<delimiters>.*)\)\[\\s\\S\]\)\+\Z")
_RUN = re.compile(r"(?s)\[(\^?)((?:[^\]\\]|\\.)+)\]\+\Z")


def _text(expression: str) -> Text | None:
    """The free text that a pattern says, or None for a marker."""
    if expression == r"[\s\S]+":
        return Text(())
    match = _TEMPERED.match(expression)
    if match is not None:
        return Text(tuple(split_alternatives(match["delimiters"])), match["guard"])
    match = _RUN.match(expression)
    if match is not None:
        return Text((f"[{'' if match[1] else '^'}{match[2]}]",))
    return None


def split_alternatives(source: str) -> Iterator[str]:
    """Split a regular expression at the bars that stand outside every group and class."""
    depth, start, in_class, at = 0, 0, False, 0
    while at < len(source):
        char = source[at]
        if char == "\\":
            at += 1
        elif in_class:
            in_class = char != "]"
        elif char == "[":
            in_class = True
            at += source.startswith("^", at + 1)
            at += source.startswith("]", at + 1)
        elif char in "()":
            depth += 1 if char == "(" else -1
        elif char == "|" and depth == 0:
            yield source[start:at]
            start = at + 1
        at += 1
    yield source[start:]


def _call_keys(lark: Any) -> dict[str, str]:
    """The roles of the keys in ``json_call``, read from its member rules: ``NAME_KEY … name``."""
    patterns_of = {str(t.name): t.pattern for t in lark.terminals}
    keys: dict[str, str] = {}
    for rule in lark.rules:
        if base_name(str(rule.origin.name)) != "json_member" or not rule.expansion[0].is_term:
            continue
        pattern = patterns_of[str(rule.expansion[0].name)]
        roles = [base_name(str(s.name)) for s in rule.expansion if not s.is_term]
        role = next((r for r in roles if r in ("name", "arguments", "id")), None)
        if role is not None and pattern.type == "str":
            keys[str(pattern.value).strip('"')] = role
    return keys


OBJECT_QUOTE, OBJECT_END = "OBJECT_QUOTE", "OBJECT_END"
"""Terminals that say what stands around the strings of an object (a literal), and what follows the object."""
ELEMENT_OPEN, ELEMENTS_END = "ELEMENT_OPEN", "ELEMENTS_END"
"""Terminals that say how the tag of an element begins (a literal), and what follows the last element."""
WORDS = (OBJECT_QUOTE, OBJECT_END, ELEMENT_OPEN, ELEMENTS_END)


def _payload_words(lark: Any) -> dict[str, str]:
    words: dict[str, str] = {}
    for terminal in lark.terminals:
        name = base_name(str(terminal.name))
        if name in WORDS:
            literal = terminal.pattern.type == "str" and name in (OBJECT_QUOTE, ELEMENT_OPEN)
            words[name] = str(terminal.pattern.value) if literal else terminal.pattern.to_regexp()
    return words


__all__ = ["END", "ENGINE", "PAYLOADS", "Move", "Tables", "Text", "compile_source", "load_lark"]
