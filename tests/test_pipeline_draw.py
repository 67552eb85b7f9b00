"""What a pipeline looks like: as text, as Mermaid, as a line."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import polylect
from polylect import AgentStep, Pipeline

from .pipelines import search


def gpt(prompt: Any, *, stop: Any = None, tools: Any = None) -> str:
    return ""


def test_as_text() -> None:
    assert Pipeline("react", gpt, [search]).to_text() == (
        "steps, inputs\n"
        "  |\n"
        "  v\n"
        "format scratchpad  react: format_steps -> text\n"
        "  |\n"
        "  v\n"
        "prompt             text with {tools}, {tool_names}, {input}, {agent_scratchpad}\n"
        "  |\n"
        "  v\n"
        "model              gpt; stop '\\nObservation'; tools search\n"
        "  |\n"
        "  v\n"
        "parse              react: parse, decide\n"
        "  |\n"
        "  v\n"
        "actions or finish"
    )


def test_as_mermaid() -> None:
    assert Pipeline("xml_tags", gpt, [search]).to_mermaid() == (
        "flowchart LR\n"
        '    inputs(["steps, inputs"])\n'
        '    format_scratchpad["<b>format scratchpad</b><br/>xml_tags: format_steps -#62; text"]\n'
        '    prompt["<b>prompt</b><br/>text with {tools}, {input}, {agent_scratchpad}"]\n'
        "    model[\"<b>model</b><br/>gpt; stop '#60;/tool_input#62;'; tools search\"]\n"
        '    parse["<b>parse</b><br/>xml_tags: parse, decide"]\n'
        '    outcome(["actions or finish"])\n'
        "    inputs --> format_scratchpad --> prompt --> model --> parse --> outcome"
    )


def test_stages_of_ones_own_are_named() -> None:
    class Mine:
        name = 'my "model" <1>'

        def __call__(self, prompt: Any) -> str:
            return ""

    def last(steps: Sequence[AgentStep], /) -> str:
        return ""

    def parse(text: str, strict: bool) -> Any:
        return None

    pipeline = Pipeline(
        "react",
        Mine(),
        prompt=lambda values: "",
        format_scratchpad=last,
        parse=partial(parse, strict=True),
        stop=False,
    )
    assert pipeline.to_text().split("\n")[3::3] == [
        "format scratchpad  last",
        "prompt             <lambda>",
        'model              my "model" <1>',
        "parse              parse",
        "actions or finish",
    ]
    assert '    model["<b>model</b><br/>my #34;model#34; #60;1#62;"]' in pipeline.to_mermaid().split("\n")
    assert '    prompt["<b>prompt</b><br/>#60;lambda#62;"]' in pipeline.to_mermaid().split("\n")


def test_without_a_model() -> None:
    pipeline = Pipeline("tool_calls", tools=[search])
    assert "model              none yet; tools search" in pipeline.to_text().split("\n")
    assert "prompt             messages with {chat_history}, {input}, {agent_scratchpad}" in pipeline.to_text().split(
        "\n"
    )


def test_as_a_line() -> None:
    assert repr(Pipeline("react", gpt, [search])) == "<pipeline react: gpt, tools: search>"
    assert repr(Pipeline("react")) == "<pipeline react: no model, tools: none>"


def test_the_names_are_loaded_when_they_are_used() -> None:
    import subprocess
    import sys

    names = "Pipeline", "Request", "Turn", "Model", "FormatScratchpad", "PromptStage", "ParseStage"
    code = (
        "import sys, polylect\n"
        "assert 'polylect._pipeline' not in sys.modules and 'polylect._stages' not in sys.modules\n"
        f"for name in {names!r}:\n"
        "    assert name in polylect.__all__ and getattr(polylect, name).__name__ == name\n"
        "assert not {'lark', 'lxml', 'jsonschema'} & sys.modules.keys()\n"
    )
    assert subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=False).returncode == 0
    assert polylect.Pipeline is Pipeline
