"""A server that answers with what it was given: a small ASGI application, run by uvicorn on a real socket.

It knows no API. A test puts answers into it, in the order in which they will be asked for, and looks at the requests.
"""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections import deque
from collections.abc import Iterable
from types import TracebackType
from typing import Any, NamedTuple, Self

import uvicorn

STREAM = "text/event-stream"
JSON = "application/json"
HANGS = 30.0
"""Seconds that an answer that hangs waits for the client to go away; no test should take that long."""


class Drop:
    """In an answer: the connection breaks here."""


class Hang:
    """In an answer: nothing more comes, and the connection stays open."""


class Answer(NamedTuple):
    """What the server says to one request."""

    pieces: tuple[bytes | Drop | Hang, ...] = ()
    status: int = 200
    kind: str = STREAM


class Asked(NamedTuple):
    """What the server was asked."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    port: int
    """That of the client: one for each connection."""


def sse(*data: Any, event: str | None = None) -> bytes:
    """Server-sent events: texts as they are, everything else as JSON."""
    head = f"event: {event}\n" if event else ""
    texts = (x if isinstance(x, str) else json.dumps(x) for x in data)
    return "".join(f"{head}data: {text}\n\n" for text in texts).encode()


def stream(*pieces: bytes | Drop | Hang) -> Answer:
    """A stream in these pieces."""
    return Answer(pieces)


def refusal(status: int, body: Any) -> Answer:
    """An error with a body in JSON."""
    return Answer((json.dumps(body).encode(),), status, JSON)


def response(body: Any) -> Answer:
    """A whole response in JSON."""
    return refusal(200, body)


class Replay:
    """The server. Use it as a context manager; then ``url`` is where it is."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.left = threading.Event()
        """Whether a client has gone away before its answer was over."""
        self._answers: deque[Answer] = deque()
        self._socket = socket.socket()
        self._socket.bind(("127.0.0.1", 0))
        config = uvicorn.Config(
            self._application, interface="asgi3", http="h11", ws="none", loop="asyncio", lifespan="off",
            log_config=None, timeout_graceful_shutdown=1,
        )  # fmt: skip
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self._socket]})

    @property
    def url(self) -> str:
        """The server's address, without a path."""
        host, port = self._socket.getsockname()
        return f"http://{host}:{port}"

    def answer(self, *answers: Answer | Iterable[Answer]) -> Self:
        """These answers come next."""
        for one in answers:
            self._answers.extend([one] if isinstance(one, Answer) else one)
        return self

    def forget(self) -> None:
        """As if nothing had been asked yet."""
        self.asked.clear()
        self._answers.clear()
        self.left.clear()

    def __enter__(self) -> Self:
        self._socket.listen()  # who connects before the server is up waits for it
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.should_exit = True
        self._thread.join()
        self._socket.close()

    async def _application(self, scope: Any, receive: Any, send: Any) -> None:
        body = b""
        more = True
        while more:
            message = await receive()
            body, more = body + message.get("body", b""), message.get("more_body", False)
        headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        self.asked.append(Asked(scope["path"], headers, json.loads(body or b"{}"), scope["client"][1]))
        answer = self._answers.popleft() if self._answers else refusal(500, {"error": {"message": "no answer left"}})
        content = [(b"content-type", answer.kind.encode())]
        await send({"type": "http.response.start", "status": answer.status, "headers": content})
        for piece in answer.pieces:
            if isinstance(piece, Drop):
                raise ConnectionError("this connection is meant to break")
            if isinstance(piece, Hang):
                await self._until_left(receive)
                return
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _until_left(self, receive: Any) -> None:
        async with asyncio.timeout(HANGS):
            while (await receive())["type"] != "http.disconnect":
                pass
        self.left.set()
