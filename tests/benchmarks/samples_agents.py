"""What the agents in the benchmarks are asked, and what their models answer."""

from __future__ import annotations

import json
from typing import Any

QUESTION = "When is high water?"
SYSTEM = "You answer questions about tides."
NOTE = "note"
"""The tool, which gives back what it is given."""
REACT_PROMPT = "Tools:\n{tools}\n\nTheir names: {tool_names}\n\nQuestion: {input}\nThought:{agent_scratchpad}"
REACT_RUN = (f" I ask.\nAction: {NOTE}\nAction Input: hi", " I know.\nFinal Answer: 42")


def _call(text: str) -> dict[str, Any]:
    function = {"name": NOTE, "arguments": json.dumps({"text": text})}
    call = {"id": "call_1", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


TOOL_CALLS_RUN = (_call("hi"), {"role": "assistant", "content": "42"})


def long_turn(lect: str, number: int | None) -> Any:
    """Turn ``number`` of a long run, no two alike; None for the answer."""
    run: tuple[Any, Any] = TOOL_CALLS_RUN if lect == "tool_calls" else REACT_RUN
    if number is None:
        return run[1]
    text = f"Tide table, page {number}: the height of each hour, and the wind."
    return _call(text) if lect == "tool_calls" else run[0].replace("hi", text)
