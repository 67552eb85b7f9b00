"""polylect as an engine of the suite ``canitoolcall``: what a careful server would send its client.

- Calls are passed on when they are closed and may run (``arguments="held"``): of a call that was cut, nothing is seen.
- The suite speaks of token ids of tokenizers that may be out of reach. Ours are cut by ``cutting.py``, the markers of
  the family in one piece each; the text of a token is its entry in a list.
- The part of the generation prompt that belongs to the model's message is the parser's ``prefix``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar

from canitoolcall.adapters.base import Adapter, ReplayInput, Support, ToolSpec
from canitoolcall.fixtures import load_family
from canitoolcall.results import ParsedToolCall, ParseResult

import polylect
from polylect import CallEnd, ContentDelta, LectError, ParseError, ReasoningDelta

from .cutting import Cutter

LECTS = {
    "Qwen/Qwen3-0.6B": "hermes",
    "Qwen/Qwen3-4B-": "hermes",
    "Qwen/Qwen3-Coder-": "qwen3_coder_xml",
    "Qwen/Qwen3.": "qwen3_coder_xml",
    "deepseek-ai/DeepSeek-V3-0324": "deepseek_v3",
    "deepseek-ai/DeepSeek-V3.1": "deepseek_v31",
    "deepseek-ai/DeepSeek-V3.2": "deepseek_dsml_v32",
    "deepseek-ai/DeepSeek-V4": "deepseek_dsml_v4",
    "google/gemma-4-": "gemma4",
    "meta-llama/Llama-3.3-": "llama3_json",
    "meta-llama/Llama-4-": "pythonic",
    "mistralai/": "mistral_v11_args",
    "mistralai/Mistral-7B-Instruct-v0.3": "mistral_v3_array",
    "moonshotai/Kimi-K2": "kimi_k2",
    "moonshotai/Kimi-K3": "kimi_k3_xtml",
    "openai/gpt-oss-": "gpt_oss_harmony",
    "zai-org/GLM-4.5": "glm45",
    "zai-org/GLM-4.7": "glm47",
    "zai-org/GLM-5.": "glm47",
}
"""Beginnings of the models' names (the longest that matches wins), each with its lect."""

ROLE = re.compile(
    r"\A(?:<\|im_start\|>assistant\n|<｜Assistant｜>|<\|turn>model\n|<\|assistant\|>\n?"
    r"|<\|im_assistant\|>assistant<\|im_middle\|>|<\|open\|>message role=\"assistant\"<\|sep\|>|\[/INST\]"
    r"|<\|start_header_id\|>assistant<\|end_header_id\|>\n\n|<\|header_start\|>assistant<\|header_end\|>\n\n)?"
)
"""What of a generation prompt says whose turn it is; the rest belongs to the message (all of it, with gpt-oss)."""


def lect_name(model: str) -> str:
    """The name of the lect that a model of the suite speaks."""
    return LECTS[max((name for name in LECTS if model.startswith(name)), key=len)]


def prefix_of(generation_prompt: str | None) -> str:
    """The part of a generation prompt with which the model's message begins."""
    return ROLE.sub("", generation_prompt or "")


@lru_cache
def cutter_of(family: str) -> Cutter:
    """The cutter of a family: its markers and stop tokens are single tokens."""
    known = load_family(family)
    return Cutter([*known.markers, *(stop for model in known.reference_models for stop in model.stop_tokens)])


def folded(events: Iterable[polylect.Event]) -> ParseResult:
    """What a client has when it has put all deltas together."""
    content: list[str] = []
    reasoning: list[str] = []
    calls: list[ParsedToolCall] = []
    for event in events:
        if isinstance(event, ContentDelta):
            content.append(event.text)
        elif isinstance(event, ReasoningDelta):
            reasoning.append(event.text)
        elif isinstance(event, CallEnd) and event.call.runnable:
            calls.append(ParsedToolCall(event.call.name, event.call.raw))
    return ParseResult("".join(content) or None, "".join(reasoning) or None, tuple(calls))


def result_of(reply: polylect.Reply) -> ParseResult:
    """A reply as the suite writes it down; calls that may not run are left out, as a server does."""
    calls = tuple(ParsedToolCall(call.name, call.raw) for call in reply.calls if call.runnable)
    return ParseResult(reply.content or None, reply.reasoning or None, calls)


def options(raw: ReplayInput, tools: Sequence[ToolSpec]) -> dict[str, Any]:
    """How a lect is asked to read an output of the suite."""
    return {"tools": list(tools), "prefix": prefix_of(raw.generation_prompt)}


def reason(raw: ReplayInput) -> str:
    """How the output ended."""
    return "length" if raw.truncated else "stop"


class PolylectAdapter(Adapter):
    """polylect, in this process."""

    name: ClassVar[str] = "polylect"
    pinned_version: ClassVar[str] = polylect.__version__
    supports_text_deltas: ClassVar[bool] = True

    def __init__(self) -> None:
        self._tokens: list[str] = []
        self._ids: dict[str, int] = {}

    def version(self) -> str:
        """The version of polylect."""
        return polylect.__version__

    def supports(self, family: str, model: str) -> Support:
        """Every model of the suite."""
        try:
            lect_name(model)
        except ValueError:
            return Support(False, f"no lect is known for {model}")
        return Support(True)

    def parser_config(self, raw: ReplayInput) -> dict[str, Any]:
        """The lect and what the prompt began."""
        return {"lect": lect_name(raw.model), "prefix": prefix_of(raw.generation_prompt), "finish": reason(raw)}

    def units(self, raw: ReplayInput) -> list[int]:
        """The ids of our own tokens of the output."""
        out = []
        for token in cutter_of(raw.family)(raw.text):
            if token not in self._ids:
                self._ids[token] = len(self._tokens)
                self._tokens.append(token)
            out.append(self._ids[token])
        return out

    def special_token_ids(self, raw: ReplayInput) -> Collection[int]:
        """The ids of the family's markers, as far as they were seen."""
        return [self._ids[mark] for mark in cutter_of(raw.family).markers if mark in self._ids]

    def parse(self, raw: ReplayInput, tools: Sequence[ToolSpec]) -> ParseResult:
        """The whole output at once."""
        lect = polylect.lect(lect_name(raw.model))
        try:
            return result_of(lect.parse(raw.text, finish_reason=reason(raw), **options(raw, tools)))
        except (ParseError, LectError) as error:
            return ParseResult(exception=f"{type(error).__name__}: {error}")

    def parse_stream(self, raw: ReplayInput, chunks: Sequence[Sequence[int]], tools: Sequence[ToolSpec]) -> ParseResult:
        """The output in groups of tokens."""
        return self.parse_stream_text(raw, ["".join(self._tokens[unit] for unit in chunk) for chunk in chunks], tools)

    def parse_stream_text(self, raw: ReplayInput, deltas: Sequence[str], tools: Sequence[ToolSpec]) -> ParseResult:
        """The output in any pieces."""
        lect = polylect.lect(lect_name(raw.model))
        try:
            parser = lect.parser(arguments="held", **options(raw, tools))
            events = [event for delta in deltas for event in parser.feed(delta)]
            return folded([*events, *parser.close(reason(raw))])
        except (ParseError, LectError) as error:
            return ParseResult(exception=f"{type(error).__name__}: {error}")


def replayed(adapter: PolylectAdapter, fixture: Any, family: Any) -> Mapping[str, Any]:
    """One case of the suite in all its default cuttings, and character by character."""
    from canitoolcall.adapters.worker import replay
    from canitoolcall.chunking import DEFAULT_STRATEGIES, ChunkStrategy

    extra = [ChunkStrategy("char", seed) for seed in range(3)]
    return replay(adapter, fixture, family, [*DEFAULT_STRATEGIES, *extra])
