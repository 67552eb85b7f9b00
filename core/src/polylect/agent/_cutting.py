"""Stop strings on this side of the wire, for models whose servers know none, or do not mind them."""

from __future__ import annotations

from .._text_lect import without_partial_stop


class StopCutter:
    """Cuts a text that comes in pieces at the first stop string, whichever comes first.

    What may become a stop string is held until it is decided; at the end, a piece of one that a server left is dropped.
    """

    def __init__(self, stops: tuple[str, ...]) -> None:
        self.hit = False
        self._stops = stops
        self._longest = max(map(len, stops), default=0)
        self._held = ""

    def feed(self, text: str) -> str:
        """More of the text -> what of it is sure to stay; ``hit`` tells that the rest is not wanted."""
        if self.hit or not self._stops:
            return "" if self.hit else text
        text = self._held + text
        found = [at for stop in self._stops if (at := text.find(stop)) >= 0]
        if found:
            self.hit, self._held = True, ""
            return text[: min(found)]
        keep = self._begun(text)
        self._held = text[len(text) - keep :]
        return text[: len(text) - keep] if keep else text

    def _begun(self, text: str) -> int:
        """How many characters at the end may be the beginning of a stop string."""
        tail = text[1 - self._longest :] if self._longest > 1 else ""
        most = 0
        for stop in self._stops:
            at = tail.find(stop[0])
            while at >= 0:
                if len(tail) - at <= most:
                    break
                if stop.startswith(tail[at:]):
                    most = len(tail) - at
                    break
                at = tail.find(stop[0], at + 1)
        return most

    def close(self) -> str:
        """The text is over -> what was held, if it is the text's own."""
        held, self._held = self._held, ""
        return without_partial_stop(held, self._stops) if held else ""


def cut_at_stop(text: str, stops: tuple[str, ...]) -> str:
    """A whole text up to its first stop string."""
    found = [at for stop in stops if (at := text.find(stop)) >= 0]
    return text[: min(found)] if found else text
