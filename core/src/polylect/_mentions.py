"""Markers that a text speaks of: ``Calls are written in <tool_call> tags.`` They say nothing of its tongue."""

from __future__ import annotations

import re

_TAG = r"<(?!/)[^<>\n]{1,64}>|\[[A-Z][A-Z_ ]{2,32}\]|<(?:[\w:]{1,32}=|[\w:]{1,32} name=\"?)"
_END = r"</[^<>\n]{1,64}>|\[/[A-Z_ ]{3,32}\]"
_WORD = r"[\w,;:)\]][ \t]{1,2}[*(]{0,3}"
_VERB = (
    r"[ \t](?:is|are|was|means?|opens?|closes?|begins?|starts?|ends?|marks?|tells?|says?|stands?|comes?|goes|must|may|"
    r"can|should|tags?|tokens?|markers?|elements?|blocks?|and|or)\b"
)
_TOLD = re.compile(
    rf"{_WORD}(?P<plain>{_TAG})(?=[ \t]{{1,2}}[^\W\d_]|[.,;!?)])"
    rf"|(?m:^)[ \t>*#-]{{0,8}}(?P<first>{_TAG})(?={_VERB})"
)
"""Between words of one line, with a blank or the end of a clause behind it; or what a line says something of."""
_QUOTED = re.compile(rf"(?P<quote>[`\"'])(?P<plain>{_TAG}|{_END})(?P=quote)")
_ENDS = re.compile(
    rf"{_WORD}(?P<plain>{_END})(?=[ \t]{{1,2}}[a-z]|[.,;!?)])|(?m:^)[ \t>*#-]{{0,8}}(?P<first>{_END})(?={_VERB})"
)
_BEGINNING = re.compile(r"<(?!/)[^<>\s=]{1,64}|\[[A-Z_ ]{3,32}")
MASK = "x"


def masked(text: str) -> str:
    """The text without the markers that it only speaks of: letters stand in their places.

    Such a marker is in quotes or backticks by itself, or stands between words. So may the end of an element in any
    tongue, which counts where its beginning was one, or is not there.
    """
    if "<" not in text and "[" not in text:
        return text
    text = _QUOTED.sub(_mask, _TOLD.sub(_mask, text))
    found = {_end(match) for match in _ENDS.finditer(text)}
    if not found:
        return text
    begun = set(_BEGINNING.findall(text))
    alone = {end for end in found if _beginning(end) not in begun}
    return _ENDS.sub(lambda match: _mask(match) if _end(match) in alone else match[0], text) if alone else text


def _end(match: re.Match[str]) -> str:
    return match["plain"] or match["first"]


def _beginning(end: str) -> str:
    """How the element begins that ends so; it may have attributes."""
    return end.replace("/", "", 1).rstrip(">]")


def _mask(match: re.Match[str]) -> str:
    group = "first" if match.re is not _QUOTED and match["first"] else "plain"
    start, end = match.start(group) - match.start(), match.end(group) - match.start()
    return match[0][:start] + MASK * (end - start) + match[0][end:]
