"""What models on a server have in common, whatever SDK asks it: streams, time, errors, and what a server refuses."""

from __future__ import annotations

import contextlib
import inspect
import threading
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Self

from ._errors import ModelError
from ._models import Asked
from ._remote_run import Fields, Reader, RemoteRequest, Run

if TYPE_CHECKING:
    from .constraint import Constraint

CLOSING = 5.0
"""Seconds that the end of a connection may take when its task was cancelled."""


class RemoteModel:
    """A model on a server. A subclass says how its SDK is asked, and how the answer is read.

    It is for SDKs of the kind that OpenAI's and Anthropic's are, whose resources have ``with_streaming_response`` and
    ``with_raw_response``. The SDK makes the request; the stream of its answer is read here.

    A call gives an iterator of stream chunks in OpenAI's form, or, without streaming, a response in that form. The
    request is sent when the first chunk is asked for; closing the iterator closes the connection. In each asynchronous
    call the connection is a new one, unless the model is entered: ``async with model: …`` keeps connections.

    Attributes:
        name: what to call it in errors.
        optional: fields of the request that may be left out when a server refuses them; it is asked once more without.
        constraint_target: the language in which it takes constraints; None: it takes none.
    """

    name = ""
    optional: tuple[str, ...] = ()
    constraint_target: str | None = None

    def __init__(self, *, stream: bool, client: Any = None, async_client: Any = None) -> None:
        self._stream = stream
        self._client, self._own = client, client is None
        self._async_client = async_client
        self._entered: Any = None
        self._known: frozenset[str] | None = None
        self._lock = threading.Lock()
        self.left_out: frozenset[str] = frozenset()

    # --- what a subclass says ---------------------------------------------------------------------------------------

    def make_client(self) -> Any:
        """The SDK's client."""
        raise NotImplementedError

    def make_async_client(self) -> Any:
        """The SDK's asynchronous client."""
        raise NotImplementedError

    def resource(self, client: Any) -> Any:
        """The resource of a client whose ``create`` asks the model."""
        raise NotImplementedError

    def request(self, asked: Asked, left_out: frozenset[str]) -> RemoteRequest:
        """The call as the SDK takes it, without the optional fields ``left_out``.

        Raises:
            PromptError: this can't be asked.
        """
        raise NotImplementedError

    def reader(self) -> Reader:
        """A reader for one answer."""
        raise NotImplementedError

    # --- calls --------------------------------------------------------------------------------------------------------

    def __call__(
        self,
        prompt: str | list[Fields],
        /,
        *,
        stop: Iterable[str] | None = None,
        tools: list[Fields] | None = None,
        tool_choice: str | None = None,
        timeout: float | None = None,
        constraint: Constraint | None = None,
    ) -> Iterator[Fields] | Fields:
        """The model's reply: an iterator of stream chunks, or a whole response.

        Args:
            prompt: a text, or messages in OpenAI's form.
            stop: strings at which the reply ends.
            tools: in OpenAI's form.
            tool_choice: ``"auto"``, ``"required"``, ``"none"`` or a tool's name.
            timeout: seconds for the whole reply. A server that falls silent is waited for at most that long again.
            constraint: what the reply must follow, for the target :attr:`constraint_target`.

        Raises:
            ModelError: the server refused, failed, or broke off. When streaming, it is raised by the iterator.
            PromptError: this can't be asked.
            ConstraintError: the server takes no such constraint.
        """
        run = Run(self, Asked(prompt, tuple(stop or ()), tools, tool_choice, timeout, constraint))
        return self._chunks(run) if self._stream else self._whole(run)

    async def acall(
        self,
        prompt: str | list[Fields],
        /,
        *,
        stop: Iterable[str] | None = None,
        tools: list[Fields] | None = None,
        tool_choice: str | None = None,
        timeout: float | None = None,
        constraint: Constraint | None = None,
    ) -> AsyncIterator[Fields]:
        """The model's reply as an asynchronous iterator of chunks; a whole response is a single one.

        Arguments and errors as for a call; here ``timeout`` is exact.
        """
        run = Run(self, Asked(prompt, tuple(stop or ()), tools, tool_choice, timeout, constraint))
        async with contextlib.AsyncExitStack() as stack:
            resource = self.resource(await self._connected(run, stack))
            if not self._stream:
                response = await self._asked_async(run, resource.with_raw_response, None)
                yield run.whole(response.http_response.content)
                return
            response = await self._asked_async(run, resource.with_streaming_response, stack)
            pieces = response.http_response.aiter_bytes()
            stack.push_async_callback(_left_async, response, pieces)
            run.begin(response.http_response.headers)
            while not run.over:
                with run.failing(), run.limit():
                    piece = await anext(pieces, None)
                if piece is None:
                    break
                for chunk in run.read(piece):
                    yield chunk
            for chunk in run.end():
                yield chunk

    def _chunks(self, run: Run) -> Iterator[Fields]:
        with contextlib.ExitStack() as stack:
            resource = self.resource(run.guarded(self._made))
            response = self._asked(run, resource.with_streaming_response, stack)
            run.begin(response.http_response.headers)
            pieces = response.http_response.iter_bytes()
            while not run.over:
                with run.failing():
                    piece = next(pieces, None)
                if piece is None:
                    break
                yield from run.read(piece)
            yield from run.end()

    def _whole(self, run: Run) -> Fields:
        resource = self.resource(run.guarded(self._made))
        return run.whole(self._asked(run, resource.with_raw_response, None).http_response.content)

    # --- requests -----------------------------------------------------------------------------------------------------

    def _asked(self, run: Run, resource: Any, stack: contextlib.ExitStack | None) -> Any:
        """The SDK's response; asked for again without what the server refuses."""
        while True:
            try:
                with run.failing():
                    answer = resource.create(**self._sendable(resource, run.fields()))
                    if stack is not None:
                        manager, answer = answer, answer.__enter__()
                        stack.callback(_quietly, manager.__exit__, None, None, None)
            except ModelError as error:
                if not run.leave_out(error):
                    raise
            else:
                self.left_out |= run.left_out
                return answer

    async def _asked_async(self, run: Run, resource: Any, stack: contextlib.AsyncExitStack | None) -> Any:
        while True:
            try:
                with run.failing(), run.limit():
                    answer = resource.create(**self._sendable(resource, run.fields()))
                    answer = await (answer if stack is None else answer.__aenter__())
            except ModelError as error:
                if not run.leave_out(error):
                    raise
            else:
                self.left_out |= run.left_out
                return answer

    def _sendable(self, resource: Any, fields: Fields) -> Fields:
        """The request, where fields that the SDK does not know stand in the body's extra fields."""
        if self._known is None:
            self._known = frozenset(inspect.signature(resource.create).parameters)
        extra = {name: value for name, value in fields.items() if name not in self._known}
        if not extra:
            return fields
        body = fields.get("extra_body")
        known = {name: value for name, value in fields.items() if name in self._known}
        return {**known, "extra_body": {**extra, **(body if isinstance(body, Mapping) else {})}}

    # --- clients ------------------------------------------------------------------------------------------------------

    def _made(self) -> Any:
        with self._lock:
            if self._client is None:
                self._client = self.make_client()
            return self._client

    async def _connected(self, run: Run, stack: contextlib.AsyncExitStack) -> Any:
        """The asynchronous client: the caller's, that of the entered model, or one for this call alone."""
        kept = self._async_client or self._entered
        if kept is not None:
            return kept
        client = run.guarded(self.make_async_client)
        stack.push_async_callback(_closed_async, client)
        return client

    def close(self) -> None:
        """Close the connections of synchronous calls; the next call opens new ones."""
        if self._own:
            with self._lock:
                client, self._client = self._client, None
            if client is not None:
                client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *about: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        if self._async_client is None and self._entered is None:
            self._entered = self.make_async_client()
        return self

    async def __aexit__(self, *about: object) -> None:
        client, self._entered = self._entered, None
        if client is not None:
            await _closed_async(client)


def _quietly(close: Any, *arguments: Any) -> None:
    with contextlib.suppress(Exception):  # the connection may be broken already
        close(*arguments)


async def _left_async(response: Any, pieces: AsyncIterator[bytes]) -> None:
    """Close a stream, read to its end or not."""
    from anyio import move_on_after

    with move_on_after(CLOSING, shield=True), contextlib.suppress(Exception):
        await response.close()
    with move_on_after(CLOSING, shield=True), contextlib.suppress(Exception):
        # the transport's generators end when they find the connection closed; none is left to the garbage collector
        while await anext(pieces, None) is not None:
            pass


async def _closed_async(client: Any) -> None:
    from anyio import move_on_after

    with move_on_after(CLOSING, shield=True), contextlib.suppress(Exception):
        await client.close()
