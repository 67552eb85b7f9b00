"""The model ``openai``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from polylect import ModelError, PromptError
from polylect.plugin import Asked, Reader, RemoteModel, RemoteRequest

from ._reading import ChatReader, CompletionsReader

if TYPE_CHECKING:
    from polylect.constraint import Constraint

Fields = dict[str, Any]
APIS = ("chat", "completions")
MAX_STOPS = 4
"""Stop strings that OpenAI's API takes; what there is beyond is cut here."""
CLIENT_OPTIONS = frozenset(
    {
        "admin_api_key", "api_key", "base_url", "default_headers", "default_query", "http_client", "max_retries",
        "organization", "project", "webhook_secret", "websocket_base_url",
    }
)  # fmt: skip
"""Options that are the client's; all others are sent with every request."""
OWN = "openai"
KNOWN_SERVERS = {"llama.cpp": "gbnf", OWN: "json_schema", "sglang": "xgrammar", "vllm": "xgrammar"}
"""Servers whose fields for constraints are known, with the language to use. What OpenAI's own takes beside a schema
comes back as a call, which is no turn of a lect of text."""
NO_KEY = "none"
"""What is sent as the key to servers that want none: the SDK wants one."""


class OpenAI(RemoteModel):
    """A model on any server that speaks OpenAI's API.

    Source: the OpenAI API reference, "Chat completions" and "Completions".

    Args:
        model: the model's name on its server.
        api: ``"chat"`` (chat completions; a text prompt is one message of the user), or ``"completions"`` (text
            completions, for text prompts).
        stream: whether the reply comes in chunks.
        base_url: the server's address, ``"http://127.0.0.1:8080/v1"``; by default ``OPENAI_BASE_URL``, or OpenAI's own.
        api_key: by default ``OPENAI_API_KEY``; a server at an address of your own may need none.
        server: which server it is, for constraints: ``"vllm"``, ``"sglang"``, ``"llama.cpp"`` or ``"openai"``.
        constraint_target: the language in which it is given constraints; by default the one to use with that server.
        client: a client of the SDK's, made by you (``openai.AzureOpenAI(…)``).
        async_client: the same for asynchronous calls.
        options: the client's (``max_retries``, ``default_headers``, …), or whatever the request may have
            (``temperature``, ``max_completion_tokens``, ``seed``, …); what the SDK does not know goes into its body.

    Raises:
        ModelError: there is no model's name, or no key for OpenAI's own server.
        ConstraintError: there is no such server, or it takes no constraints in this language.
    """

    optional = ("stop", "stream_options")

    def __init__(
        self,
        model: str | None = None,
        *,
        api: str = "chat",
        stream: bool = True,
        base_url: str | None = None,
        api_key: str | None = None,
        server: str | None = None,
        constraint_target: str | None = None,
        client: Any = None,
        async_client: Any = None,
        **options: Any,
    ) -> None:
        super().__init__(stream=stream, client=client, async_client=async_client)
        if not model:
            raise ModelError("Which model? Name it behind a colon: polylect.model('openai:gpt-4o-mini').")
        if api not in APIS:
            raise ModelError(f"api is {' or '.join(map(repr, APIS))}, not {api!r:.80}.")
        self.name = f"openai:{model}"
        self.api = api
        self._server = server or (None if base_url or os.environ.get("OPENAI_BASE_URL") else OWN)
        self.constraint_target = _target(self._server, constraint_target)
        elsewhere = base_url or os.environ.get("OPENAI_BASE_URL")
        key = api_key or os.environ.get("OPENAI_API_KEY") or (NO_KEY if elsewhere else None)
        if key is None and client is None and async_client is None:
            raise ModelError(
                "The model openai needs a key: set OPENAI_API_KEY, or give api_key=. A server of your own needs its "
                "address: base_url='http://127.0.0.1:8080/v1'."
            )
        given = {name: options.pop(name) for name in CLIENT_OPTIONS & options.keys()}
        self._client_options = {"api_key": key, **({"base_url": base_url} if base_url else {}), **given}
        self._options = {"model": model, **options}

    def make_client(self) -> Any:
        """The SDK's client."""
        from openai import OpenAI as Client

        return Client(**self._client_options)

    def make_async_client(self) -> Any:
        """The SDK's asynchronous client."""
        from openai import AsyncOpenAI

        return AsyncOpenAI(**self._client_options)

    def request(self, asked: Asked, left_out: frozenset[str]) -> RemoteRequest:
        """The call as the SDK takes it.

        Raises:
            PromptError: text completions are to read messages.
        """
        fields = dict(self._options)
        if self.api == "completions":
            if not isinstance(asked.prompt, str):
                raise PromptError(
                    "Text completions take a text, and this prompt is a list of messages. Use api='chat'."
                )
            fields["prompt"] = asked.prompt
        else:
            text = isinstance(asked.prompt, str)
            fields["messages"] = [{"role": "user", "content": asked.prompt}] if text else asked.prompt
            if asked.tools and all("type" not in tool for tool in asked.tools):
                fields |= {"functions": asked.tools, **_old_choice(asked.tool_choice)}
            elif asked.tools:
                fields |= {"tools": asked.tools, **_choice(asked.tool_choice, asked.tools)}
        if asked.constraint is not None:
            fields |= self._held(asked.constraint)
        told = () if "stop" in left_out else asked.stop[:MAX_STOPS]
        if told:
            fields["stop"] = list(told)
        if self._stream:
            fields["stream"] = True
            if "stream_options" not in left_out:
                fields.setdefault("stream_options", {"include_usage": True})
            else:
                fields.pop("stream_options", None)
        return RemoteRequest(fields, asked.stop[len(told) :])

    def _held(self, constraint: Constraint) -> Fields:
        """The fields that carry a constraint.

        Raises:
            ModelError: nobody knows which server this is.
            ConstraintError: it takes no such constraint.
        """
        if self._server is None:
            raise ModelError(
                f"Servers take constraints in fields of their own. Which one is it? polylect.model({self.name!r:.80}, "
                f"server=…), with one of {', '.join(KNOWN_SERVERS)}."
            )
        return {name: value for name, value in constraint.request(self._server).fields.items() if name != "stop"}

    def resource(self, client: Any) -> Any:
        """Chat completions, or text completions."""
        return client.chat.completions if self.api == "chat" else client.completions

    def reader(self) -> Reader:
        """A reader for one answer."""
        return ChatReader() if self.api == "chat" else CompletionsReader()

    def __repr__(self) -> str:
        return f"<model {self.name}>"


def _target(server: str | None, target: str | None) -> str | None:
    """The language in which constraints are wanted."""
    if server is None:
        return target
    if server not in KNOWN_SERVERS:
        known = ", ".join(KNOWN_SERVERS)
        raise ModelError(f"server is one of {known}, not {server!r:.80}. Other servers take no constraints here.")
    if target is None:
        return KNOWN_SERVERS[server]
    from polylect.constraint import check_server

    check_server(server, target)
    return target


def _old_choice(choice: str | None) -> Fields:
    """The same in the API of ``functions``, which knows no ``required``: there the agent sees to it."""
    if choice is None or choice == "required":
        return {}
    return {"function_call": choice if choice in ("auto", "none") else {"name": choice}}


def _choice(choice: str | None, tools: list[Fields]) -> Fields:
    if choice is None:
        return {}
    if choice in ("auto", "required", "none"):
        return {"tool_choice": choice}
    custom = any(tool["type"] == "custom" and tool.get("custom", {}).get("name") == choice for tool in tools)
    kind = "custom" if custom else "function"
    return {"tool_choice": {"type": kind, kind: {"name": choice}}}
