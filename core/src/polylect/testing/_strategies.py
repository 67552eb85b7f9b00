"""What the laws are tried with, as Hypothesis strategies for the tests of plugins."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from .._tools import Tool
from .._values import AgentStep, Reply
from . import _replies, _texts
from ._draw import Draw, Maker
from ._replies import Tools
from ._texts import Message

if TYPE_CHECKING:
    from .._lect import Lect

T = TypeVar("T")


class _ByHypothesis(Draw):
    """Choices that Hypothesis makes, and makes smaller."""

    def __init__(self, draw: DrawFn) -> None:
        super().__init__()
        self._draw = draw

    def below(self, bound: int) -> int:
        return self._draw(_numbers(bound))


@lru_cache(1024)
def _numbers(bound: int) -> SearchStrategy[int]:
    return st.integers(0, bound - 1)


def strategy(make: Maker[T]) -> SearchStrategy[T]:
    """The cases of a maker, drawn by Hypothesis."""

    @st.composite
    def build(draw: DrawFn) -> T:
        return make(_ByHypothesis(draw))

    return build()


def texts(lect: Lect) -> SearchStrategy[Message]:
    """What a model of this tongue may write, well or badly.

    Soup of markers and troublemakers, the lect's examples bent in one to three places or cut short, pieces of them in
    any order, a marker repeated many times, long runs of words between markers, and random Unicode, lone surrogates
    included. In tongues of messages: the examples with such texts in them; the shape of the message stays as it is.
    """
    return strategy(_texts.texts(lect))


def cuts(length: int = 0) -> SearchStrategy[tuple[int, ...]]:
    """Sizes of chunks, to be cycled: all in one, one character at a time, or a random few; of long texts long ones."""
    return strategy(_texts.cuts(length))


def tools() -> SearchStrategy[list[Tool]]:
    """One to four tools of different names, with typed arguments."""
    return strategy(_replies.tools)


def replies(lect: Lect, *, tools: Tools = None) -> SearchStrategy[Reply]:
    """Replies that the lect can express, by its ``features``.

    Half of them are harmless; the texts of the others are hostile: the lect's markers, look-alikes, quotes, braces,
    backslashes, odd white space. With ``tools``, calls name one of them and give it arguments that fit its schema.
    """
    return strategy(_replies.replies(lect, tools=tools))


def steps(lect: Lect, *, tools: Tools = None) -> SearchStrategy[list[AgentStep]]:
    """What an agent has done so far: up to three turns of one or more actions, with hostile observations.

    The actions of a turn come from a reply that the lect formatted and read again, or from one of its examples, with
    the model's text as their logs, of which some may be lost; or they are made by hand, without logs or with logs that
    are in no tongue, or in another one.
    """
    return strategy(_replies.steps(lect, tools=tools))
