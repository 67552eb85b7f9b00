"""A constraint: what a model may write, in the words of one engine, with what it leaves out and where it goes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias
from weakref import WeakKeyDictionary

from .._errors import ConstraintError, nearest
from .._tools import Tool, Toolbox, Tools, toolbox
from ._after import NothingLeftError
from ._build import Built, Tongue, Wanted
from ._probes import ODD, Odd
from ._schema import Limits
from ._tree import Tree

if TYPE_CHECKING:
    from .._text_lect import TextLect
    from ._match import Matcher
    from ._printed import Printed
    from ._requests import Request
    from ._sample import Sampler

Target: TypeAlias = Literal[
    "gbnf", "json_schema", "llguidance", "openai_custom_tool", "regex", "structural_tag", "xgrammar"
]
Exactness: TypeAlias = Literal["exact", "subset", "superset"]
TARGETS: tuple[str, ...] = (
    "gbnf", "json_schema", "llguidance", "openai_custom_tool", "regex", "structural_tag", "xgrammar",
)  # fmt: skip
FLAT = ("openai_custom_tool", "regex")
"""Targets for which JSON of any depth is too much."""
_PRINTERS = {
    "gbnf": "_gbnf:gbnf",
    "json_schema": "_json_schema:json_schema",
    "llguidance": "_llguidance:llguidance",
    "openai_custom_tool": "_openai:openai_custom_tool",
    "regex": "_regex:regex",
    "structural_tag": "_structural_tag:structural_tag",
    "xgrammar": "_gbnf:xgrammar",
}
SPELLING = "the same values in other spellings of JSON (order of keys, white space, escapes, 1.0 for 1)"
LAYOUT = "markers in other spellings than the formatter's"
"""What every constraint leaves out, though a parser reads it."""


class Report(NamedTuple):
    """How what a constraint allows compares with what the formatter writes, and the parser reads, with these tools.

    ``exact``: it is the same, but for spellings; ``subset``: it is less, for the ``reasons``; ``superset``: it is more.
    Each reason is a sentence or a clause.
    """

    exactness: Exactness
    reasons: tuple[str, ...] = ()


class Constraint:
    """What a model may write, for one engine.

    Attributes:
        lect: the name of the lect.
        target: the engine's language; see :data:`TARGETS`.
        value: the constraint in that language: text, or the dict of a JSON document.
        report: how it compares with what the parser reads.
        stops: where a server should stop the model as well, for what a constraint can't end.
        tools: the names of the tools that may be called.
        prefix: what was written of the turn before the constraint begins.
        special: the markers that it takes for tokens of the model's vocabulary.
    """

    def __init__(
        self,
        lect: TextLect,
        target: str,
        printed: Printed,
        built: Built,
        tools: Iterable[str],
        prefix: str = "",
        special: Iterable[str] = (),
    ) -> None:
        self.lect, self.target, self.value = lect.name, target, printed.text
        self.prefix, self.special = prefix, tuple(sorted(special))
        self.stops, self.tools = lect.stops, tuple(tools)
        reasons = (*built.reasons, *(reason for reason in printed.reasons if reason not in built.reasons))
        exactness: Exactness = "subset" if printed.exactness == "exact" and reasons else printed.exactness
        self.report = Report(exactness, reasons)
        self._tree = built.tree

    @property
    def text(self) -> str:
        """The constraint as text; a JSON document as JSON."""
        if isinstance(self.value, str):
            return self.value
        from .._json import encode_json

        return encode_json(self.value)

    def matches(self, text: str) -> bool:
        """Whether this turn is one of those that the constraint is for (behind the prefix that it was made for).

        Where the report says ``subset`` for reasons of the target, the engine is told less than that.
        """
        return self._matcher.matches(text)

    def sample(self, seed: int = 0) -> str:
        """A turn that :meth:`matches`: arbitrary, short, and the same for the same seed."""
        import random

        return self._sampler.sample(random.Random(seed))

    @cached_property
    def _matcher(self) -> Matcher:
        from ._match import Matcher

        return Matcher(self._tree)

    @cached_property
    def _sampler(self) -> Sampler:
        from ._sample import Sampler

        return Sampler(self._tree)

    def check(self) -> None:
        """Have the engine look at it, where its library is installed; servers often pass over a broken one in silence.

        Raises:
            ConstraintError: the engine does not take it; the message is the engine's.
        """
        from ._engines import check

        check(self.target, self.text)

    def request(self, server: str) -> Request:
        """The fields of a request to this server that carry the constraint, and what the server can't enforce.

        Args:
            server: ``"vllm"``, ``"sglang"``, ``"llama.cpp"``, ``"openai"``, ``"openai_responses"``, ``"ollama"`` or
                ``"anthropic"``.

        Raises:
            ConstraintError: the server takes no constraint in this language, or none so long; or the engine does not
                take it.
        """
        from ._requests import request

        return request(self, server)

    def __repr__(self) -> str:
        return f"<constraint of {self.lect} for {self.target}: {self.report.exactness}>"


_tongues: WeakKeyDictionary[TextLect, Tongue] = WeakKeyDictionary()


def tongue(lect: TextLect) -> Tongue:
    """What a lect writes, remembered as long as the lect lives."""
    found = _tongues.get(lect)
    if found is None:
        found = _tongues[lect] = Tongue(lect)
    return found


def constraint(
    lect: TextLect,
    tools: Tools = None,
    *,
    target: str = "llguidance",
    tool_choice: str = "auto",
    prefix: str = "",
    max_calls: int | None = None,
    max_chars: int | None = None,
    special_tokens: Iterable[str] = (),
) -> Constraint:
    """The constraint of a lect's turns; see :meth:`polylect.Lect.constraint`."""
    if target not in TARGETS:
        close = nearest(target, TARGETS) if isinstance(target, str) else ""
        raise ConstraintError(f"There is no target {target!r:.80}.{close} Targets: {', '.join(TARGETS)}.")
    for name, given in (("tool_choice", tool_choice), ("prefix", prefix)):
        if not isinstance(given, str):
            choices = "'auto', 'required', 'none' or a tool's name" if name == "tool_choice" else "text"
            raise ConstraintError(f"{name} is {choices}, not {given!r:.80}.")
    if isinstance(special_tokens, str):
        raise ConstraintError(f"special_tokens are several texts, not one: [{special_tokens!r:.80}].")
    if not isinstance(special_tokens, Iterable):
        raise ConstraintError(f"special_tokens are several texts, not {special_tokens!r:.80}.")
    for name, number in (("max_calls", max_calls), ("max_chars", max_chars)):
        if number is not None and (number.__class__ is not int or number < 1):
            raise ConstraintError(f"{name} is a number from 1 on, not {number!r:.40}.")
    box = toolbox(tools) or Toolbox()
    chosen = _chosen(box, tool_choice)
    only = lect.only_tool(box) if chosen else ""
    if only:
        if only not in (tool.name for tool in chosen):
            raise ConstraintError(f"The calls of {lect.name} name no tool, so they are all of {only!r:.80}.")
        chosen = [box[only]]
    limits = Limits(chars=max_chars, items=None if max_chars is None else max(max_chars // 4, 1))
    other = tool_choice in ("auto", "none")
    alone = target == "json_schema"  # it has no word for anything beside one value
    if alone:
        max_calls = 1
    odd = frozenset(ODD) - frozenset[Odd](("json",) if max_chars or target in FLAT else ())
    wanted = Wanted(bool(chosen), other, max_calls, not alone, limits, prefix, odd)
    special = frozenset(special_tokens)
    if alone and prefix:  # whether there is a schema at all comes before how the turn begins
        _printed(lect, chosen, wanted._replace(prefix=""), target, special)
    try:
        built, printed = _printed(lect, chosen, wanted, target, special)
    except ConstraintError:
        if tongue(lect).paths(odd) == tongue(lect).paths(frozenset()):
            raise
        built, printed = _printed(lect, chosen, wanted._replace(odd=frozenset()), target, special)
    return Constraint(lect, target, printed, built, [tool.name for tool in chosen], prefix, special)


def _printed(
    lect: TextLect, tools: list[Tool], wanted: Wanted, target: str, special: frozenset[str]
) -> tuple[Built, Printed]:
    """What is wanted as a tree, and in the engine's words."""
    from ._json_schema import no_schema
    from ._printed import Options

    try:
        built = tongue(lect).build(tools, wanted)
        if not wanted.texts:
            built = built._replace(reasons=(*built.reasons, "there is one call in a turn, and no text beside it"))
        return built, printer(target)(built.tree, Options(special))
    except NothingLeftError:
        if wanted.texts:
            raise
        raise no_schema("no message of it is") from None
    except RecursionError:
        raise ConstraintError("A tool's schema is nested too deeply for a constraint; make it flatter.") from None


def _chosen(box: Toolbox, choice: str) -> list[Tool]:
    """The tools that may be called."""
    if choice == "none":
        return []
    if choice in ("auto", "required"):
        if choice == "required" and not box:
            raise ConstraintError("tool_choice is 'required', and there are no tools.")
        return list(box.values())
    if choice not in box:
        raise ConstraintError(f"tool_choice is {choice!r:.80}, and there is no such tool.{nearest(choice, list(box))}")
    return [box[choice]]


@lru_cache
def printer(target: str) -> Callable[[Tree, Any], Printed]:
    """The function that prints trees for an engine."""
    module, _, name = _PRINTERS[target].partition(":")
    found: Callable[[Tree, Any], Printed] = getattr(import_module(f"{__package__}.{module}"), name)
    return found


__all__ = ["TARGETS", "Constraint", "Exactness", "Report", "Target", "constraint", "printer", "tongue"]
