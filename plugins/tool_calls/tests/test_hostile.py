"""Whatever comes: a reply or one of our errors, in linear time."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import lark
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import polylect
from polylect import LectError, ParseError, Reply, ToolError
from polylect.grammar import Grammar
from polylect.testing._law_8_linear import superlinear
from polylect_tool_calls._whole import quick

LECT = polylect.lect("tool_calls")

TEXTS = st.one_of(
    st.sampled_from(
        ["", "a", "{}", '{"a": 1}', '{"a": ', "[1]", "null", '"{}"', '{"__arg1": "x"}', "\ud800", "\0", " "]
    ),
    st.text(st.characters(exclude_categories=()), max_size=6),
)
KEYS = st.one_of(
    st.sampled_from(
        [
            *("role", "content", "tool_calls", "function_call", "reasoning_content", "reasoning", "refusal", "choices"),
            *("message", "delta", "finish_reason", "index", "id", "type", "function", "custom", "name", "arguments"),
            *("args", "input", "text", "thinking", "invalid_tool_calls", "tool_call_chunks", "additional_kwargs"),
            *("response_metadata", "error", "usage"),
        ]
    ),
    TEXTS,
)
LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 3), st.floats(), TEXTS, st.binary(max_size=2), st.builds(object)
)
ANYTHING = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(KEYS, inner, max_size=4),
        st.dictionaries(KEYS, inner, max_size=4).map(lambda x: SimpleNamespace(**{k: v for k, v in x.items() if k})),
        st.dictionaries(st.one_of(st.integers(), st.tuples(TEXTS)), inner, max_size=2),
    ),
    max_leaves=12,
)
FUNCTIONS = st.fixed_dictionaries(
    {}, optional={"name": st.one_of(TEXTS, ANYTHING), "arguments": st.one_of(TEXTS, ANYTHING)}
)
ENTRIES = st.one_of(
    st.fixed_dictionaries({"function": FUNCTIONS}, optional={"id": TEXTS, "index": st.integers(0, 2), "type": TEXTS}),
    st.fixed_dictionaries({"name": TEXTS, "args": ANYTHING}, optional={"id": TEXTS, "extra": ANYTHING}),
    ANYTHING,
)
MESSAGES = st.fixed_dictionaries(
    {},
    optional={
        "role": st.just("assistant"),
        "content": st.one_of(TEXTS, st.lists(ANYTHING, max_size=3), ANYTHING),
        "reasoning_content": st.one_of(TEXTS, ANYTHING),
        "refusal": TEXTS,
        "tool_calls": st.one_of(st.lists(ENTRIES, max_size=4), ANYTHING),
        "function_call": st.one_of(FUNCTIONS, ANYTHING),
        "more": ANYTHING,
    },
)
POLICIES = st.sampled_from(
    [
        *({}, {}, {"truncated": "flag"}, {"truncated": "raise"}, {"arguments": "held"}, {"malformed": "repair"}),
        *({"max_calls": 1}, {"max_nesting": 1}, {"max_call_size": 3}, {"finish_reason": "length"}),
        *(
            {"tools": [polylect.Tool("a")], "unknown_tool": "nearest"},
            {"tools": [{"name": "A"}], "unknown_tool": "reject"},
        ),
    ]
)


def outcome(read: Any, *args: Any, **options: Any) -> Reply | ParseError:
    try:
        found: Reply = read(*args, **options)
    except ParseError as error:
        helpful(error)
        return error
    return found


def helpful(error: ParseError) -> None:
    assert 0 <= error.span[0] <= error.span[1] <= len(error.text)
    assert error.expected
    assert error.correction


def streamed(chunks: list[Any], *, finish_reason: str = "stop", **options: Any) -> Reply:
    parser = LECT.parser(**options)
    at = 0
    events = [event for chunk in chunks for event in parser.feed(chunk)] + parser.close(finish_reason)
    for event in events:
        assert event.start == at
        at = event.end
    assert at == len(parser.reply.text)
    return parser.reply


@settings(max_examples=500, deadline=None)
@given(st.one_of(MESSAGES, MESSAGES, ANYTHING), POLICIES, st.lists(st.integers(1, 4), min_size=1, max_size=3))
def test_any_message(message: Any, options: dict[str, Any], sizes: list[int]) -> None:
    whole = outcome(LECT.parse, message, **options)
    if isinstance(whole, Reply):
        json.loads(whole.to_json())
        for _, start, end in whole.parts:
            assert 0 <= start <= end <= len(whole.text)
        policies = {k: v for k, v in options.items() if k not in ("tools", "finish_reason")}
        decision: Any = outcome(LECT.decide, whole, **policies)
        if isinstance(decision, list):
            written = LECT.format_steps([polylect.AgentStep(action, "x") for action in decision])
            assert [x["role"] for x in written].count("assistant") == 1
        with contextlib.suppress(LectError):
            assert LECT.parse(LECT.format(whole)) == whole
    chunks: Any = outcome(LECT.chunks, message, sizes)
    if not isinstance(chunks, list):
        assert isinstance(whole, ParseError)
        return
    again = outcome(streamed, chunks, **options)
    if isinstance(whole, Reply):
        assert isinstance(again, Reply)
        assert again.to_json() == whole.to_json()
    else:
        assert isinstance(again, ParseError)
        assert (again.reason, again.span) == (whole.reason, whole.span)


@settings(max_examples=500, deadline=None)
@given(st.lists(st.one_of(MESSAGES, ANYTHING), max_size=5), POLICIES)
def test_any_stream(chunks: list[Any], options: dict[str, Any]) -> None:
    options = dict(options)
    parser = LECT.parser(**{k: v for k, v in options.items() if k != "finish_reason"})
    at = 0
    events = []
    for chunk in chunks:
        try:
            events += parser.feed(chunk)
        except ParseError as error:
            helpful(error)
    try:
        events += parser.close(options.get("finish_reason", "stop"))
    except ParseError:
        return
    for event in events:
        assert event.start == at
        at = event.end
    assert at == len(parser.reply.text)
    json.loads(parser.reply.to_json())


PLAIN = st.fixed_dictionaries(
    {
        "role": st.just("assistant"),
        "content": st.one_of(st.none(), TEXTS),
        "tool_calls": st.lists(
            st.fixed_dictionaries(
                {
                    "id": st.one_of(st.none(), st.sampled_from(["c1", "c2", "c3", ""])),
                    "type": st.just("function"),
                    "function": st.fixed_dictionaries({"name": TEXTS, "arguments": TEXTS}),
                }
            ),
            max_size=3,
        ),
    }
)


@settings(max_examples=500, deadline=None)
@given(st.one_of(PLAIN, st.fixed_dictionaries({"role": st.just("assistant"), "content": TEXTS}), MESSAGES))
def test_the_quick_way_says_what_the_parser_says(message: dict[str, Any]) -> None:
    fast = quick(message)
    if fast is not None:
        parser = LECT.parser()
        parser.feed({"message": message})
        parser.close()
        assert fast.to_json() == parser.reply.to_json()


def test_the_quick_way_is_taken() -> None:
    taken = [quick(x) is not None for x in LECT.examples]
    assert taken == [True, True, False, True, False]


def message_with(arguments: str) -> dict[str, Any]:
    function = {"name": "write", "arguments": arguments}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": function}],
    }


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        ("[" * 100_000, "truncated"),
        ('{"a":' * 100_000, "truncated"),
        ("[" * 100_000 + "]" * 100_000, "invalid"),
        ('{"a":' * 100_000 + "1" + "}" * 100_000, "invalid"),
        (json.dumps('{"a":' * 1_000 + "1" + "}" * 1_000), "invalid"),
        ('{"a": ' + "9" * 100_000 + "}", "invalid"),
    ],
    ids=range(6),
)
def test_monsters(arguments: str, status: str) -> None:
    message = message_with(arguments)
    whole = LECT.parse(message, truncated="flag")
    assert [x.status for x in whole.calls] == [status]
    assert streamed(LECT.chunks(message, [4096]), truncated="flag").to_json() == whole.to_json()
    with pytest.raises(ParseError):
        LECT.decide(whole)


def test_deep_fields_beside_the_calls() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    for message in ({"content": deep}, {"content": "x", "more": deep}, {"tool_calls": deep}, {"function_call": deep}):
        reply = LECT.parse({"role": "assistant", **message})
        assert len(reply.to_json()) < 1000
    arguments: Any = {}
    for _ in range(100_000):
        arguments = {"a": arguments}
    given = {"content": "", "tool_calls": [{"name": "f", "args": arguments, "id": "c1"}]}
    assert [x.status for x in LECT.parse(given).calls] == ["invalid"]


def test_ten_megabytes_of_arguments() -> None:
    arguments = json.dumps({"path": "x", "text": 'a "quoted" line\n' * 550_000})
    message = message_with(arguments)
    assert len(arguments) > 10_000_000
    whole = LECT.parse(message)
    assert whole.calls[0].status == "complete"
    assert streamed(LECT.chunks(message, [65_536])).to_json() == whole.to_json()


UNITS = ['"', "\\", '\\"', "{", "[", '{"a": ', '"a", ', "x ", '{"a": 1} ', "\n", "tru", "-", "\\u00e9", "}"]


def call_delta(identifier: str = "c", **function: str) -> dict[str, Any]:
    return {"tool_calls": [{"index": 0, "id": identifier, "function": function}]}


def pairs(text: str) -> list[str]:
    return [text[i : i + 2] for i in range(0, len(text), 2)]


PLACES: dict[str, Callable[[str], list[Any]]] = {
    "arguments": lambda text: [call_delta(name="f", arguments=text)],
    "pieces": lambda text: [call_delta(name="f", arguments=x) for x in pairs(text)],
    "names": lambda text: [call_delta(name=x) for x in pairs(text)],
    "calls": lambda text: [call_delta(f"c{i}", name="f", arguments=x) for i, x in enumerate(text)],
    "legacy": lambda text: [{"function_call": {"name": x}} for x in pairs(text)],
    "fields": lambda text: [{"content": "x", f"k{i % 3}": x} for i, x in enumerate(pairs(text))],
    "lists": lambda text: [{"content": "x", "k": [x]} for x in pairs(text)],
    "content": lambda text: [{"content": list(text)}],
}


@pytest.mark.parametrize("place", PLACES)
def test_twice_the_input_takes_twice_the_time(place: str) -> None:
    def reading(unit: str, size: int) -> Callable[[], object]:
        chunks = PLACES[place](unit * (size // len(unit)))
        return lambda: outcome(streamed, chunks, max_calls=10**9)

    for unit in UNITS:
        assert superlinear(partial(reading, unit)) is None, unit


@pytest.mark.parametrize("schema", [None, 7, [], {"type": "string"}, {"properties": []}, {"required": "a"}])
def test_broken_schemas_are_the_callers_fault(schema: Any) -> None:
    tools = [{"name": "f", "parameters": schema}]
    for use in (lambda: LECT.parse({"content": "x"}, tools=tools), lambda: LECT.parser(tools=tools)):
        if schema is None:
            use()
        else:
            with pytest.raises(ToolError):
                use()


def test_the_grammar_is_plain_lark_and_says_the_same() -> None:
    grammar: Grammar = LECT.grammar  # type: ignore[attr-defined]

    def load(_: object, path: str) -> tuple[str, str]:
        return grammar.source.imported(path)

    stock = lark.Lark(grammar.source.text, parser="lalr", start=["start", "written"], import_paths=[load])
    good = ["{}", '{"a": 1}', ' \n{"a": [1, -2.5e3, true, null, {}, []], "b": "x\\"}"} ']
    for text in good:
        stock.parse(text, start="start")
        stock.parse(text.strip(), start="written")
        assert [x.status for x in LECT.parse(message_with(text)).calls] == ["complete"]
    for text in ("{bad}", '{"a": 1', '{"a": 1} x', '{"a": 1,}', "}"):
        with pytest.raises(lark.exceptions.LarkError):
            stock.parse(text, start="start")
        assert all(not x.runnable for x in LECT.parse(message_with(text)).calls)
