"""A tree in llguidance's dialect of Lark: lexemes, with free text as an intersection, and JSON by its schema."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable
from typing import Any

from msgspec import structs

from .._errors import ConstraintError
from ..grammar import _patterns as patterns
from ._delimiters import BLANK, Way, characters, optional, told
from ._dfa import dfa_of, own_ends
from ._eliminate import has_text, retold
from ._items import Item, Many, Token
from ._lexemes import Lexemes, split
from ._printed import WIDER, Options, Printed, Reasons, char_class, regex_char, times, wider
from ._regex import no_text, source_of
from ._residual import behind
from ._tree import EMPTY, Alt, Json, Lit, Node, Ref, Rep, Seq, Text, Tree

STATES = 150
"""A text has so many states at the most: of much larger ones the lexer gives up in the middle of a turn. Nor is a value
told by all that follows it where that may begin with a line end: masks behind each of its own take 1 ms, as every token
is tried then."""
_KEYWORDS = {
    "$defs", "$ref", "additionalProperties", "anyOf", "const", "default", "definitions", "description", "enum",
    "examples", "exclusiveMaximum", "exclusiveMinimum", "items", "maxItems", "maxLength", "maximum", "minItems",
    "minLength", "minimum", "pattern", "prefixItems", "properties", "required", "title", "type",
}  # fmt: skip
"""What llguidance reads in a schema as JSON schema does; a value with other keywords is written out as rules."""
_BOUNDS = ("exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum")
_NAMES = ("$defs", "definitions", "properties")


def llguidance(tree: Tree, options: Options) -> Printed:
    """The tree for llguidance, and for servers that use it (vLLM's and SGLang's guidance backends, llama.cpp built so).

    Raises:
        ConstraintError: its lexer can't tell where a text ends, or a special token has no name in brackets.
    """
    for token in options.special_tokens:
        if not (
            token.startswith("<") and token.endswith(">") and len(token) > 2 and not set(token[1:-1]) & set("<> \n")
        ):
            raise ConstraintError(
                f"llguidance names tokens in angle brackets, and {token!r:.60} is not so written; leave it out of the "
                "special tokens, and the model writes it as text."
            )
    reasons = Reasons()

    def light(text: Text) -> Text:
        less, why = _light(text)
        for reason in why:
            reasons.add(reason)
        return less

    few = Tree({name: retold(node, light) for name, node in tree.rules.items()}, tree.start)
    return reasons.printed(Printer(split(few, speaks, reasons, options.special_tokens)).text())


def _light(text: Text) -> tuple[Text, list[str]]:
    """A text, less of it where it stands in a value or has too many states, and why."""
    large = len(dfa_of(text).rows) > STATES
    less = wider(text) if large or (text.value and _may_end_in_line_end(text)) else text
    why = [WIDER] if less != text else []
    if large and not text.value:  # what it is told from is the same then, whatever follows it
        heads = (*(head for head in less.heads if not head.endswith(BLANK)), r"\s")
        less = structs.replace(less, heads=heads)
        why.append("a long text begins with no white space")
    return less, why


def _may_end_in_line_end(text: Text) -> bool:
    """Whether a line end may be the beginning of what ends the text."""
    dfa = dfa_of(text)
    plain = dfa.run("a")
    return dfa.step(plain, ord("\n")) != plain


def speaks(value: Json) -> bool:
    """Whether llguidance reads the schema of a value as JSON schema does, and can write its layout."""
    return not value.layout.indent and _understood(value.schema)


def _understood(schema: Any) -> bool:
    if isinstance(schema, bool):
        return True
    if not schema.keys() <= _KEYWORDS or any(_is_fine(schema.get(bound, 0)) for bound in _BOUNDS):
        return False
    for key, part in schema.items():
        if key in _NAMES:
            inner: Iterable[Any] = part.values()
        elif key in ("anyOf", "prefixItems"):
            inner = part
        elif key in ("items", "additionalProperties"):
            inner = (part,)
        else:
            inner = ()
        if not all(map(_understood, inner)):
            return False
    return True


def _is_fine(bound: Any) -> bool:
    """Whether a bound has several decimal places: llguidance refuses 3.7 where 3.75 is the most."""
    return isinstance(bound, float) and not (bound * 10).is_integer()


class Printer:
    """Prints rules over lexemes. A subclass writes terminals in other words."""

    def __init__(self, lexemes: Lexemes) -> None:
        self._lexemes = lexemes
        self._terminals: dict[str, str] = {}
        self._names: dict[str, str] = {}

    def text(self) -> str:
        """The grammar."""
        names = [name for name in self._lexemes.ways if name != self._lexemes.start]
        self._names = {self._lexemes.start: "start"}
        for name in names:
            told = name.replace("-", "_")
            while told in self._names.values():
                told += "_"
            self._names[name] = told
        used = self._used()
        rules = [f"{self._names[name]}: {self._rule(name)}" for name in used]
        return "\n".join([*rules, *(f"{name}: {body}" for body, name in self._terminals.items()), ""])

    def _used(self) -> list[str]:
        found = {self._lexemes.start: None}
        todo = [self._lexemes.start]
        for name in todo:
            for way in self._lexemes.ways[name]:
                for item in way:
                    if isinstance(item, Ref | Many) and item.name not in found:
                        found[item.name] = None
                        todo.append(item.name)
        return list(found)

    def _rule(self, name: str) -> str:
        ways = [" ".join(map(self._item, way)) or '""' for way in self._lexemes.ways[name]]
        if not ways:
            raise ConstraintError(f"The rule {name!r} allows nothing.")
        return "\n    | ".join(ways)

    def _item(self, item: Item) -> str:
        if isinstance(item, Ref):
            return self._names[item.name]
        if isinstance(item, Many):
            return self._names[item.name] + self.times(item.least, item.most)
        if isinstance(item, Json):
            return self.json(item)
        if isinstance(item, Token):
            return item.name
        if not item.special:
            return self.lexeme(item.node)
        before = "" if item.node == EMPTY else self.lexeme(item.node) + " "
        return f"({self.lexeme(item.whole)} | {before}{item.special})"

    def json(self, value: Json) -> str:
        """A JSON value in the engine's own words."""
        layout = value.layout
        written = {"whitespace_flexible": False, "item_separator": layout.item, "key_separator": layout.key}
        schema = {} if value.schema is True else {"not": {}} if value.schema is False else value.schema
        return "%json " + json.dumps({**schema, "x-guidance": written}, ensure_ascii=False)

    def lexeme(self, node: Node) -> str:
        """A literal as it is, anything else by the name of a terminal."""
        return quoted(node.text) if isinstance(node, Lit) else self.terminal("T", self.body(node))

    def times(self, least: int, most: int | None) -> str:
        """The bounds of a repeated rule."""
        return times(least, most)

    def terminal(self, letter: str, body: str) -> str:
        """The name of the terminal with this definition."""
        if body not in self._terminals:
            self._terminals[body] = f"{letter}{len(self._terminals) + 1}"
        return self._terminals[body]

    def body(self, node: Node) -> str:
        """The definition of a lexeme."""
        if not has_text(node):
            return quoted(node.text) if isinstance(node, Lit) else f"/{source_of(node, no_text)}/"
        if isinstance(node, Text):
            return self.terminal("TEXT", _free(node))
        if isinstance(node, Seq):
            return " ".join(self.body(part) for part in node.parts)
        if isinstance(node, Alt):
            return "(" + " | ".join('""' if option == EMPTY else self.body(option) for option in node.options) + ")"
        assert isinstance(node, Rep)
        return f"({self.body(node.part)}){times(node.least, node.most)}"


@functools.lru_cache(maxsize=1024)
def _free(text: Text) -> str:
    """The definition of a free text."""
    least = text.least or int(0 not in dfa_of(text).ends)
    bounds = times(least, text.most) or "{1}"
    found, then = told(text.delimiters, text.heads), text.then
    own = own_ends(text.delimiters, text.heads, then or "")
    inner = _refused(found.anywhere, then, own, closing=not then)
    outer = _refused(found.first, then, own, closing=not then)
    parts = [f"/(?s:.){bounds}/", *([f"~/(?s:.*){inner}/"] if inner else []), *([f"~/{outer}/"] if outer else [])]
    return " & ".join(parts)


def _refused(ways: Iterable[Way], then: str | None, own: frozenset[int], *, closing: bool) -> str:
    """What may not stand in a text, with the rest of it, or, ``closing``, at its end."""
    whole = _either([(*way.body, *way.ahead) for way in ways if not way.closes and not way.held])
    ends = _either([way.body for way in ways if way.alone or (way.closes and closing)])
    found = [f"{whole}(?s:.*)"] * bool(whole) + [ends] * bool(ends)
    found += [end for way in ways if not way.closes for end in _ends(way, then, own)]
    return f"(?:{'|'.join(found)})" if found else ""


def _either(seqs: list[patterns.Seq]) -> str:
    """One of several patterns, what they begin with written once: the lexer does not see that it is the same."""
    by_first: dict[patterns.Node | None, list[patterns.Seq]] = {}
    for seq in seqs:
        by_first.setdefault(seq[0] if seq else None, []).append(seq[1:])
    found = ["" if first is None else _pattern((first,)) + _either(rests) for first, rests in by_first.items()]
    return f"(?:{'|'.join(found)})" if len(found) > 1 else "".join(found)


def _ends(way: Way, then: str | None, own: frozenset[int]) -> list[str]:
    """What of a delimiter a text may not end in that is followed by this; ``own``: where that ends one itself."""
    body, ahead = _pattern(way.body), functools.partial(_completed, then=then)
    out: list[str] = []
    if way.held:
        return [body] if then != "" and ahead(way.ahead) else []
    if way.ahead and then != "" and (begun := _begun(way.ahead, (), ahead)) is not None:
        out.append(body + begun)
    if then:
        within = _begun(way.body, way.ahead, functools.partial(_ended, then=then, own=own), whole=False)
        out += [] if within is None else [within]
    return out


def _pattern(seq: patterns.Seq) -> str:
    out = ""
    for node in seq:
        if node[0] == "c":
            out += char_class(characters(node[1]), regex_char)
        elif node[0] == "alt":
            out += "(?:" + "|".join(_pattern(branch) for branch in node[1]) + ")"
        else:
            inner = _pattern(node[3])
            out += (inner if patterns.single(node[3]) else f"(?:{inner})") + times(node[1], node[2])
    return out


def _begun(
    seq: patterns.Seq, after: patterns.Seq, refused: Callable[[patterns.Seq], bool], *, whole: bool = True
) -> str | None:
    """The pattern of all beginnings of a pattern's matches whose rest is refused; ``whole``: of none of it, too."""
    found = [""] if whole and refused((*seq, *after)) else []
    if seq:
        node, rest = seq[0], seq[1:]
        if node[0] == "alt":
            some = (_begun((*branch, *rest), after, refused, whole=whole) for branch in node[1])
            found += filter(None, some)
        elif node[0] == "rep":
            low, high, inner = node[1:4]
            within = _begun(inner, (("rep", 0, high, inner), *rest, *after), refused, whole=whole)
            behind_it = _begun(rest, after, refused, whole=whole or low > 0)
            for least, more in ((0, within), (low, behind_it)):
                found += [] if more is None else [f"(?:{_pattern(inner)}){times(least, high)}{more}"]
        else:
            more = _begun(rest, after, refused)
            found += [] if more is None else [_pattern((node,)) + more]
    return f"(?:{'|'.join(found)})" if len(found) > 1 else found[0] if found else None


@functools.lru_cache(maxsize=4096)
def _completed(seq: patterns.Seq, then: str | None) -> bool:
    """Whether what follows may complete a pattern's match."""
    left = [seq]
    for char in then or "":
        left = [rest for one in left for rest in behind(one, char)]
        if any(all(map(optional, one)) for one in left):
            return True
    return bool(left)


@functools.lru_cache(maxsize=4096)
def _ended(seq: patterns.Seq, then: str, own: frozenset[int]) -> bool:
    """Whether what follows completes a pattern's match, elsewhere than where it ends one itself."""
    left = [seq]
    for size, char in enumerate(then, 1):
        left = list(dict.fromkeys(rest for one in left for rest in behind(one, char)))
        if size not in own and any(all(map(optional, one)) for one in left):
            return True
    return False


def quoted(text: str) -> str:
    """A literal, in quotes."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


__all__ = ["Printer", "llguidance", "quoted", "speaks"]
