"""Runs a machine: hands it chunks, and runs the readers that it yields before it goes on."""

from __future__ import annotations

from typing import Any

from .._values import Event


class Driver:
    """One machine with the stack of generators that are waiting for the innermost one."""

    __slots__ = ("_send", "_waiting")

    def __init__(self, machine: Any) -> None:
        self._waiting: list[Any] = []
        self._send: Any = machine.send
        self.step(None)

    def step(self, chunk: str | None) -> list[Event]:
        """Send a chunk (None: the end) and give the events; StopIteration when the machine is over."""
        try:
            out = self._send(chunk)
        except StopIteration as result:
            out = self._back(result.value)
        return out if out.__class__ is list else self._into(out)

    def _into(self, reader: Any) -> list[Event]:
        """Run a reader that was yielded; what it yields first."""
        while reader.__class__ is not list:
            self._waiting.append(self._send)
            self._send = reader.send
            try:
                reader = self._send(None)
            except StopIteration as result:
                reader = self._back(result.value)
        return reader  # type: ignore[no-any-return]

    def _back(self, value: Any) -> Any:
        """A reader is over: give its result to whoever waits for it."""
        while True:
            if not self._waiting:
                self._send = over
                raise StopIteration
            self._send = self._waiting.pop()
            try:
                return self._send(value)
            except StopIteration as result:
                value = result.value


def over(_: object) -> Any:
    """What a machine that has ended answers."""
    raise StopIteration
