"""What the tests of pipelines share: lects, tools, models that are no models, and looks at what comes out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

import polylect
from polylect import AgentAction, AgentFinish, Call, Lect, Pipeline, PolylectError, Reply

FAMILIES = ("react", "json_blob", "xml_tags", "tool_calls")
LECTS = [
    info.name for info in polylect.lects() if info.distribution.startswith("polylect-") and info.family in FAMILIES
]
TEXT_LECTS = [name for name in LECTS if polylect.lect(name).prompt.is_text]


def search(query: str) -> str:
    """Look something up."""
    return f"rain in {query}"


def forecast(city: str, days: int = 3) -> str:
    """The weather to come."""
    return f"sun in {city}, {days} days"


TOOLS = (search, forecast)


class Script:
    """A model that has its replies ready, and keeps what it was asked."""

    name = "script"

    def __init__(self, *replies: Any) -> None:
        self.replies = list(replies)
        self.asked: list[tuple[Any, Any, Any]] = []

    def __call__(self, prompt: Any, *, stop: Sequence[str] = (), tools: Any = None) -> Any:
        self.asked.append((prompt, stop, tools))
        return self.replies.pop(0)


def plain(prompt: Any) -> str:
    """A model that takes the prompt alone."""
    return " x\nFinal Answer: 1"


build: Any = Pipeline
"""For arguments that are wrong on purpose: their types are not looked at."""


def turns(lect: Lect) -> tuple[Any, Any]:
    """A call and a finish, as the lect writes them."""
    answered = Reply(answer="It rains.") if "answer" in lect.features else Reply(content="It rains.")
    return lect.format(Reply(calls=(Call("search", {"query": "Oslo"}, id="a1"),))), lect.format(answered)


def sent(prompt: Any) -> str:
    """All that a model was told, as one text."""
    return prompt if isinstance(prompt, str) else repr(prompt)


def actions(decision: object) -> list[AgentAction]:
    """The decision, which is to act."""
    assert isinstance(decision, list)
    return decision


def finish(decision: object) -> AgentFinish:
    """The decision, which is that all is done."""
    assert isinstance(decision, AgentFinish)
    return decision


def fails(kind: type[PolylectError], message: str, make: Callable[[], object]) -> None:
    """``make`` raises an error of that kind with that message."""
    with pytest.raises(kind) as caught:
        make()
    assert str(caught.value) == message
