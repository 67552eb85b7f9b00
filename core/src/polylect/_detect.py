"""Telling which tongue a text is in: by the markers that stand in it, and then by reading it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from ._errors import PolylectError
from ._lect import Lect
from ._mentions import masked
from ._registry import registry
from ._sse import is_stream
from ._tools import Toolbox, Tools, toolbox
from ._values import Reply

SURE = 0.35
"""From this score on a text counts as being in a tongue."""
CLOSE = 0.02
"""Scores that differ by no more are told apart by what each tongue would have written."""


UNREAD = 0.4
"""How much less sure a tongue is whose content holds the markup of others."""
KNOWN = 0.1
"""How much surer a tongue is in which all calls are of known tools."""
UNKNOWN = 0.3
"""How much less sure one is in which none is."""
MARKUP = 6
"""A shorter marker may stand in prose."""
AROUND = 48
"""Characters before a call where a marker of its may stand."""


Order: TypeAlias = tuple[int, str]
"""Of lects that fit alike the one that more models speak comes first; then it goes by the names."""


class Detected(NamedTuple):
    """A tongue that a text may be in.

    Attributes:
        lect: its name.
        confidence: how sure that is, 0 to 1.
        reason: what speaks for it, in words.
        equals: lects that nothing in the text tells apart from this one: they explain as much of it.
        prefix: what the prompt had written of the message, by the look of it; to be given to ``parse`` and ``parser``.
    """

    lect: str
    confidence: float
    reason: str
    equals: tuple[str, ...] = ()
    prefix: str = ""

    @property
    def told(self) -> str:
        """The reason, and the lects that fit as well."""
        same = f"; {', '.join(self.equals)} {'fit' if len(self.equals) > 1 else 'fits'} as well" if self.equals else ""
        return self.reason + same


class _Found(NamedTuple):
    lect: Lect
    score: float
    order: Order
    reply: Reply | None = None
    prefix: str = ""
    exact: int = 0

    @property
    def rank(self) -> tuple[int, int]:
        """Less is better: how far the tongue writes it so, and how much of the text is no structure."""
        return -self.exact, 0 if self.reply is None else _said(self.reply)


def detect(text: str, *, tools: Tools = None) -> list[Detected]:
    """The tongues that ``text`` may be in, the surest first; empty for plain prose.

    Args:
        text: what a model wrote.
        tools: the tools that were offered, in any form that :func:`polylect.as_tool` takes; None when unknown. Calls of
            them speak for a tongue, others against it.

    A lect is asked where its markers stand in the text. Of those that read it about as well, that one comes first which
    would have written it just so, or else takes the most of it for structure; where that is the same, too, they are
    ``equals``.

    Markers that the text only speaks of, in backticks or in the middle of a sentence, do not count. The lines of a
    provider's stream (``data: {…}``) are in no tongue: what they carry is.

    Raises:
        ToolError: a broken tool.
    """
    known = toolbox(tools)
    if not isinstance(text, str) or is_stream(text):
        return []
    text = masked(text)
    found = sorted(_scored(text, known), key=lambda x: (-x.score, x.order))
    if not found:
        return []
    best = found[0].score
    close = [x for x in found if x.score >= best - CLOSE]
    if len(close) > 1:
        close = sorted(map(_compared, close), key=lambda x: (x.rank, -x.score, x.order))
    firsts = [x for x in close if x.rank == close[0].rank]
    names = [x.lect.name for x in firsts]
    out = [_told(x, text, best, tuple(name for name in names if name != x.lect.name)) for x in firsts]
    for other in [*close[len(firsts) :], *found[len(close) :]]:
        out.append(_told(other, text, min(other.score, best - CLOSE), ()))
    return sorted(out, key=lambda x: -x.confidence)


def candidates(text: str) -> Iterator[tuple[Order, Lect]]:
    """The lects of which a marker stands in ``text``, and those that have none to look for, with their order."""
    small = text.lower()
    registry.discover()
    for name, entry in registry.names()[0].items():
        try:
            lect = registry.lect(name)
            signs = lect.signs
        except PolylectError:
            continue
        if not signs or any(sign in small for sign in signs):
            yield (-len(entry.spec.models), name), lect


def _scored(text: str, tools: Toolbox | None) -> Iterator[_Found]:
    for order, lect in candidates(text):
        try:
            score = lect.detect(text)
            prefix = "" if lect.messages else lect.begun(text)
            if tools and score > 0 and not lect.messages:
                score = _by_tools(score, lect.parse(text, prefix=prefix, tools=tools), tools)
            if score < SURE:
                continue
            found = _Found(lect, min(score, 1.0), order)
            if not lect.messages:
                found = found._replace(reply=lect.parse(text, prefix=prefix), prefix=prefix)
        except PolylectError:
            continue
        if found.reply is not None and _foreign(found.reply.content):
            found = found._replace(score=max(found.score - UNREAD, SURE))
        yield found


def _by_tools(score: float, reply: Reply, tools: Toolbox) -> float:
    """How sure it is that a text is in a tongue in which these calls were read."""
    if not reply.calls:
        return score
    names = [call.name for call in reply.calls if call.name in tools]
    if any(not name.isidentifier() for name in names):  # without the tools it is no name
        score = max(score, 2 * SURE)
    if len(names) == len(reply.calls):
        return score + KNOWN
    return score if names or score < SURE else max(score - UNKNOWN, SURE)


def all_signs() -> frozenset[str]:
    """The markers of all lects."""
    found: set[str] = set()
    registry.discover()
    for name in registry.names()[0]:
        try:
            found.update(registry.lect(name).signs)
        except PolylectError:
            continue
    return frozenset(found)


def any_sign() -> re.Pattern[str]:
    """A pattern for the place where any marker of any lect stands, in a text in lower case."""
    return _alternatives(all_signs())


@lru_cache(maxsize=4)
def _alternatives(signs: frozenset[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, sorted(signs))) or r"(?!)")


def _foreign(content: str) -> bool:
    """Whether markup was taken for content that is structure in some tongue."""
    if "<" not in content and "[" not in content:
        return False
    small = content.lower()
    return any(sign in small for sign in _markup())


def _markup() -> set[str]:
    """The markers of all lects that no prose has."""
    return {sign for sign in all_signs() if len(sign) >= MARKUP and sign[0] in "<["}


def _compared(found: _Found) -> _Found:
    """With whether the lect would have written the calls so."""
    reply = found.reply
    return found if reply is None or not reply.calls else found._replace(exact=_writes(found.lect, reply))


def _writes(lect: Any, reply: Reply) -> int:
    """Whether the calls stand in the text as the lect writes them: 2 if just so, 1 if with other blanks."""
    try:
        written = lect.format(Reply(calls=reply.calls)).strip()
    except PolylectError:
        return 0
    return 2 if written in reply.text else int("".join(written.split()) in "".join(reply.text.split()))


def _said(reply: Reply) -> int:
    """How much of a text is reasoning, content, and what calls say."""
    calls = sum(_size(call.arguments) for call in reply.calls)
    return len(reply.reasoning) + len(reply.content) + calls


def _size(value: Any) -> int:
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return sum(len(str(key)) + _size(x) for key, x in value.items())
    return sum(map(_size, value)) if isinstance(value, list) else 1


def _told(found: _Found, text: str, score: float, equals: tuple[str, ...]) -> Detected:
    return Detected(found.lect.name, round(score, 3), reason(found.lect, text, found.reply), equals, found.prefix)


def reason(lect: Lect, text: str, reply: Reply | None) -> str:
    """What speaks for a lect: a marker of its, and what was read by it."""
    around = text
    if reply is not None and reply.calls:
        around = reply.text[max(reply.calls[0].start - AROUND, 0) : reply.calls[0].end]
    sign = _sign(lect, around) or _sign(lect, text)
    where = f"{sign!r} stands in it" if sign else "it reads so"
    if reply is None:
        return "it is the JSON of a message"
    if reply.calls:
        count = len(reply.calls)
        whole = sum(call.runnable for call in reply.calls)
        calls = "a call" if count == 1 else f"{count} calls"
        return f"{where}, and {calls} {'were' if count > 1 else 'was'} read" + ("" if whole == count else ", not whole")
    if reply.answer is not None:
        return f"{where}, and an answer was read"
    if any(x.code == "truncated" for x in reply.diagnostics):
        return f"{where}, and a call that was cut"
    return f"{where}, though no call"


def _sign(lect: Lect, text: str) -> str:
    """The first of the lect's markers in the text, as it is spelt there."""
    small = text.lower()
    found = min(
        (sign for sign in lect.signs if sign in small), key=lambda sign: (small.find(sign), -len(sign)), default=""
    )
    at = small.find(found)
    return text[at : at + len(found)] if len(small) == len(text) else found
