"""What a model is told about XML tags."""

from __future__ import annotations

from collections.abc import Mapping

from polylect import Prompt


def prompt(tags: Mapping[str, str]) -> Prompt:
    """The prompt, with these tags."""
    tool, tool_input, observation, answer = (
        (f"<{tags[word]}>", f"</{tags[word]}>") for word in ("tool", "tool_input", "observation", "final_answer")
    )
    return Prompt(
        f"""\
Answer the question as well as you can. You may use these tools:

{{tools}}

To use a tool, write its name and its input in tags. The result will be given to you; never write it yourself:

{tool[0]}search{tool[1]}{tool_input[0]}weather in Oslo{tool_input[1]}
{observation[0]}rain, 12 degrees{observation[1]}

A tool with several arguments takes one element for each of them: {tool_input[0]}<city>Oslo</city>{tool_input[1]}.
Write &lt; for < and &amp; for & in an input. When you know the answer, write:

{answer[0]}It rains in Oslo, at 12 degrees.{answer[1]}

Question: {{input}}

{{agent_scratchpad}}"""
    )
