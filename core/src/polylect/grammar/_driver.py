"""Runs a machine: hands it chunks, and lets the readers of its payloads take them in its place."""

from __future__ import annotations

from typing import Any

from .._values import Event


class Driver:
    """One machine, and the reader that has taken over from it, if one has.

    A machine is first sent its driver, then chunks (None: the end). Where a payload goes on behind a chunk, it hands
    over to a generator that is sent the chunks until it returns; then the machine is sent what that returned. So a
    chunk costs the same whoever reads it.
    """

    __slots__ = ("_main", "_send")

    def __init__(self, machine: Any) -> None:
        next(machine)
        self._main = self._send = machine.send
        self._send(self)

    def hand_over(self, send: Any) -> None:
        """From the next chunk on, ``send`` takes them, until it raises StopIteration."""
        self._send = send

    def step(self, chunk: str | None) -> list[Event]:
        """Send a chunk (None: the end) and give the events; StopIteration when the machine is over."""
        try:
            return self._send(chunk)  # type: ignore[no-any-return]
        except StopIteration as result:
            return self.go_on(result.value)

    def go_on(self, value: Any) -> list[Event]:
        """The reader is over: the machine goes on with its result."""
        self._send = self._main
        return self._main(value)  # type: ignore[no-any-return]


def over(_: object) -> Any:
    """What a machine that has ended answers."""
    raise StopIteration
