"""What a case says, in short, and how it is held to; the error of a turn that the agent can't use."""

from __future__ import annotations

import json
from typing import Any

import pytest

import polylect
from polylect import Lect, ParseError, Tool
from polylect.testing import Case, run_case

REACT = polylect.lect("react")


def call(name: str, arguments: Any, status: str = "complete") -> dict[str, Any]:
    """A call, as a case says it."""
    return {"name": name, "arguments": arguments, "status": status}


def runs(*calls: tuple[str, Any], **more: Any) -> dict[str, Any]:
    """The case says these calls, and the agent runs them."""
    return {"calls": [call(*each) for each in calls], "decision": [list(each) for each in calls], **more}


def finishes(answer: str, **more: Any) -> dict[str, Any]:
    """The case says this answer, and the agent is done."""
    return {"answer": answer, "decision": {"output": answer}, **more}


def reads(text: str, said: dict[str, Any], lect: Lect | str = "react", tools: list[Tool] | None = None) -> None:
    """The text comes out like that: whole, one character at a time, and in random pieces."""
    run_case(Case(0, text, (text, json.dumps(said))), lect, tools=tools)


def error_of(written: str, lect: Lect = REACT, **policies: Any) -> ParseError:
    """The error that the decision about the text raises."""
    with pytest.raises(ParseError) as caught:
        lect.decide(lect.parse(written), **policies)
    return caught.value
