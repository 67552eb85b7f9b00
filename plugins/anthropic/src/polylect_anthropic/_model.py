"""The model ``anthropic``."""

from __future__ import annotations

import os
from typing import Any

from polylect import ModelError
from polylect.plugin import Asked, Reader, RemoteModel, RemoteRequest

from ._reading import MessageReader
from ._writing import as_anthropic, choice_of, tools_of

Fields = dict[str, Any]
MAX_TOKENS = 4096
"""Tokens of a reply, unless the options say otherwise: the API wants a number, and this is one that all models take."""
CREDENTIALS = frozenset({"api_key", "auth_token", "config", "credentials", "profile"})
CLIENT_OPTIONS = CREDENTIALS | {"base_url", "default_headers", "default_query", "http_client", "max_retries"}
"""Options that are the client's; all others are sent with every request."""
VARIABLES = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_PROFILE")
NO_KEY = "none"
"""What is sent as the key to servers that want none: the SDK wants one."""


class Anthropic(RemoteModel):
    """Claude, or another model on a server that speaks Anthropic's API.

    Source: the Anthropic API reference, "Messages", and "Streaming messages".

    Prompts, tools and answers are in OpenAI's form, as everywhere in polylect. Thinking is ``reasoning_content``; its
    blocks are kept with their signatures under ``thinking_blocks`` of the message, and sent back from there.

    Args:
        model: the model's name on its server.
        stream: whether the reply comes in chunks.
        client: a client of the SDK's, made by you (``anthropic.AnthropicBedrock(…)``).
        async_client: the same for asynchronous calls.
        options: the client's (``api_key``, by default ``ANTHROPIC_API_KEY``; ``base_url``, ``max_retries``, …), or
            whatever the request may have (``max_tokens``, by default :data:`MAX_TOKENS`; ``temperature``, ``thinking``,
            …); what the SDK does not know goes into its body.

    Raises:
        ModelError: there is no model's name.
    """

    constraint_target = "json_schema"

    def __init__(
        self,
        model: str | None = None,
        *,
        stream: bool = True,
        client: Any = None,
        async_client: Any = None,
        **options: Any,
    ) -> None:
        super().__init__(stream=stream, client=client, async_client=async_client)
        if not model:
            raise ModelError("Which model? Name it behind a colon: polylect.model('anthropic:claude-sonnet-4-5').")
        self.name = f"anthropic:{model}"
        given = {name: options.pop(name) for name in CLIENT_OPTIONS & options.keys()}
        elsewhere = given.get("base_url") or os.environ.get("ANTHROPIC_BASE_URL")
        if elsewhere and not CREDENTIALS & given.keys() and not any(map(os.environ.get, VARIABLES)):
            given["api_key"] = NO_KEY
        self._client_options = given
        self._options = {"model": model, "max_tokens": MAX_TOKENS, **options}

    def make_client(self) -> Any:
        """The SDK's client."""
        from anthropic import Anthropic as Client

        return Client(**self._client_options)

    def make_async_client(self) -> Any:
        """The SDK's asynchronous client."""
        from anthropic import AsyncAnthropic

        return AsyncAnthropic(**self._client_options)

    def resource(self, client: Any) -> Any:
        """Messages."""
        return client.messages

    def request(self, asked: Asked, left_out: frozenset[str]) -> RemoteRequest:
        """The call as the SDK takes it.

        Raises:
            PromptError: there is no message but the system's.
            ConstraintError: the constraint is none for a JSON Schema, which is all that the API takes.
        """
        system, messages = as_anthropic(asked.prompt)
        fields = {**self._options, "messages": messages}
        if system:
            own = fields.get("system")
            fields["system"] = f"{own}\n\n{system}" if isinstance(own, str) else system
        if asked.tools:
            fields["tools"] = tools_of(asked.tools)
            if asked.tool_choice is not None:
                fields["tool_choice"] = choice_of(asked.tool_choice)
        if asked.constraint is not None:
            held = asked.constraint.request("anthropic").fields
            if "output_config" in held:  # which may say of the effort as well
                held = {**held, "output_config": {**fields.get("output_config", {}), **held["output_config"]}}
            fields |= {name: value for name, value in held.items() if name != "stop_sequences"}
        # the API refuses stop sequences of white space
        told = [stop for stop in asked.stop if stop.strip()]
        if told:
            fields["stop_sequences"] = told
        if self._stream:
            fields["stream"] = True
        return RemoteRequest(fields, tuple(stop for stop in asked.stop if not stop.strip()))

    def reader(self) -> Reader:
        """A reader for one answer."""
        return MessageReader()

    def __repr__(self) -> str:
        return f"<model {self.name}>"
