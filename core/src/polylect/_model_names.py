"""Which lect a model speaks, by the model's name: ``"unsloth/Qwen3-Coder-30B-A3B-Instruct-GGUF"``.

Names are compared word by word. A word is a run of letters, a run of digits, or a size such as ``30B``; case, and
whether ``-``, ``_``, ``.``, a blank or nothing joins two words, make no difference (but ``3.1`` is not ``31``). A lect
claims the names that begin with one of its ``models``. Of the claims on a name the one that begins first in it wins, so
that a maker's name may stand before (``Meta-Llama-3.1``, ``unsloth-Qwen3``); of those the longest. Of equal ones a lect
that was registered by hand comes first; else the first that a distribution lists; two distributions are a conflict.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from ._claims import install_line
from ._errors import CLOSE, LectError
from ._known import GRAMMARS, NATIVE

OWN = "polylect.register()"
"""The "distribution" of lects that were registered by hand."""
LONGEST = 512
"""Characters of a model's name that are looked at; the longest real ones have about a hundred."""
FEW = 4
"""Letters that a name may have too many."""
_WORDS = re.compile(r"\d+(?:\.\d+)?[bm](?![^\W_])|\d+|[^\W\d_]+")
_SEGMENTS = re.compile(r"[^/\\]+")


class Claim(NamedTuple):
    """A lect's claim on the models whose names begin with ``beginning``."""

    lect: str
    distribution: str
    beginning: str


class ModelMatch(NamedTuple):
    """The lect of a model.

    Attributes:
        lect: its name.
        beginning: the entry of the lect's ``models`` that the model's name begins with.
        others: further lects that claim the same beginning; the first one listed is taken.
    """

    lect: str
    beginning: str
    others: tuple[str, ...] = ()


@lru_cache(1024)
def folded(name: str) -> tuple[str, tuple[int, ...]]:
    """A name as it is compared, and where words begin in it (and, last, its end)."""
    out: list[str] = []
    places, length = [], 0
    for word in _WORDS.findall(name.casefold()):
        if out and out[-1][-1].isdigit() and word[0].isdigit():
            out.append(".")
            length += 1
        places.append(length)
        out.append(word)
        length += len(word)
    return "".join(out), (*places, length)


def segment(name: str) -> str:
    """What of a model's name is its own: what stands behind the last slash."""
    found = _SEGMENTS.findall(name[-LONGEST:])
    return found[-1] if found else ""


def find_model(name: str, claims: Iterable[Claim]) -> ModelMatch | None:
    """The lect of the model ``name``, or None.

    Raises:
        LectError: two distributions claim the same beginning.
    """
    text, places = folded(segment(name))
    at = frozenset(places)
    best: tuple[int, int] | None = None
    found: list[Claim] = []
    for claim in claims:
        beginning, _ = folded(claim.beginning)
        start = text.find(beginning) if beginning else -1
        while start >= 0 and (start not in at or not _ends(text, start + len(beginning), at)):
            start = text.find(beginning, start + 1)
        if start < 0:
            continue
        rank = (start, -len(beginning))
        if best is None or rank < best:
            best, found = rank, []
        if rank == best:
            found.append(claim)
    if not found:
        return None
    found = [x for x in found if x.distribution == OWN] or found
    first = found[0]
    rivals = sorted({x.distribution for x in found})
    if len(rivals) > 1:
        lects = " and ".join(f"{x.lect!r} of {x.distribution}" for x in found)
        raise LectError(f"The model {name!r:.120} is claimed by {lects}. Name the lect.")
    return ModelMatch(first.lect, first.beginning, tuple(dict.fromkeys(x.lect for x in found if x.lect != first.lect)))


def _ends(text: str, end: int, places: frozenset[int]) -> bool:
    """Whether a word ends there; behind a number there may be the point before the next one."""
    return end in places or text[end : end + 1] == "."


def nearest_model(name: str, claims: Iterable[Claim]) -> str:
    """A half-sentence naming the nearest beginning of a known model's name, with its lect; or ""."""
    models = {folded(x.beginning)[0]: x for x in claims}
    text, places = folded(segment(name))
    most = max(map(len, models), default=0) + FEW
    for end in (x for x in reversed(places[1:]) if x <= most):  # a name has more behind what a lect claims
        close = difflib.get_close_matches(text[:end], models, n=1, cutoff=CLOSE)
        if close:
            found = models[close[0]]
            return f" Did you mean {found.beginning!r} (the lect {found.lect!r})?"
    return ""


def unknown_model(name: str, claims: list[Claim]) -> LectError:
    """The error for a model of no known lect, with the nearest name."""
    brought = any(x.distribution == NATIVE for x in claims)
    install = "" if brought else f" The tongues of models come with {NATIVE}. {install_line(NATIVE, GRAMMARS)}"
    return LectError(
        f"No lect is known that the model {name!r:.120} speaks.{nearest_model(name, claims)}{install} "
        "All known ones: polylect lects --json."
    )
