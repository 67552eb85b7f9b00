"""One call of a model on a server: its request, its time, its errors, and what is read of its answer."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, Protocol

from ._errors import ModelError
from ._models import Asked
from ._outputs import text_of
from ._reading import decode
from ._sse import EventReader, ServerEvent
from ._stopping import StreamStopper

Fields = dict[str, Any]
REFUSED = frozenset({400, 422})
"""Statuses that say that the request is wrong."""
SHOWN = 600
"""Characters of a server's message that an error shows."""
DONE = "[DONE]"


class RemoteRequest(NamedTuple):
    """A call as the SDK takes it, and the stop strings that the server is not told."""

    fields: Fields
    stops: tuple[str, ...] = ()


class Reader:
    """Reads one answer of a server: the events of its stream, or its whole response."""

    def chunks(self, name: str, data: Fields) -> list[Fields]:
        """An event of the stream, its name and its JSON -> chunks in OpenAI's form."""
        raise NotImplementedError

    def whole(self, data: Fields) -> Fields:
        """The JSON of a response -> a response in OpenAI's form; its choices may be missing."""
        raise NotImplementedError


class Asks(Protocol):
    """What a call needs of its model."""

    name: str
    optional: tuple[str, ...]
    left_out: frozenset[str]

    def request(self, asked: Asked, left_out: frozenset[str]) -> RemoteRequest:
        """The call as the SDK takes it."""

    def reader(self) -> Reader:
        """A reader for one answer."""


class Run:
    """One call on its way."""

    def __init__(self, model: Asks, asked: Asked) -> None:
        self._model, self._asked = model, asked
        self.left_out = model.left_out
        self._request = model.request(asked, self.left_out)
        self._reader = model.reader()
        self._events = EventReader()
        self._body: list[bytes] | None = None
        self._stopper: StreamStopper | None = None
        self._said: list[str] = []
        self._begun = self._ended = self._done = False
        self._deadline = None if asked.timeout is None else time.monotonic() + asked.timeout

    # --- the request --------------------------------------------------------------------------------------------------

    def fields(self) -> Fields:
        """The request, with the time that is left."""
        left = self._left()
        return self._request.fields if left is None else {**self._request.fields, "timeout": max(left, 0.001)}

    def leave_out(self, error: ModelError) -> bool:
        """Whether the server refused a field that may be left out; the request is then made anew without it."""
        if error.status not in REFUSED:
            return False
        cause: Any = error.__cause__
        told = f"{getattr(cause, 'param', None)} {error.message} {cause}"
        for name in self._model.optional:
            if name in self._request.fields and re.search(rf"(?<![a-z_]){name}(?![a-z_])", told):
                self.left_out |= {name}
                self._request = self._model.request(self._asked, self.left_out)
                return True
        return False

    # --- time and errors ----------------------------------------------------------------------------------------------

    def _left(self) -> float | None:
        return None if self._deadline is None else self._deadline - time.monotonic()

    @contextlib.contextmanager
    def limit(self) -> Iterator[None]:
        """Ends what is awaited when the time is up."""
        left = self._left()
        if left is None:
            yield
            return
        from anyio import fail_after

        with fail_after(left):
            yield

    @contextlib.contextmanager
    def failing(self) -> Iterator[None]:
        """Whatever the SDK raises becomes a ModelError."""
        left = self._left()
        if left is not None and left <= 0:
            raise self._error(TimeoutError())
        try:
            yield
        except ModelError:
            raise
        except Exception as error:  # the SDK's own, its transport's, or what unreadable answers lead to
            raise self._error(error) from error

    def guarded(self, make: Any) -> Any:
        """What ``make`` gives."""
        with self.failing():
            return make()

    def _error(self, error: Exception) -> ModelError:
        status = getattr(error, "status_code", None)
        if isinstance(error, TimeoutError) or "Timeout" in type(error).__name__:
            limit = self._asked.timeout
            return self._failure("took too long" if limit is None else f"took longer than {limit:.3g} s")
        if isinstance(status, int):
            return self._failure(f"answered with status {status}: {_message(error)}", status)
        return self._failure(f"{'broke off' if self._begun else 'failed'}: {_message(error)}")

    def _failure(self, told: str, status: int | None = None) -> ModelError:
        partial = "".join(self._said)
        behind = f" It had written {len(partial)} characters." if partial else ""
        return ModelError(f"The model {self._model.name} {told.rstrip('.')}.{behind}", status=status, partial=partial)

    # --- the answer ---------------------------------------------------------------------------------------------------

    def begin(self, headers: Mapping[str, str]) -> None:
        """The answer begins; a server that does not stream, though asked to, answers in JSON."""
        self._begun = True
        self._stopper = StreamStopper(self._request.stops) if self._request.stops else None
        if "json" in headers.get("content-type", "") and "stream" not in headers.get("content-type", ""):
            self._body = []

    @property
    def over(self) -> bool:
        """Whether nothing more is wanted: a stop string was there that the server does not know."""
        return self._stopper is not None and self._stopper.found

    def read(self, piece: bytes) -> list[Fields]:
        """The chunks that these bytes end."""
        with self.failing():
            if self._body is None:
                return self._through(self._events.feed(piece))
            self._body.append(piece)
            return []

    def end(self) -> list[Fields]:
        """The stream is over -> its last chunks.

        Raises:
            ModelError: it broke off.
        """
        if self.over:
            return []
        if self._body is not None:
            return [self.whole(b"".join(self._body))]
        with self.failing():
            last = self._through(self._events.close())
        if not self._ended and not self.over:
            raise self._failure("broke off: its stream ended without a finish_reason")
        return last

    def _through(self, events: list[ServerEvent]) -> list[Fields]:
        """The chunks of events, up to the first stop string that the server does not know."""
        found: list[Fields] = []
        for event in events:
            if event.data.startswith(DONE) or self._done:
                self._done = True
                break
            data = self._decoded(event.data)
            if event.name == "error" or data.get("error"):
                raise self._failure(f"broke off: {_told(data)}")
            for chunk in self._reader.chunks(event.name, data):
                found += [chunk] if self._stopper is None else self._stopper.feed(chunk)
                if self.over:
                    break
        for chunk in found:
            text = text_of(chunk)[0]
            if isinstance(text, str):
                self._said.append(text)
            self._ended = self._ended or any(x.get("finish_reason") for x in chunk["choices"])
        return found

    def _decoded(self, text: str) -> Fields:
        data, problem = decode(text)
        if not isinstance(data, dict):
            raise self._failure(f"sent what is no JSON object ({problem or type(data).__name__}): {text[:80]!r}")
        return data

    def whole(self, content: bytes) -> Fields:
        """A whole response, cut at the stop strings that the server does not know."""
        self._begun = True
        with self.failing():
            data = self._decoded(content.decode("utf-8", "replace"))
            if data.get("error"):
                raise self._failure(f"failed: {_told(data)}")
            found = self._reader.whole(data)
            choices = found.get("choices")
            if not choices or not isinstance(choices[0].get("message"), dict):
                raise self._failure(f"answered without a message: {str(data)[:200]}")
        if not self._request.stops:
            return found
        choice = choices[0]
        stopper = StreamStopper(self._request.stops)
        chunk = {"choices": [{"delta": choice["message"], "finish_reason": choice.get("finish_reason") or "stop"}]}
        (cut,) = stopper.feed(chunk)[0]["choices"]
        choice = {**choice, "message": cut["delta"], "finish_reason": cut["finish_reason"]}
        return {**found, "choices": [choice, *choices[1:]]}


def _told(body: Any) -> str:
    """What the body of an error says."""
    for _ in range(2):
        inner = body.get("error") if isinstance(body, dict) else None
        body = inner if isinstance(inner, (dict, str)) else body
    told = body.get("message") if isinstance(body, dict) else body
    return (told if isinstance(told, str) and told else str(body))[:SHOWN]


def _message(error: Exception) -> str:
    """What a server, or the SDK, says of a fault."""
    body = getattr(error, "body", None)
    if body:
        return _told(body)
    told = str(error) or type(error).__name__
    cause = error.__cause__
    if getattr(error, "status_code", None) is None and cause is not None and str(cause):
        told = f"{told.rstrip('.')} ({type(cause).__name__}: {cause}){_place(error)}"
    return told[:SHOWN]


def _place(error: Exception) -> str:
    """Where nobody answered: the server's name and port, and nothing of an address that may hold a password."""
    url = getattr(getattr(error, "request", None), "url", None)
    server = getattr(url, "netloc", b"")
    return f" at {server.decode('ascii', 'replace')}" if isinstance(server, bytes) and server else ""
