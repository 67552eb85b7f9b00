"""The cases of the matrix: what a model may want to say, in values; the lects write it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import polylect
from polylect import Call, Lect, Reply

SCHEMAS: dict[str, dict[str, Any]] = {
    "get_weather": {"city": {"type": "string"}, "days": {"type": "integer"}},
    "now": {},
    "write_file": {"path": {"type": "string"}, "content": {"type": "string"}},
    "book": {
        "seats": {"type": "integer"},
        "price": {"type": "number"},
        "window": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "place": {"type": "object", "properties": {"lat": {"type": "number"}, "near": {"type": "array"}}},
    },
    "label": {name: {"type": "string"} for name in ("a", "b", "c", "d", "e", "f", "g", "h")},
    "order": {"number": {"type": "integer"}, "note": {"type": ["string", "null"]}},
}
TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": f"The tool {name}.",
            "parameters": {"type": "object", "properties": properties},
        },
    }
    for name, properties in SCHEMAS.items()
]
LONG = 65_536


@dataclass(frozen=True)
class Case:
    """A reply in values; ``pieces`` is set where text stands between or behind the calls."""

    reply: Reply
    pieces: tuple[Reply, ...] = field(default=())


def calls(*pairs: tuple[str, dict[str, Any]], content: str = "", reasoning: str = "") -> Reply:
    """A reply with these calls."""
    return Reply(reasoning, content, tuple(Call(name, arguments) for name, arguments in pairs))


def weather(city: str, days: int = 3) -> tuple[str, dict[str, Any]]:
    """A call of the tool that everybody has."""
    return "get_weather", {"city": city, "days": days}


def file(content: str) -> tuple[str, dict[str, Any]]:
    """A call with one text that may be anything."""
    return "write_file", {"path": "notes/a.txt", "content": content}


TYPES = {
    "seats": 2,
    "price": 12.5,
    "window": True,
    "tags": ["red", "two words"],
    "place": {"lat": -3.25, "near": [1, None, {"deep": [[]]}]},
}
LOOKS_TYPED = {
    "a": "02134",
    "b": "true",
    "c": "5.0",
    "d": "null",
    "e": '{"x": 1}',
    "f": '"q"',
    "g": "[1, 2]",
    "h": "None",
}
LONG_TEXT = ('Line with "quotes", \\ and {braces}: the 7 foxes.\n' * (LONG // 48 + 1))[:LONG]

REPLIES: dict[str, Reply] = {
    "one": calls(weather("Paris")),
    "two": calls(weather("Paris"), file("hello")),
    "same tool twice": calls(weather("Paris"), weather("Lyon", 1)),
    "no arguments": calls(("now", {})),
    "no arguments, then some": calls(("now", {}), weather("Paris")),
    "types": calls(("book", TYPES)),
    "texts that look typed": calls(("label", LOOKS_TYPED)),
    "unicode": calls(file("Zürich — 東京 \U0001f338 مرحبا e\u0301 \u200d\U0001f469\u200d\U0001f4bb")),
    "quotes, newlines, backslashes": calls(file('say "hi", it\'s\n\n\tC:\\new\\u0041 \\" \\\\ `x` \'\'\' """')),
    "brackets": calls(file("if (x[0]) { return ')]}' }\n]})>[{(")),
    "angle brackets": calls(file("a < b > c <b>bold</b> </p> <br/> &amp; &lt; <!-- x --> <![CDATA[y]]>")),
    "outer whitespace": calls(file("  two spaces \n")),
    "big integer": calls(("order", {"number": 2**80 + 1})),
    "null": calls(("order", {"number": 9_007_199_254_740_993, "note": None})),
    "text before": calls(weather("Paris"), content="Let me see."),
    "no call": Reply(content="It rains in Paris, 7 °C.\n\nBring a coat: {ok} [1] <3"),
    "reasoning": calls(weather("Paris"), reasoning="Two cities?\nNo, one.", content="One moment."),
    "a long text": calls(file(LONG_TEXT)),
}
PIECES: dict[str, tuple[Reply, ...]] = {
    "text between": (calls(weather("Paris")), Reply(content="And now the other."), calls(weather("Lyon", 1))),
    "text after": (calls(weather("Paris")), Reply(content="There you are.")),
}
CUT = calls(weather("Pa[ris}", 12), ("now", {}), file("a {b} [c]\n<d> 'e' \"f\""), content="Let me see.")
"""The reply that is cut at every character."""


def case_names() -> list[str]:
    """All cases, in order."""
    return [*REPLIES, *PIECES, "own markers", "own call", "own stops"]


def case(name: str, lect: Lect) -> Case:
    """The case of that name, for a lect (its markers are its own)."""
    if name in PIECES:
        pieces = PIECES[name]
        joined = Reply(
            content="".join(piece.content for piece in pieces), calls=tuple(c for piece in pieces for c in piece.calls)
        )
        return Case(joined, pieces)
    if name == "own markers":
        return Case(calls(file(f"How a call looks: {' and '.join(markers(lect))} (end).")))
    if name == "own call":
        inner = lect.format(REPLIES["one"], tools=TOOLS)
        return Case(calls(file(f"Write it like this: {inner}\nNothing else.")))
    if name == "own stops":
        return Case(calls(file(f"It ends at {' '.join(lect.stops)} (end).")))
    return Case(REPLIES[name])


def markers(lect: Any) -> list[str]:
    """The markers of a lect, those at which a server stops left out."""
    return [mark for mark in lect.special if mark not in lect.stops]


def native() -> list[str]:
    """The names of all lects of the family."""
    return [info.name for info in polylect.lects() if info.family == "native"]
