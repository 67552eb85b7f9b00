"""What hostile texts are made of: a lect's own markers, look-alikes of them, and the usual troublemakers."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, cast

from .._errors import PolylectError
from .._values import AgentAction, AgentStep

if TYPE_CHECKING:
    from .._lect import Lect
    from .._text_lect import TextLect

WORDS = ("a", "b", "the weather", "in Paris", "42", "it is", "so", " and ", "search", "ok.")

QUOTES = (
    *('"', "'", "\\", '\\"', "\\\\", "\\n", "\\u0041", "`", "```", "```json\n", "~~~", "\n```\n"),
    *("{", "}", "[", "]", "(", ")", "<", ">", "</", "/>", "{{", "}}", ":", ",", ";", "=", "*", "**", "#", "|", "$"),
    *("&lt;", "&amp;", "&#10;", "&#x3c;", "&", "<![CDATA[", "]]>", "<!--", "-->", "<?xml?>", "%s", "{x}"),
)

SPACES = (" ", "\n", "\n\n", "  ", "\t", "\r", "\r\n", "\n ", " \n", "\x0b", "\x0c", "\x85", "\u2028", "\u3000", "\xa0")
"""White space, with everything that ``str.splitlines`` or ``strip`` takes for it and a grammar may not."""

ODD = (
    *("\0", "\x1c", "\x7f", "\ufeff", "\u200b", "\u202e", "\ufffd", "\ud800", "\udfff", "\ud800"),
    *("\u00e9", "e\u0301", "\u0130", "\u00df", "\u65e5\u672c", "\U0001f600", "\uff1a", "\uff21", "\u2018", "\u201d"),
)
"""Characters with a history: NUL, lone surrogates, a capital I that grows when lowered, full-width forms."""

JSONISH = (
    *('{"a": 1}', '{"action": "a", "action_input": "b"}', '{"name": "a", "arguments": {}}', '["a"]', '"a"', "{'a': 1}"),
    *("null", "true", "None", "1.0", "-0", "1e5", "NaN", '{"a": ', '[{"a": [', '{"a": "b', "{}", "[]", "0x1", "007"),
)

FOREIGN = (
    *("Thought: ", "Action: ", "Action Input: ", "Observation: ", "Final Answer: ", "Action: a\nAction Input: b\n"),
    *("\nThought:", "\nAction:", "\nObservation:", "\nFinal Answer:", "Question: ", "finish[", "a[b]"),
    *("<tool>", "</tool>", "<tool_input>", "</tool_input>", "<observation>", "<final_answer>", "</final_answer>"),
    *("<tool_call>", "</tool_call>", "<think>", "</think>", "<|im_end|>", "[TOOL_CALLS]", "DONE: "),
)
"""Markers of common tongues: a text that is translated from one lect meets those of another."""

_MARKERS = re.compile(
    r"</?[A-Za-z_][\w.:-]*(?:[ =][^<>\n]{0,40})?>"  # a tag
    r"|<\|[^<>|\n]{1,40}\|>"  # a special token
    r"|\[/?[A-Z][A-Z_]+\]"  # [TOOL_CALLS]
    r"|(?:^|\n)[ \t*#>]*[^\W\d_][^\n:\uff1a\"'{}<>\[\]]{0,24}[:\uff1a]\**[ ]?"  # a label at the start of a line
    r"|\n?(?:```|~~~)\w*\n?"  # a fence
    r"|\"\w{1,24}\"\s?:\s?"  # a key of a JSON object
    r"|[^\W\d_]\w*\["  # finish[
)

_COUNT = 1000
_SHARES = (("words", 0.26), ("markers", 0.28), ("quotes", 0.12), ("spaces", 0.10), ("lookalikes", 0.08))
_REST = ("odd", "json", "foreign", "escaped")


def strings(value: object) -> Iterator[str]:
    """All texts in a JSON-like value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from strings(item)


def markers(lect: Lect) -> tuple[str, ...]:
    """What looks like structure in the lect's examples and transcripts, and its stop strings; the frequent first."""
    counts: dict[str, int] = {}
    for text in strings([*lect.examples, _transcript(lect)]):
        for found in _MARKERS.findall(text):
            counts[found] = counts.get(found, 0) + 1
    for stop in lect.stops:
        counts.setdefault(stop, 1)
    return tuple(sorted(counts, key=lambda marker: -counts[marker]))[:80]


def segments(lect: Lect) -> tuple[str, ...]:
    """The lect's examples, and a transcript, cut before every marker: a marker with the text behind it."""
    found: dict[str, None] = {}
    for text in strings([*lect.examples, _transcript(lect)]):
        starts = [0, *(match.start() for match in _MARKERS.finditer(text)), len(text)]
        found.update(dict.fromkeys(text[start:end] for start, end in itertools.pairwise(starts) if end > start))
    return tuple(found)


def _transcript(lect: Lect) -> Any:
    """One step, formatted: the markers of observations stand in no example."""
    given: Any = "weather" if "text_input" in lect.features else {"query": "weather"}
    try:
        return lect.format_steps([AgentStep(AgentAction("search", given, id="call_0"), "It rains.")])
    except PolylectError:
        return ""


def lookalikes(marker: str) -> tuple[str, ...]:
    """Texts that are nearly ``marker``: other case, a part of it, spaced, doubled, bold, another colon."""
    bare = marker.strip()
    found = (
        *(marker[:-1], marker[1:], bare, marker[: len(marker) // 2], marker + marker, f"\n{marker}", f" {marker}"),
        *(bare.lower(), bare.upper(), bare.title(), f"**{bare}**", f"\n{bare}\n", bare.replace(":", "\uff1a")),
        *(bare.replace(":", " :"), bare.replace("_", " "), bare.replace("<", "< "), bare.replace(">", " x='1'>")),
    )
    return tuple(dict.fromkeys(text for text in found if text and text != marker))


def escaped(lect: TextLect, texts: Iterable[str]) -> tuple[str, ...]:
    """What the lect's own ``escape`` makes of ``texts``: an escape must survive being escaped again."""
    found = []
    for text in texts:
        try:
            found.append(lect.escape(text))
        except PolylectError:
            continue
    return tuple(dict.fromkeys(found))


def fragments(*lects: Lect) -> tuple[str, ...]:
    """A table to draw pieces of hostile text from, weighted; the harmless ones come first, so shrinking finds them."""
    own = tuple(dict.fromkeys(marker for lect in lects for marker in markers(lect)))
    groups: dict[str, tuple[str, ...]] = {
        "words": WORDS,
        "markers": own or FOREIGN,
        "quotes": QUOTES,
        "spaces": SPACES,
        "lookalikes": tuple(dict.fromkeys(near for marker in own for near in lookalikes(marker))) or FOREIGN,
        "odd": ODD,
        "json": JSONISH,
        "foreign": FOREIGN,
        "escaped": tuple(x for lect in lects if not lect.messages for x in escaped(cast("TextLect", lect), own))
        or QUOTES,
    }
    table: list[str] = []
    rest = (1 - sum(share for _, share in _SHARES)) / len(_REST)
    for name, share in (*_SHARES, *((name, rest) for name in _REST)):
        group, size = groups[name], round(share * _COUNT)
        # A group larger than its share is thinned evenly; a smaller one is repeated.
        table.extend(group[i * len(group) // size if len(group) > size else i % len(group)] for i in range(size))
    return tuple(table)


def leaves(message: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The paths of all texts in a provider's message that a model writes (not its role and types)."""
    if isinstance(message, str):
        yield path
    elif isinstance(message, dict):
        for key, item in message.items():
            if key not in ("role", "type", "object"):
                yield from leaves(item, (*path, key))
    elif isinstance(message, list):
        for index, item in enumerate(message):
            yield from leaves(item, (*path, index))


def at(message: Any, path: tuple[str | int, ...]) -> Any:
    """The value at ``path``."""
    for key in path:
        message = message[key]
    return message


def replaced(message: Any, path: tuple[str | int, ...], value: object) -> Any:
    """A copy of ``message`` with ``value`` at ``path``."""
    if not path:
        return value
    key, *rest = path
    if isinstance(message, dict):
        return {k: replaced(v, tuple(rest), value) if k == key else v for k, v in message.items()}
    return [replaced(v, tuple(rest), value) if i == key else v for i, v in enumerate(message)]
