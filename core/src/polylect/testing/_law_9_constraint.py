"""Law 9, constraint: whatever a constraint allows, the parser reads, and what is formatted satisfies the constraint."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from .._errors import ConstraintError, LectError, ParseError
from .._json import dumps
from .._tools import Toolbox, toolbox
from .._values import Call, Reply
from ._draw import Draw, joined
from ._replies import TOOLS, Tools, replies
from ._run import EXAMPLES, Outcome, attempt, examine, fail, find

if TYPE_CHECKING:
    from .._lect import Lect
    from ..constraint import Constraint

CHOICES = ("auto", "required", "none")
WORDS = (
    "I",
    " look",
    " it up",
    ", then",
    " tell you",
    ".",
    "\n",
    " café",
    " 中文",
    " 1",
    " #",
    " (a)",
    " - b",
    "!",
    "?",
)
"""Pieces of texts that no tongue has a word for: a constraint may refuse any other text."""


def law_9_constraint(
    lect: Lect | str, *, examples: int = EXAMPLES, seed: int | None = None, tools: Tools = None
) -> Outcome:
    """Turns that a constraint allows parse, can be decided, and call offered tools with arguments valid by the schema.

    They are drawn from the constraints of all tool choices, of each tool by name, and with limits. Those without limits
    are formatted again, with other texts beside the calls: the constraint allows that, too. One that says that it is
    exact also allows every reply that is formatted and of which something can be made, whatever is in its texts.

    Raises:
        AssertionError: a constraint allows what the parser refuses, or refuses what the formatter writes.
        ImportError: ``jsonschema`` is not installed.
    """
    lect = find(lect)
    if lect.messages:
        return Outcome(0, "the server makes the calls")
    box = toolbox(TOOLS if tools is None else tools) or Toolbox()
    made = _Constraints(lect, box)
    if not made.usable:
        return Outcome(0, made.why)
    texts = joined(WORDS, 8, 1)
    any_reply = replies(lect, tools=box.values())

    def make(draw: Draw) -> tuple[str, bool, int, list[str], Reply]:
        return draw.pick(made.usable), draw.flag(), draw.below(1 << 30), draw.some(texts, 2), any_reply(draw)

    def body(case: tuple[str, bool, int, list[str], Reply]) -> None:
        choice, limited, number, said, other = case
        constraint = made.get(choice, limited)
        turn = constraint.sample(number)
        reply = _read(lect, box, turn, choice)
        usual = all(_has_usual_numbers(call.arguments) for call in reply.calls)
        if usual and not limited and not getattr(lect, "unconstrained", ()):
            _formatted(lect, box, constraint, _with_texts(reply, [text.strip() for text in said]), turn)
        if (
            "auto" in made.usable
            and made.get("auto", False).report.exactness == "exact"
            and _is_valid(lect, box, other)
        ):
            calls = tuple(Call(call.name, call.arguments) for call in other.calls)
            _formatted(lect, box, made.get("auto", False), msgspec.structs.replace(other, calls=calls))

    return Outcome(examine(make, body, examples=examples, seed=seed))


LARGE = 1e15
_RUN = re.compile(r"\s{8}").search
"""More blanks than markers have: a constraint may take what stands around them for a marker."""
_SURROGATE = re.compile("[\ud800-\udfff]|\\\\u[dD][89a-fA-F]").search
"""Half of a character, which no engine's text has."""


class _Constraints:
    """The constraints of a lect, made when they are first drawn from."""

    def __init__(self, lect: Lect, box: Toolbox) -> None:
        self._lect, self._box = lect, box
        self._made: dict[tuple[str, bool], Constraint] = {}
        self.usable: list[str] = []
        self.why = ""
        for choice in (*CHOICES, *box):
            try:
                self.get(choice, False)
            except ConstraintError as error:
                self.why = self.why or str(error)
            else:
                self.usable.append(choice)

    def get(self, choice: str, limited: bool) -> Constraint:
        """The constraint for a tool choice, with limits or without."""
        found = self._made.get((choice, limited))
        if found is None:
            limits: dict[str, Any] = {"max_calls": 2, "max_chars": 20} if limited else {}
            found = self._lect.constraint(self._box, target="gbnf", tool_choice=choice, **limits)
            self._made[choice, limited] = found
        return found


def _read(lect: Lect, box: Toolbox, turn: str, choice: str) -> Reply:
    from jsonschema import Draft202012Validator

    shown: dict[str, Any] = {"turn": turn, "tool_choice": choice}
    reply = attempt(lect.parse, turn, tools=box)
    if isinstance(reply, ParseError):
        fail("a constraint allows what does not parse", **shown, error=reply)
    if not reply.complete:
        fail("a constraint allows what is cut short", **shown, reply=reply)
    for call in reply.calls:
        tool = box.get(call.name)
        if call.status != "complete" or tool is None:
            fail("a constraint allows a call that can't run", **shown, call=call)
        if not isinstance(call.arguments, str):
            for wrong in Draft202012Validator(tool.parameters).iter_errors(call.arguments):
                fail("a constraint allows arguments that the schema does not", **shown, call=call, wrong=wrong.message)
    names = {call.name for call in reply.calls}
    if (choice == "none" and names) or (choice != "auto" and choice != "none" and not names):
        fail("a constraint does not keep to the tool choice", **shown, reply=reply)
    if choice in box and names != {choice}:
        fail("a constraint allows calls of other tools", **shown, reply=reply)
    decision = attempt(lect.decide, reply)
    if isinstance(decision, ParseError):
        fail("a constraint allows a reply of which nothing can be made", **shown, error=decision)
    return reply


def _has_usual_numbers(value: Any) -> bool:
    """Whether all numbers are written in one way: larger ones may be spelt with an exponent, or with all digits."""
    if isinstance(value, dict):
        return all(map(_has_usual_numbers, value.values()))
    if isinstance(value, list):
        return all(map(_has_usual_numbers, value))
    return not isinstance(value, (int, float)) or abs(value) < LARGE


def _with_texts(reply: Reply, texts: list[str]) -> Reply:
    """The reply with other texts: content, reasoning too if there are two; none, where there need be none."""
    content, reasoning = (*texts, "", "")[:2]
    if reply.content and not content:
        content = "a"
    answer = (content or "a") if isinstance(reply.answer, str) else reply.answer
    return msgspec.structs.replace(reply, content=content, reasoning=reasoning, answer=answer)


def _is_valid(lect: Lect, box: Toolbox, reply: Reply) -> bool:
    """Whether the calls are of these tools, with arguments that their schemas name and allow, in the usual spelling."""
    from jsonschema import Draft202012Validator

    escape = getattr(lect, "escape", str)
    texts = (reply.reasoning, reply.content, reply.answer)
    return (
        _has_usual_numbers(reply.answer)
        and not any(isinstance(x, str) and _RUN(x) for x in texts)
        and all(
            isinstance(call.arguments, dict)
            and (tool := box.get(call.name)) is not None
            and call.arguments.keys() <= tool.properties.keys()
            and Draft202012Validator(tool.parameters).is_valid(call.arguments)
            and _has_usual_numbers(call.arguments)
            and escape(dumps(call.arguments)) == dumps(call.arguments)  # or it is spelt otherwise
            for call in reply.calls
        )
    )


def _formatted(lect: Lect, box: Toolbox, constraint: Constraint, reply: Reply, turn: str = "") -> None:
    try:
        written = lect.format(reply, tools=box)
        lect.decide(lect.parse(written, tools=box))
    except (LectError, ParseError):
        return
    if _SURROGATE(written) is None and not constraint.matches(written):
        shown = {"written": written, "sampled": turn, "reply": reply, "report": constraint.report}
        fail("a constraint refuses what the formatter writes", **shown)
