"""A model's own chat template: a Jinja program that writes a conversation as the model was trained to read it.

It is run in Jinja's immutable sandbox: it reaches no file, no network, no attribute of Python's, and what it writes is
bounded, as are the ways to fill memory at once. It is a program all the same, and may run for long in loops that write
nothing: templates of strangers belong in a process with a limit of time.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from polylect import LectError, ToolLike, openai_tools
from polylect.plugin import dumps, load_json

from ._gguf import read_gguf

MAX_OUTPUT = 16_777_216
"""Characters that a template writes at most."""
Form: TypeAlias = Literal["object", "text"]
Source: TypeAlias = "str | Path | Mapping[str, Any] | ChatTemplate"
REASONING = ("reasoning_content", "reasoning", "thinking")
"""The keys under which templates look for reasoning."""


class Rendered(NamedTuple):
    """A conversation as its template wrote it.

    Attributes:
        text: the prompt.
        arguments: whether the template took the arguments of earlier calls as objects, or only as JSON text.
        prefix: what the prompt began of the model's message, to be given to ``parse`` and ``parser``.
    """

    text: str
    arguments: Form = "object"
    prefix: str = ""


class ChatTemplate:
    """The templates of a model by their names, with the special tokens that they name.

    Attributes:
        templates: Jinja sources; one named ``"tool_use"`` is taken where there are tools, ``"default"`` otherwise.
        tokens: variables such as ``bos_token``.
    """

    def __init__(self, templates: Mapping[str, str], tokens: Mapping[str, str] | None = None) -> None:
        if not templates or not all(isinstance(x, str) for x in templates.values()):
            raise LectError("A chat template is Jinja source; there is none here.")
        self.templates, self.tokens = dict(templates), dict(tokens or {})

    @classmethod
    def load(cls, source: Source) -> ChatTemplate:
        """From a Jinja source or file, a ``tokenizer_config.json`` or what it holds, or the head of a GGUF file.

        Raises:
            LectError: there is no such file, or no template in it.
        """
        if isinstance(source, ChatTemplate):
            return source
        if isinstance(source, Mapping):
            return _of_config(source, "The configuration")
        if isinstance(source, str) and ("{{" in source or "{%" in source or "\n" in source):
            return cls({"default": source})
        try:
            path = Path(source)
            if not path.is_file():
                raise LectError(f"There is no file {str(source)!r:.200}, and it is no Jinja source.")
            if path.suffix == ".gguf":
                return cls(*read_gguf(path))
            text = path.read_text("utf-8")
        except (OSError, ValueError, TypeError) as error:
            raise LectError(f"The chat template {str(source)!r:.200} can't be read: {error}") from None
        return _of_config(_json(text, path), str(path)) if path.suffix == ".json" else cls({"default": text})

    def render(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Iterable[ToolLike] | None = None,
        name: str | None = None,
        add_generation_prompt: bool = True,
        now: datetime | None = None,
        **variables: Any,
    ) -> Rendered:
        """Write a conversation.

        Arguments of earlier calls are given as objects; to a template that fails on these, as JSON text. So none is
        encoded twice. A content that is None is given as it is, and to a template that fails on that, as "".

        Args:
            messages: as for OpenAI's chat completions; they are not changed.
            tools: what the model is told of.
            name: which template, where there are several.
            add_generation_prompt: whether the prompt ends where the model's turn begins.
            now: what ``strftime_now`` tells; the current time by default.
            variables: further variables of the template, such as ``enable_thinking=False``.

        Raises:
            LectError: the template is broken, refuses the conversation, or writes too much.
        """
        told = openai_tools(tools) if tools is not None else None
        source = self._chosen(name, bool(told))
        fault: Exception | None = None
        for form, empty in (("object", None), ("object", ""), ("text", None), ("text", "")):
            values = {
                **self.tokens,
                "add_generation_prompt": add_generation_prompt,
                "tools": told,
                "strftime_now": (now or datetime.now()).strftime,
                **variables,
                "messages": [_message(x, form, empty) for x in messages],
            }
            try:
                return Rendered(_run(source, values), "object" if form == "object" else "text")
            except Exception as error:  # a stranger's program
                fault = fault or error
                if isinstance(error, _TooMuchError):
                    break
        raise LectError(f"The chat template failed: {type(fault).__name__}: {fault}") from fault

    def _chosen(self, name: str | None, with_tools: bool) -> str:
        if name is not None:
            if name not in self.templates:
                raise LectError(f"There is no chat template {name!r:.80}; there are {', '.join(self.templates)}.")
            return self.templates[name]
        first = "tool_use" if with_tools else "default"
        return self.templates.get(first) or self.templates.get("default") or next(iter(self.templates.values()))


def _of_config(config: Any, where: str) -> ChatTemplate:
    found = config.get("chat_template") if isinstance(config, Mapping) else None
    if isinstance(found, list):
        named = [x for x in found if isinstance(x, Mapping)]
        found = {str(x.get("name")): x["template"] for x in named if isinstance(x.get("template"), str)}
    elif isinstance(found, str):
        found = {"default": found}
    if not isinstance(found, Mapping) or not found:
        raise LectError(f"{where} has no chat_template: a Jinja source, or a list of named ones.")
    tokens = {}
    for key, value in config.items():
        text = value.get("content") if isinstance(value, Mapping) else value
        if key.endswith("_token") and isinstance(text, str):
            tokens[key] = text
    return ChatTemplate(found, tokens)


def _json(text: str, path: Path) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise LectError(f"{path} is not JSON: {error}") from None


def _message(message: Mapping[str, Any], form: str, empty: str | None) -> dict[str, Any]:
    """A copy of a message with the arguments of its calls in one form, and its reasoning under all keys."""
    if not isinstance(message, Mapping):
        raise LectError(f"A message is a dict with a role, not {type(message).__name__}.")
    found = copy.deepcopy(dict(message))
    if found.get("content", "") is None:
        found["content"] = empty
    for call in found.get("tool_calls") or ():
        function = call.get("function", call) if isinstance(call, dict) else {}
        if "arguments" in function:
            function["arguments"] = _arguments(function["arguments"], form)
    reasoning = next((found[key] for key in REASONING if found.get(key)), None)
    return found if reasoning is None else {**dict.fromkeys(REASONING, reasoning), **found}


def _arguments(given: Any, form: str) -> Any:
    if isinstance(given, str) and form == "object":
        try:
            value = load_json(given or "{}")
        except (ValueError, RecursionError):
            return given
        return value if isinstance(value, dict) else given
    return dumps(given) if form == "text" and not isinstance(given, str) else given


# --- the sandbox ------------------------------------------------------------------------------------------------------


class _TooMuchError(Exception):
    """A template writes more than it may."""


def _run(source: str, values: dict[str, Any]) -> str:
    out, length = [], 0
    for piece in _compiled(source).generate(**values):
        length += len(piece)
        if length > MAX_OUTPUT:
            raise _TooMuchError(f"it writes more than {MAX_OUTPUT:,} characters")
        out.append(piece)
    return "".join(out)


@lru_cache(maxsize=64)
def _compiled(source: str) -> Any:
    return _environment().from_string(source)


@lru_cache(maxsize=1)
def _environment() -> Any:
    from jinja2 import nodes
    from jinja2.exceptions import SecurityError, TemplateError
    from jinja2.ext import Extension, loopcontrols
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class Generation(Extension):
        """``{% generation %}`` marks what the model wrote, for training; here it is what stands in it."""

        tags = {"generation"}  # noqa: RUF012

        def parse(self, parser: Any) -> list[nodes.Node]:
            """The body alone."""
            next(parser.stream)
            body: list[nodes.Node] = parser.parse_statements(("name:endgeneration",), drop_needle=True)
            return body

    class Environment(ImmutableSandboxedEnvironment):
        intercepted_binops = frozenset({"*", "**", "%"})

        def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
            """Refuse what fills memory at once."""
            size = [len(x) if isinstance(x, (str, bytes, list, tuple)) else x for x in (left, right)]
            numbers = all(isinstance(x, (int, float)) for x in size)
            many = any(isinstance(x, (str, bytes, list, tuple)) for x in (left, right))
            if operator == "**" and numbers and (abs(size[0]) > 1e6 or abs(size[1]) > 64):
                raise SecurityError("a power as large as this is not computed")
            if operator == "*" and numbers and many and size[0] * size[1] > MAX_OUTPUT:
                raise SecurityError("a text or list as long as this is not made")
            if operator == "%" and isinstance(left, str) and any(len(x) > 4 for x in _digits(left)):
                raise SecurityError("a field as wide as this is not written")
            return super().call_binop(context, operator, left, right)

    def raise_exception(message: str) -> None:
        raise TemplateError(message)

    environment = Environment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols, Generation])
    environment.filters["tojson"] = _tojson
    environment.globals["raise_exception"] = raise_exception
    return environment


def _digits(text: str) -> list[str]:
    return "".join(x if x.isdecimal() else " " for x in text).split()


def _tojson(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | str | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """JSON as templates expect it: characters as they are, nothing of it escaped for HTML."""
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


# --- what a lect makes of it ------------------------------------------------------------------------------------------


def begun(prompt: str, think: tuple[str, str] | None) -> str:
    """The reasoning that a prompt has begun, or begun and closed, at its end; "" where it has not."""
    opener, closer = (mark.strip() for mark in think or ("", ""))
    at = prompt.rfind(opener) if opener else -1
    inside = prompt[at + len(opener) :].strip() if at >= 0 else "?"
    return prompt[at:] if inside in ("", closer) else ""


def told_of(tools: Iterable[ToolLike], render: Callable[[Iterable[ToolLike] | None], str]) -> str:
    """What of a prompt tells of the tools: where it differs from the prompt without any."""
    with_tools, without = render(tools), render(None)
    most = min(len(with_tools), len(without))
    start = next((n for n in range(most) if with_tools[n] != without[n]), most)
    end = next((n for n in range(most - start) if with_tools[-1 - n] != without[-1 - n]), most - start)
    return with_tools[start : len(with_tools) - end]
