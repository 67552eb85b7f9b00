"""What stock lark reads: its tokens, and the pieces of a message by the names of the rules. The engine must agree."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import lark
import lark.lexer
from lark import Token, Tree

import polylect_grammars

lark.lexer.has_interegular = False  # with it lark compares all terminals with each other, for minutes

SHARED = Path(polylect_grammars.__file__).parent
PAYLOADS = (
    "json_call", "json_object", "json_array", "json_value", "brackets", "python_arguments", "token_object", "elements",
)  # fmt: skip
MEMBERS = {"python_arguments": "python_argument", "token_object": "object_pair", "elements": "element"}
"""Payloads whose members become JSON, with the rule of a member."""
ROLES = ("reasoning", "content", "answer", "observation", "call", "name", "arguments", "id", "key", "value")

Node: TypeAlias = "Tree[Token] | Token"
Taken: TypeAlias = tuple[str, int, int]
"""A token: its terminal (``@json_call`` for all of a payload) and its place."""


class CallPieces(NamedTuple):
    """A call as the rules say it."""

    start: int
    end: int
    name: str
    id: str | None
    raw: str


class Pieces(NamedTuple):
    """A message as stock lark reads it; places are those of the message, without the lead."""

    tokens: list[Taken]
    parts: list[tuple[str, int, int]]
    calls: list[CallPieces]
    answer: str | None


class Reference:
    """Stock lark over the whole, honest grammar."""

    def __init__(self, path: Path, lead: str, texts: Collection[str], start: str = "start") -> None:
        self.lead, self.texts = lead, frozenset(texts)
        self._lark = lark.Lark.open(
            str(path), parser="lalr", keep_all_tokens=True, maybe_placeholders=False, start=start,
            import_paths=[str(SHARED)],
        )  # fmt: skip

    def read(self, message: str) -> Pieces | None:
        """The message's pieces; None when lark does not accept it."""
        text = self.lead + message
        try:
            tree = self._lark.parse(text)
        except lark.exceptions.UnexpectedInput:
            return None
        return _Walk(text, len(self.lead), self.texts).pieces(tree)


def base(rule: str) -> str:
    """A rule's name without the file's that it was imported from."""
    return rule.rsplit("__", 1)[-1]


def role_of(rule: str) -> str | None:
    """The role that a rule's name says."""
    name = base(rule)
    return next((role for role in ROLES if name == role or name.startswith(role + "_")), None)


def leaves(node: Node) -> Iterator[Token]:
    """The tokens under a node."""
    if isinstance(node, Token):
        yield node
    else:
        for child in node.children:
            yield from leaves(child)


def place(token: Token) -> tuple[int, int]:
    """Where a token stands in the text that was parsed."""
    assert token.start_pos is not None
    assert token.end_pos is not None
    return token.start_pos, token.end_pos


class _Open:
    """A call that is being collected."""

    def __init__(self) -> None:
        self.name = self.raw = ""
        self.id: str | None = None
        self.pairs: list[list[str]] = []
        self.has_arguments = self.broken = False


class _Walk:
    def __init__(self, text: str, lead: int, texts: frozenset[str]) -> None:
        self.text, self.lead, self.texts = text, lead, texts
        self.tokens: list[Taken] = []
        self.parts: list[tuple[str, int, int]] = []
        self.calls: list[CallPieces] = []
        self.answers: list[str] = []
        self.open = _Open()

    def pieces(self, tree: Tree[Token]) -> Pieces:
        self._node(tree, None)
        told = [answer for answer in self.answers if answer] or self.answers[:1]
        return Pieces(self.tokens, sorted(self.parts), self.calls, "\n".join(told) if told else None)

    def _at(self, position: int) -> int:
        return max(position - self.lead, 0)

    def _node(self, node: Node, role: str | None) -> None:
        if isinstance(node, Token):
            self._token(node, role)
            return
        name = base(str(node.data))
        if name in PAYLOADS:
            self._payload(name, node)
            return
        own = None if str(node.data).startswith("_") else role_of(str(node.data))
        before = len(self.tokens)
        if own == "call":
            self.open = _Open()
        if own == "arguments":
            self.open.has_arguments = True
        for child in node.children:
            self._node(child, own or role)
        if own is not None and len(self.tokens) > before:
            self._ended(own, self.tokens[before:])

    def _token(self, token: Token, role: str | None) -> None:
        start, end = place(token)
        self.tokens.append((str(token.type), start, end))
        if role in ("reasoning", "content") and token.type in self.texts and end > max(start, self.lead):
            self.parts.append((role, self._at(start), self._at(end)))
        if token.type not in self.texts:
            return
        if role == "name":
            self.open.name = token.strip()
        elif role == "id":
            self.open.id = token.strip()
        elif role == "key":
            self.open.pairs.append([str(token), ""])
        elif role == "value":
            self.open.pairs[-1][1] = str(token)
        elif role == "arguments":
            self.open.raw = str(token)

    def _payload(self, name: str, node: Tree[Token]) -> None:
        found = list(leaves(node))
        start, end = place(found[0])[0], place(found[-1])[1]
        self.tokens.append((f"@{name}", start, end))
        if name == "json_call":
            self._members(node)
        elif name == "brackets":
            self.open.raw = self.text[start + 1 : end - 1]
        elif name in MEMBERS:
            self._notation(node, MEMBERS[name])
        else:
            self.open.raw = self.text[start:end]

    def _members(self, node: Tree[Token]) -> None:
        words: dict[str, Any] = {}
        for member in node.children:
            for child in getattr(member, "children", ()):
                role = role_of(str(child.data)) if isinstance(child, Tree) else None
                if role is None:
                    continue
                found = list(leaves(child))
                raw = self.text[place(found[0])[0] : place(found[-1])[1]]
                if role == "arguments" and not self.open.has_arguments:
                    self.open.raw, self.open.has_arguments = raw, True
                elif role != "arguments" and raw[0] == '"':
                    words.setdefault(role, _decoded(raw))
        self.open.name = words.get("name", "").strip()
        self.open.id = words.get("id")

    def _notation(self, node: Tree[Token], rule: str) -> None:
        """Members in a notation: strings as what they stand for, other values as they are written."""
        for member in node.children:
            if not isinstance(member, Tree) or base(str(member.data)) != rule:
                continue
            tokens = list(leaves(member))
            kinds = [base(str(token.type)) for token in tokens]
            if rule == "element":
                if not _matched(member):
                    self.open.broken = True
                    return
                inner = tokens[3:-3]
                value = self.text[place(inner[0])[0] : place(inner[-1])[1]] if inner else ""
                self.open.pairs.append([str(tokens[1]), value])
                continue
            at = next(n for n, kind in enumerate(kinds) if kind in ("EQUALS", "COLON")) + 1
            key = "".join(t for t, kind in zip(tokens[:at], kinds, strict=False) if kind in _KEY_KINDS).strip(" ")
            told = set(kinds[at:]) - {"WS", "GAP"}
            if told <= {"PY_STRING"} or told <= {"OBJECT_QUOTE", "OBJECT_TEXT"}:
                wanted = ("PY_STRING", "OBJECT_TEXT")
                texts = [str(t) for t, kind in zip(tokens[at:], kinds[at:], strict=True) if kind in wanted]
                value = "".join(map(_python_text, texts) if rule == "python_argument" else texts)
            else:
                value = self.text[place(tokens[at])[0] : place(tokens[-1])[1]].strip(" \t\r\n")
            self.open.pairs.append([key, value])

    def _ended(self, role: str, tokens: list[Taken]) -> None:
        start, end = tokens[0][1], tokens[-1][2]
        texts = [token for token in tokens if token[0] in self.texts]
        if role == "call":
            call = self.open
            raw = call.raw
            if call.pairs:
                pairs = [f"{_quoted(key)}: {_quoted(value)}" for key, value in call.pairs]
                raw = "{" + ", ".join(pairs) + ("" if call.broken else "}")
            self.calls.append(CallPieces(self._at(start), self._at(end), call.name, call.id, raw))
            self.parts.append(("call", self._at(start), self._at(end)))
        elif role in ("answer", "observation"):
            inner = texts[0][1:] if texts else (tokens[0][2], tokens[0][2])
            if role == "answer":
                self.answers.append(self.text[slice(*inner)])
            first = start if role == "answer" else inner[0]
            self.parts.append((role, self._at(first), self._at(inner[1])))


_ESCAPE = re.compile(r"(?:\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|\\u[0-9a-fA-F]{4}|\\.", re.S)


def _decoded(raw: str) -> str:
    """What a JSON string says, its invalid escapes left as they are."""

    def one(escape: re.Match[str]) -> str:
        try:
            return str(json.loads(f'"{escape[0]}"'))
        except ValueError:
            return escape[0]

    return _ESCAPE.sub(one, raw[1:-1])


def _matched(element: Tree[Token]) -> bool:
    """Whether every tag closes an element of its own name."""
    for node in element.iter_subtrees():
        if base(str(node.data)) == "element":
            names = [str(x.children[0]) for x in node.children if isinstance(x, Tree) and "name" in str(x.data)]
            if names[0] != names[-1]:
                return False
    return True


_KEY_KINDS = ("PY_KEY", "OBJECT_KEY", "OBJECT_TEXT")
_PYTHON_ESCAPE = re.compile(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{1,3}|\r\n|.)", re.S)
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def _python_text(raw: str) -> str:
    """What a string of Python says, its invalid escapes left as they are."""

    def one(escape: re.Match[str]) -> str:
        if escape[0][1:] in ("\n", "\r\n"):
            return ""
        if escape[0][1:2] in "qQ" or not escape[0][1:2].isascii() or escape[0][1:2] not in "abfnrtvxuU\\'\"01234567":
            return escape[0]
        try:
            return str(ast.literal_eval(f"'{escape[0]}'"))
        except (ValueError, SyntaxError):
            return escape[0]

    mark = 3 if raw[:3] in ('"""', "'''") else 1
    text = _PYTHON_ESCAPE.sub(one, raw[mark:-mark])
    return _PAIR.sub(lambda pair: pair[0].encode("utf-16-le", "surrogatepass").decode("utf-16-le"), text)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
