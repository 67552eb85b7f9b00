"""The model ``scripted``: it replays given replies, for tests, tutorials and examples."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from ._errors import ModelError, nearest
from ._json import encode_json
from ._models import Asked
from ._outputs import text_of
from ._stopping import Stopper, StreamStopper
from ._values import Reply

if TYPE_CHECKING:
    from ._lect import Lect
    from .constraint import Constraint

Written: TypeAlias = "str | dict[str, Any] | Reply | list[Any] | BaseException | type[BaseException]"
Chunk: TypeAlias = "str | dict[str, Any]"
KINDS = ("text", "message", "reply")


class Scripted:
    """Replays given replies, one for each call.

    >>> model = Scripted(["Thought: look\\nAction: search\\nAction Input: Oslo\\nObservation: made up"])
    >>> model("What is the capital of Norway?", stop=["\\nObservation"])
    'Thought: look\\nAction: search\\nAction Input: Oslo'
    >>> model.asked[0].stop
    ('\\nObservation',)

    It stops at stop strings as a server does. A constraint is noted, and does not change the script.

    Args:
        replies: each is a text; a message (a dict); a :class:`polylect.Reply`, written in the tongue ``lect``; a list
            of chunks (texts, or stream chunks in OpenAI's form), where an exception stands for a connection that
            breaks; an exception, which is raised; or a function of the prompt that gives one of these.
        lect: the tongue in which replies are written: a name, or a lect.
        delay: seconds that each reply takes; one in chunks spreads them.
        chunk: characters in each chunk of a text or message; None gives it whole.

    Attributes:
        asked: what it was asked, call by call.
        constraint_target: the language in which it is given constraints.
    """

    name = "scripted"
    constraint_target = "llguidance"

    def __init__(
        self,
        replies: Iterable[Written | Callable[[Any], Written]],
        *,
        lect: str | Lect | None = None,
        delay: float = 0.0,
        chunk: int | None = None,
    ) -> None:
        if isinstance(replies, (str, bytes, dict, Reply)) or not isinstance(replies, Iterable):
            raise ModelError(f"The replies of a scripted model are a list, not {type(replies).__name__}.")
        if chunk is not None and (not isinstance(chunk, int) or chunk < 1):
            raise ModelError(f"chunk is a number of characters, 1 or more, not {chunk!r:.80}.")
        if not isinstance(delay, (int, float)) or not 0 <= delay < float("inf"):
            raise ModelError(f"delay is a number of seconds, not {delay!r:.80}.")
        self._replies = iter(replies)
        self._given = lect
        self._lect: Lect | None = None
        self._delay, self._chunk = delay, chunk
        self.asked: list[Asked] = []

    def __call__(
        self,
        prompt: Any,
        /,
        *,
        stop: Iterable[str] | None = None,
        tools: list[dict[str, Any]] | None = None,
        tool_choice: str | None = None,
        timeout: float | None = None,
        constraint: Constraint | None = None,
    ) -> str | dict[str, Any] | Iterator[Chunk]:
        """The next reply: whole, or as an iterator of chunks.

        Raises:
            ModelError: there is no reply left, or its delay is longer than ``timeout``.
        """
        output = self._next(Asked(prompt, tuple(stop or ()), tools, tool_choice, timeout, constraint))
        if isinstance(output, list):
            return self._stream(output, timeout)
        pause, late = self._pause(0, 1, timeout)
        time.sleep(pause)
        if late:
            raise _too_slow(timeout)
        if isinstance(output, BaseException):
            raise output
        return output

    async def acall(
        self,
        prompt: Any,
        /,
        *,
        stop: Iterable[str] | None = None,
        tools: list[dict[str, Any]] | None = None,
        tool_choice: str | None = None,
        timeout: float | None = None,
        constraint: Constraint | None = None,
    ) -> AsyncIterator[Chunk]:
        """The next reply, as an asynchronous iterator of chunks; a whole one is a single chunk. Errors as above."""
        output = self._next(Asked(prompt, tuple(stop or ()), tools, tool_choice, timeout, constraint))
        chunks = output if isinstance(output, list) else [_as_chunk(output)]
        said: list[str] = []
        for number, chunk in enumerate(chunks):
            pause, late = self._pause(number, len(chunks), timeout)
            if pause:
                from anyio import sleep

                await sleep(pause)
            if late:
                raise _too_slow(timeout, said)
            yield _said(chunk, said)

    def _stream(self, chunks: list[Any], timeout: float | None) -> Iterator[Chunk]:
        said: list[str] = []
        for number, chunk in enumerate(chunks):
            pause, late = self._pause(number, len(chunks), timeout)
            time.sleep(pause)
            if late:
                raise _too_slow(timeout, said)
            yield _said(chunk, said)

    def _pause(self, number: int, count: int, timeout: float | None) -> tuple[float, bool]:
        """(the seconds to wait before piece ``number`` of ``count``, whether the time is up then)."""
        piece = self._delay / count
        if timeout is not None and piece * (number + 1) > timeout:
            return max(0.0, timeout - piece * number), True
        return piece, False

    # --- replies ------------------------------------------------------------------------------------------------------

    def _next(self, asked: Asked) -> str | dict[str, Any] | list[Any] | BaseException:
        """The next reply as it is to be given: cut at stop strings, and in chunks if it comes in chunks."""
        self.asked.append(asked)
        try:
            reply = next(self._replies)
        except StopIteration:
            had = len(self.asked) - 1
            raise ModelError(f"The script has no reply left: it had {had}, and this is call {had + 1}.") from None
        if callable(reply) and not isinstance(reply, type):
            reply = reply(asked.prompt)
        if isinstance(reply, type) and issubclass(reply, BaseException):
            reply = reply()
        if isinstance(reply, Reply):
            reply = self._written(reply)
        if isinstance(reply, BaseException):
            return reply
        if isinstance(reply, (list, tuple)):
            return _stopped(list(reply), asked.stop)
        if isinstance(reply, str):
            text = _cut(reply, asked.stop)
            return (
                text
                if self._chunk is None
                else [text[at : at + self._chunk] for at in range(0, len(text), self._chunk)]
            )
        if isinstance(reply, dict):
            content = reply.get("content")
            if asked.stop and isinstance(content, str):
                reply = {**reply, "content": _cut(content, asked.stop)}
            return reply if self._chunk is None or "choices" in reply else list(_deltas(reply, self._chunk))
        raise ModelError(f"A scripted reply is a text, a message, a Reply, chunks or an error, not {reply!r:.80}.")

    def _written(self, reply: Reply) -> Any:
        """A reply in the lect; where that marks no answers, the answer is the content."""
        if self._given is None:
            raise ModelError("A scripted model writes a Reply in a lect. Give it one: Scripted(replies, lect=…).")
        if self._lect is None:
            from ._building import lect_of

            self._lect = lect_of(self._given)
        if reply.answer is not None and "answer" not in self._lect.features:
            answer = reply.answer if isinstance(reply.answer, str) else encode_json(reply.answer)
            reply = msgspec.structs.replace(reply, answer=None, content=reply.content + answer)
        return self._lect.format(reply)

    def __repr__(self) -> str:
        return f"<scripted model, asked {len(self.asked)} times>"


def _too_slow(timeout: float | None, said: Iterable[str] = ()) -> ModelError:
    return ModelError(f"The scripted model took longer than {timeout:.3g} s.", partial="".join(said))


def _said(chunk: Any, said: list[str]) -> Any:
    """The chunk, noted."""
    if isinstance(chunk, BaseException) or (isinstance(chunk, type) and issubclass(chunk, BaseException)):
        raise chunk
    text = text_of(chunk)[0]
    if isinstance(text, str):
        said.append(text)
    return chunk


def _as_chunk(output: Any) -> Any:
    """A whole reply as the only chunk of a stream."""
    if isinstance(output, dict) and "choices" not in output:
        return {"choices": [{"index": 0, "message": output, "finish_reason": _reason(output)}]}
    return output


def _reason(message: dict[str, Any]) -> str:
    return "tool_calls" if message.get("tool_calls") else "stop"


def _cut(text: str, stops: tuple[str, ...]) -> str:
    stopper = Stopper(stops)
    return stopper.feed(text) + stopper.close()


def _stopped(chunks: list[Any], stops: tuple[str, ...]) -> list[Any]:
    """The chunks up to the first stop string."""
    if not stops:
        return chunks
    stopper = StreamStopper(stops)
    found: list[Any] = []
    for chunk in chunks:
        found += stopper.feed(chunk)
        if stopper.found:
            return found
    return found + stopper.close()


def _deltas(message: dict[str, Any], size: int) -> Iterator[dict[str, Any]]:
    """A message as stream chunks in OpenAI's form, its texts in pieces."""
    texts = [key for key in ("reasoning_content", "content") if isinstance(message.get(key), str)]
    calls = [x for x in message.get("tool_calls") or () if isinstance(x, dict)]
    yield _delta({"role": "assistant"} | {k: v for k, v in message.items() if k not in (*texts, "tool_calls")})
    for key in texts:
        for at in range(0, len(message[key]), size):
            yield _delta({key: message[key][at : at + size]})
    for index, call in enumerate(calls):
        function = call.get("function")
        arguments = function.get("arguments") if isinstance(function, dict) else None
        if not isinstance(arguments, str):
            yield _delta({"tool_calls": [{"index": index, **call}]})
            continue
        yield _delta({"tool_calls": [{"index": index, **call, "function": {**call["function"], "arguments": ""}}]})
        for at in range(0, len(arguments), size):
            yield _delta({"tool_calls": [{"index": index, "function": {"arguments": arguments[at : at + size]}}]})
    yield _delta({}, _reason(message))


def _delta(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}], "usage": None}


# --- scripts in files -------------------------------------------------------------------------------------------------


def scripted(
    argument: str | None,
    *,
    replies: Iterable[Written | Callable[[Any], Written]] | None = None,
    lect: str | Lect | None = None,
    delay: float = 0.0,
    chunk: int | None = None,
) -> Scripted:
    """The factory: a file of replies as the argument, or ``replies=``. Options as for :class:`Scripted`.

    Raises:
        ModelError: there are none, or the file is no script.
    """
    if (argument is None) == (replies is None):
        raise ModelError(
            "A scripted model has a file of replies, or a list: polylect.model('scripted:replies.jsonl'), or "
            "polylect.model('scripted', replies=[…])."
        )
    found = read_script(argument) if argument is not None else replies
    assert found is not None
    return Scripted(found, lect=lect, delay=delay, chunk=chunk)


def read_script(path: str) -> list[str | dict[str, Any] | Reply]:
    """The replies of a file: a JSON text in each line, or an object with ``text``, ``message`` or ``reply``.

    Raises:
        ModelError: it can't be read; the message names the line.
    """
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
    except (OSError, ValueError) as error:
        told = "there is no such file" if isinstance(error, FileNotFoundError) else str(error)
        raise ModelError(f"The script {path!r:.200} can't be read: {told}.") from error
    return [_reply(line, f"{path}, line {number}") for number, line in enumerate(lines, 1) if line.strip()]


def _reply(line: str, where: str) -> str | dict[str, Any] | Reply:
    try:
        value = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise ModelError(f"{where}: this is not JSON: {error}.") from None
    if isinstance(value, str):
        return value
    if not isinstance(value, dict) or len(value) != 1:
        raise ModelError(f"{where}: a reply is a JSON text, or an object with one of {', '.join(KINDS)}.")
    ((kind, inner),) = value.items()
    if kind == "text" and isinstance(inner, str):
        return inner
    if kind == "message" and isinstance(inner, dict):
        return inner
    if kind == "reply" and isinstance(inner, dict):
        try:
            return msgspec.convert({"type": "Reply", **inner}, Reply)
        except msgspec.ValidationError as error:
            raise ModelError(f"{where}: this is no Reply: {error}.") from None
    hint = "" if kind in KINDS else nearest(kind, KINDS)
    raise ModelError(
        f"{where}: a reply has a text, a message (an object) or a reply (an object), not {kind!r:.40}.{hint}"
    )
