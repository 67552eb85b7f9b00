"""Hypothesis strategies for patterns of the grammar profile, and for texts that they are likely to match."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from polylect.grammar import _patterns as patterns

ALPHABET = "ab<>:A \n"
CHARS = (*"aab<>: A.", r"\n", "[ab]", "[^a]", r"[^<\n]", r"[ \n]", "[a-c]", "(?i:a)", r"\s")
TIMES = ("", "", "", "", "?", "{0,3}", "{1,2}", "{2}", "+", "*")
BOUNDED = ("", "", "", "", "?", "{0,3}", "{1,2}", "{2}")


def _sequences(inner: SearchStrategy[str], times: tuple[str, ...]) -> SearchStrategy[str]:
    groups = st.lists(inner, min_size=1, max_size=3).map(lambda ways: f"(?:{'|'.join(ways)})")
    unit = st.one_of(st.sampled_from(CHARS), st.sampled_from(CHARS), groups)
    return st.lists(st.tuples(unit, st.sampled_from(times)).map("".join), min_size=1, max_size=4).map("".join)


def _with_lookahead(body: str, look: str, inner: str) -> str:
    return body + look.format(inner)


def sources(*, bounded: bool = False) -> SearchStrategy[str]:
    """Patterns that match at least one character, some with a lookahead at their end."""
    times = BOUNDED if bounded else TIMES
    plain = st.recursive(st.sampled_from(CHARS), lambda inner: _sequences(inner, times), max_leaves=8)
    looks = st.sampled_from(("", "", "", "(?={})", r"(?={}|\Z)", r"(?=\Z|{})", "(?!{})", r"(?: {{0,2}}\Z|(?={}))"))
    found = st.builds(_with_lookahead, plain, looks, plain)
    return found.filter(_is_sound)


def _is_sound(source: str) -> bool:
    """Whether the pattern is in the profile, and neither it nor anything that it repeats can be empty."""
    try:
        return _sound(patterns.parse(source))
    except patterns.PatternError:
        return False


def _sound(seq: patterns.Seq) -> bool:
    return not patterns.first(seq)[2] and all(map(_repeats_something, seq))


def _repeats_something(node: patterns.Node) -> bool:
    if node[0] == "rep":
        return _sound(node[3])
    inner = node[1] if node[0] == "alt" else node[1:] if node[0] in ("look", "not") else ()
    return all(_repeats_something(other) for seq in inner for other in seq)


def texts(*sources: str) -> SearchStrategy[str]:
    """Texts of what the patterns match, in pieces and with other characters between."""
    known = [sample for source in sources for sample in patterns.samples(patterns.parse(source))] or [""]
    pieces = st.one_of(st.sampled_from(known), st.text(ALPHABET, max_size=3))
    return st.lists(pieces, max_size=4).map("".join).map(lambda text: text[:40])
