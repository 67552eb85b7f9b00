"""Stop strings on our side, for models whose servers do not stop there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class Stopper:
    """Lets a text through up to the first stop string in it; the text may come in any pieces.

    Of stop strings that overlap, the one that ends first counts: as on a server that looks after every token. What may
    still become a stop string is held back.
    """

    def __init__(self, stops: Iterable[str]) -> None:
        self._stops = tuple(dict.fromkeys(stop for stop in stops if stop))
        self._longest = max(map(len, self._stops), default=0)
        self._held = ""
        self.found: str | None = None
        """The stop string, once it was there: nothing comes through any more."""

    def feed(self, text: str) -> str:
        """More of the text -> what of it stands before any stop string."""
        if self.found is not None:
            return ""
        if not self._stops:
            return text
        text = self._held + text
        ends = [(at + len(stop), at, stop) for stop in self._stops if (at := text.find(stop)) >= 0]
        if ends:
            _, at, self.found = min(ends)
            self._held = ""
            return text[:at]
        keep = self._partial(text)
        self._held = text[len(text) - keep :]
        return text[: len(text) - keep]

    def _partial(self, text: str) -> int:
        """The length of the longest beginning of a stop string that ends the text."""
        for size in range(min(self._longest - 1, len(text)), 0, -1):
            tail = text[-size:]
            if any(stop.startswith(tail) for stop in self._stops):
                return size
        return 0

    def close(self) -> str:
        """The text is over -> what was held back."""
        held, self._held = self._held, ""
        return held


class StreamStopper:
    """A :class:`Stopper` over the chunks of a reply: texts, or stream chunks in OpenAI's form."""

    def __init__(self, stops: Iterable[str]) -> None:
        self._stopper = Stopper(stops)

    @property
    def found(self) -> bool:
        """Whether a stop string was there: then the rest of the reply is not wanted."""
        return self._stopper.found is not None

    def feed(self, chunk: Any) -> list[Any]:
        """A chunk -> the chunks that come through."""
        stopper = self._stopper
        if isinstance(chunk, str):
            text = stopper.feed(chunk)
            return [text] if text else []
        choices = chunk.get("choices") if isinstance(chunk, dict) else None
        choice = choices[0] if choices else None
        if not isinstance(choice, dict) or not isinstance(choice.get("delta"), dict):
            return [chunk]
        delta, reason = choice["delta"], choice.get("finish_reason")
        said = delta.get("content")
        text = stopper.feed(said) if isinstance(said, str) else ""
        if self.found:
            reason = "stop"
        elif reason is not None:
            text += stopper.close()
        if not text and not reason and said and len(delta) == 1:
            return []
        if text or isinstance(said, str):
            delta = {**delta, "content": text}
        return [{**chunk, "choices": [{**choice, "delta": delta, "finish_reason": reason}]}]

    def close(self) -> list[str]:
        """The reply is over -> what was held back, as a text."""
        text = self._stopper.close()
        return [text] if text else []


def cut_at_stop(text: str, stops: Iterable[str]) -> str:
    """A whole text up to its first stop string."""
    ends = [(at + len(stop), at) for stop in stops if stop and (at := text.find(stop)) >= 0]
    return text[: min(ends)[1]] if ends else text
