"""Law 7, total: any input gives a reply or a ParseError that says where, what was expected, and what to correct."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import TYPE_CHECKING, Any, cast

from .._errors import REASONS, LectError, ParseError, PolylectError, ToolError
from .._tools import toolbox
from .._values import AgentAction, AgentFinish, Reply
from ._draw import Draw, Maker, one_of
from ._fragments import at, leaves, markers, replaced
from ._law_2_any_cut import POLICIES
from ._replies import TOOLS, Tools
from ._run import EXAMPLES, Outcome, attempt, each, examine, fail, find, report
from ._stream import stream
from ._texts import Message, noise, pieces, texts

if TYPE_CHECKING:
    from .._lect import Lect
    from .._text_lect import TextLect

Case = tuple[Any, tuple[int, ...], dict[str, Any], dict[str, Any]]
"""A message, a cutting, and options to read with and to decide with."""
Errors = tuple[type[PolylectError], ...]

NESTING = 100_000
"""Brackets within brackets: a hundred times what any recursive reader survives."""
NESTING_INSIDE = 10_000
"""The same behind a marker, where each of many is tried."""
NOISE = 1_000_000
"""Characters of random noise in one message."""
DECISIONS: tuple[dict[str, Any], ...] = (
    *({}, {}, {"both": "action"}, {"both": "final"}, {"both": "error"}),
    *({"text": "error"}, {"text": "final"}),
)
NOT_MESSAGES: tuple[Any, ...] = (None, b"bytes", bytearray(b"x"), 7, 1.5, True, object(), ["a"], {"a"}, ("a", "b"))
ODD_VALUES: tuple[Any, ...] = (None, 7, 1.5, True, [], {}, [None], [[]], [7, "a"], {"a": None}, "", "{", b"bytes")
ODD_SCHEMAS: tuple[Any, ...] = (
    *({"type": 5}, {"type": ["string", 7]}, {"$ref": "#/nowhere"}, {"$ref": "#"}, {"anyOf": "a"}, {"enum": 5}, {}),
    *({"items": []}, {"properties": []}, {"pattern": "("}, {"type": "no such type"}, True, None, 7, "string"),
)


def law_7_total(lect: Lect | str, *, examples: int = EXAMPLES, seed: int | None = None, tools: Tools = None) -> Outcome:
    """Whatever comes, whole or in pieces, ends in a reply or a ParseError, and a reply in a decision or a ParseError.

    A ParseError has a reason from the list, a span inside of the text, something expected and a correction; what is
    no message has the reason ``not_text``. A chunk fed after the close raises a PolylectError. ``format``, ``detect``,
    ``escape`` and ``transcript`` are held to the same.

    Raises:
        AssertionError: an input ends in another exception, in another value, or in an error that lacks something.
    """
    lect = find(lect)
    count = each(NOT_MESSAGES, lambda value: _is_refused(lect, value))
    count += each(_monsters(lect), lambda message: _whole_and_streamed(lect, message, (4096,), {}, {}))

    def body(case: Case) -> None:
        message, sizes, options, choices = case
        _whole_and_streamed(lect, message, sizes, options, choices)
        if isinstance(message, str) and not lect.messages:
            _other_readers(cast("TextLect", lect), message)

    return Outcome(count + examine(_inputs(lect, tools), body, examples=examples, seed=seed))


def _inputs(lect: Lect, tools: Tools) -> Maker[Case]:
    offered = TOOLS if tools is None else tuple(tools)
    names = tuple(toolbox(offered) or ())
    soup = texts(lect)
    anything: Maker[Any] = one_of(soup, soup, soup, noise, _misshapen(lect)) if lect.messages else soup

    def make(draw: Draw) -> Case:
        options = dict(draw.pick(POLICIES))
        turn = draw.below(8)
        if turn & 1:
            options["tools"] = offered
        if turn == 6:
            options["tools"] = [_odd_tool(name, draw.pick(ODD_SCHEMAS)) for name in names]
        sizes = draw.some(lambda draw: draw.between(1, 9), 3, 1)
        return anything(draw), tuple(sizes), options, draw.pick(DECISIONS)

    return make


def _odd_tool(name: str, schema: object) -> dict[str, Any]:
    """A tool in OpenAI form with one argument, whose schema is hardly one."""
    return {"name": name, "parameters": {"type": "object", "properties": {"query": schema, "city": schema}}}


def _misshapen(lect: Lect) -> Maker[Any]:
    """Provider messages with a piece left out, or with a value of the wrong type."""
    examples = [x for x in lect.examples if isinstance(x, dict)]
    places = [(message, path) for message in examples for path in _all_paths(message)] or [({}, ())]

    def make(draw: Draw) -> Any:
        (message, path), value = draw.pick(places), draw.pick(ODD_VALUES)
        if draw.flag() and path:
            outer = at(message, path[:-1])
            if isinstance(outer, dict):
                return replaced(message, path[:-1], {k: v for k, v in outer.items() if k != path[-1]})
        return replaced(message, path, value)

    return make


def _all_paths(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    yield path
    if isinstance(value, (dict, list)):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _all_paths(item, (*path, key))


def _monsters(lect: Lect) -> Iterator[Message]:
    """Messages that are too deep or too long, in every place of the lect's first example of each kind."""
    deep = _deep(NESTING)
    loud = _noise()
    if lect.messages:
        for message in lect.examples[:2]:
            for path in leaves(message):
                for monster in (*deep, loud):
                    yield replaced(message, path, monster)
        return
    yield from (*deep, loud)
    example = max((x for x in lect.examples if isinstance(x, str)), key=len, default="")
    for marker in markers(lect)[:8]:
        head, found, _ = example.partition(marker)
        if found:
            yield from (head + found + monster for monster in _deep(NESTING_INSIDE))


def _deep(levels: int) -> tuple[str, ...]:
    return "[" * levels, '{"a":' * levels, "<a>" * levels, "[" * levels + "]" * levels


@cache
def _noise() -> str:
    alphabet = "abc \n\"'{}[]<>:,\\/\u00e9\u2028\U0001f600\0"
    return "".join(random.Random(7).choices(alphabet, k=NOISE))


def _whole_and_streamed(
    lect: Lect, message: Message, sizes: tuple[int, ...], options: dict[str, Any], choices: dict[str, Any]
) -> None:
    shown = {"message": message, "options": options}
    read = _guarded(lambda: lect.parse(message, **options), "parse()", shown, (ParseError, ToolError))
    if isinstance(read, ParseError):
        _is_helpful(read, message, shown)
    elif not isinstance(read, (Reply, ToolError)):
        fail(f"parse() gave a {type(read).__name__}, not a Reply", **shown)
    elif isinstance(read, Reply):
        _guarded(read.to_json, "to_json()", shown, ())
        _is_decided(lect, read, choices, shown)
        _guarded(lambda: lect.format(read), "format() of what was read", shown, (LectError,))
    if _has_shape(lect, message) if lect.messages else isinstance(message, str):
        got = _guarded(
            lambda: stream(lect, pieces(lect, message, sizes), **options), "a stream", shown, (ParseError, ToolError)
        )
        if isinstance(got, ParseError):
            _is_helpful(got, message, shown)


def _has_shape(lect: Lect, message: object) -> bool:
    """Whether a provider's message has the shape of one of the lect's examples, so that it can be cut into deltas."""
    shapes = [_shape(example) for example in lect.examples]
    return isinstance(message, dict) and _shape(message) in shapes


def _shape(value: object) -> object:
    if isinstance(value, dict):
        return {key: _shape(item) for key, item in value.items()}
    return [_shape(item) for item in value] if isinstance(value, list) else type(value)


def _guarded(act: Callable[[], Any], what: str, shown: dict[str, Any], allowed: Errors) -> Any:
    """What ``act`` returns or raises, if that is ``allowed``; any other exception breaks the law."""
    try:
        return act()
    except allowed as error:
        return error
    except Exception as error:
        raise AssertionError(report(f"{what} raised another exception", **shown, exception=error)) from error


def _is_helpful(error: ParseError, message: object, shown: dict[str, Any]) -> None:
    start, end = error.span
    text = message if isinstance(message, str) else error.text
    if error.reason not in REASONS:
        fail("a ParseError has a reason that is not on the list", **shown, reason=error.reason)
    if not 0 <= start <= end <= len(text):
        fail("the span of a ParseError lies outside of the text", **shown, span=error.span)
    if not error.correction or not str(error) or not error.expected or not all(error.expected):
        fail("a ParseError lacks its correction or what was expected", **shown, error=error, expected=error.expected)


def _is_decided(lect: Lect, reply: Reply, choices: dict[str, Any], shown: dict[str, Any]) -> None:
    decision = _guarded(lambda: lect.decide(reply, **choices), "decide()", shown, (ParseError,))
    if isinstance(decision, ParseError):
        _is_helpful(decision, reply.text, shown)
    elif isinstance(decision, list):
        if not decision or not all(isinstance(action, AgentAction) for action in decision):
            fail("decide() gave a list that is no list of actions", **shown, decision=decision)
    elif not isinstance(decision, AgentFinish):
        fail("decide() gave neither actions nor a finish", **shown, decision=decision)


def _other_readers(lect: TextLect, text: str) -> None:
    shown = {"text": text}
    score = _guarded(lambda: lect.detect(text), "detect()", shown, ())
    if not 0 <= score <= 1:
        fail("detect() is not between 0 and 1", **shown, score=score)
    _guarded(lambda: lect.escape(text), "escape()", shown, (LectError,))
    _guarded(lambda: lect.unescape(text), "unescape()", shown, (LectError,))
    _guarded(lambda: lect.transcript(text), "transcript()", shown, (ParseError,))


def _is_refused(lect: Lect, value: object) -> None:
    """What is no message at all is refused whole and streamed, and a closed parser takes no more."""
    shown = {"input": value}
    readers: dict[str, Callable[[Any], Any]] = {"parse()": lect.parse, "feed()": lect.parser().feed}
    for what, read in readers.items():
        error = _guarded(partial(read, value), what, shown, (ParseError,))
        if not isinstance(error, ParseError) or error.reason != "not_text":
            fail(f"{what} of what is no message must raise a ParseError 'not_text'", **shown, got=error)
        _is_helpful(error, error.text, shown)
    parser = lect.parser()
    attempt(parser.close)
    example: Any = lect.examples[0] if lect.examples else "a"
    try:
        parser.feed(next(iter(pieces(lect, example, (3,))), ""))
    except PolylectError:
        _guarded(parser.close, "a second close()", shown, (PolylectError,))
    else:
        fail("a parser takes a chunk after its close", chunk=example)
