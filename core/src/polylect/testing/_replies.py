"""Strategies for what can be said: tools, arguments, replies, steps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from .._errors import LectError, ParseError
from .._tools import Tool, Toolbox, ToolLike, schema_types, toolbox
from .._values import EXCEPTION_TOOL, AgentAction, AgentStep, Call, Reply
from ._fragments import escaped, fragments, markers
from ._run import attempt

if TYPE_CHECKING:
    from .._lect import Lect
    from .._text_lect import TextLect

Tools: TypeAlias = "Iterable[ToolLike] | None"
Arguments: TypeAlias = "dict[str, Any] | str"

PLAIN = ("the weather in Paris", "a", "today", "is it?", "42 days", "search", "ok", "Paris, France", "no.")
NAMES = ("search", "get_weather", "a", "files.read", "web-search", "tool_2", "Calculator")
KEYS = ("query", "city", "days", "a", "b_c", "x1")
VALUES: tuple[Any, ...] = (
    *(0, 1, -7, 2**53 + 1, 2**70, 1.5, -0.25, 1e300, True, False, None, "", [], {}, "1", "true", "null", "1.0"),
    *([1, 2], ["a", ["b"]], {"a": 1}, {"a": {"b": [None, True]}}, [{"a": "b"}, {"a": "c"}], {"": ""}, [[]], [""]),
)

TOOLS: tuple[Tool, ...] = tuple(
    Tool(name, f"The tool {name}.", {"type": "object", "properties": properties, "required": list(properties)[:1]})
    for name, properties in (
        ("search", {"query": {"type": "string"}}),
        ("get_weather", {"city": {"type": "string"}, "days": {"type": "integer"}}),
        ("compute", {"terms": {"type": "array", "items": {"type": "number"}}, "exact": {"type": "boolean"}}),
        ("note", {"title": {"type": "string"}, "data": {"type": "object"}}),
        ("now", {}),
    )
)
"""Tools of every kind that matters to a tongue: one text, several typed arguments, nested ones, none."""


def tools() -> SearchStrategy[list[Tool]]:
    """One to four tools of different names, with typed arguments."""
    schema = st.sampled_from(
        [{"type": kind} for kind in ("string", "integer", "number", "boolean", "array", "object")]
        + [{"enum": ["a", "b"]}, {"type": ["string", "null"]}, {"anyOf": [{"type": "integer"}, {"type": "string"}]}]
    )
    properties = st.dictionaries(st.sampled_from(KEYS), schema, max_size=4)

    def make(name: str, given: dict[str, Any], needed: int) -> Tool:
        return Tool(name, "", {"type": "object", "properties": given, "required": list(given)[:needed]})

    tool = st.builds(make, st.sampled_from(NAMES), properties, st.integers(0, 2))
    return st.lists(tool, min_size=1, max_size=4, unique_by=lambda tool: tool.name)


def replies(lect: Lect, *, tools: Tools = None) -> SearchStrategy[Reply]:
    """Replies that the lect can express, by its ``features``.

    Half of them are harmless; the texts of the others are hostile: the lect's markers, look-alikes, quotes, braces,
    backslashes, odd white space. With ``tools``, calls name one of them and give it arguments that fit its schema.
    """
    offered = None if tools is None else tuple(tools)
    return replies_of(lect.features, fragments(lect), offered, only_tool(offered, lect))


def only_tool(tools: Tools, *lects: Lect) -> str:
    """The tool that every call is of in one of these tongues, as its calls name none; ``""`` where all name theirs."""
    offered = toolbox(tools)
    hooks = [hook for lect in lects if (hook := getattr(lect, "only_tool", None)) is not None]
    return next((name for hook in hooks if (name := hook(offered))), "")


def replies_of(
    features: frozenset[str], table: Sequence[str], tools: Tools = None, only: str = ""
) -> SearchStrategy[Reply]:
    """As :func:`replies`, for any set of features and any table of fragments; ``only``: all calls are of this tool."""
    plain = st.lists(st.sampled_from(PLAIN), min_size=1, max_size=3).map(" ".join)
    soup = st.lists(st.sampled_from(table), max_size=7).map("".join)
    hostile = st.one_of(plain, soup, st.text(max_size=8))
    calm_names = st.sampled_from((only,) if only else NAMES)
    wild = (*(NAMES * 8), "Web Search", "\u5929\u6c17", "a[b]", "", *table[:: len(table) // 20])
    wild_names = calm_names if only else st.sampled_from(wild)
    if only and tools is not None:
        tools = [tool for tool in (toolbox(tools) or Toolbox()).values() if tool.name == only]
    calm_calls = _calls(features, plain, tools, calm_names)
    wild_calls = _calls(features, hostile, tools, wild_names)
    answers = _answers(features, plain), _answers(features, hostile)
    shapes = _shapes(features)

    @st.composite
    def build(draw: DrawFn) -> Reply:
        wild = draw(st.booleans())
        text = hostile if wild else plain
        shape = draw(st.sampled_from(shapes))
        return Reply(
            reasoning=draw(text) if "reasoning" in shape and draw(st.booleans()) else "",
            content=draw(text) if "content" in shape else "",
            calls=tuple(draw(wild_calls if wild else calm_calls)) if "calls" in shape else (),
            answer=draw(answers[wild]) if "answer" in shape else None,
        )

    return build()


def _shapes(features: frozenset[str]) -> list[frozenset[str]]:
    """Which fields may stand together."""
    shapes: list[set[str]] = []
    if "calls" in features:
        shapes += [{"calls"}, {"calls"}]
        if "content" in features and "content_with_calls" in features:
            shapes.append({"calls", "content"})
    if features & {"answer", "json_answer"}:
        shapes.append({"answer"})
        if "content" in features and "content_with_answer" in features:
            shapes.append({"answer", "content"})
    if "content" in features:
        shapes.append({"content"})
    if "reasoning" in features:
        shapes = [shape | {"reasoning"} for shape in shapes] or [{"reasoning"}]
    return [frozenset(shape) for shape in shapes] or [frozenset()]


def _answers(features: frozenset[str], text: SearchStrategy[str]) -> SearchStrategy[Any]:
    kinds: list[SearchStrategy[Any]] = []
    if "answer" in features or "json_answer" not in features:
        kinds += [text, text]
    if "json_answer" in features:
        kinds.append(_values(text).filter(lambda value: value is not None))
    return st.one_of(kinds)


def _values(text: SearchStrategy[str]) -> SearchStrategy[Any]:
    nested = st.builds(lambda x: {"a": [x, {"b": x}]}, text)
    return st.one_of(text, text, st.sampled_from(VALUES), nested)


def _calls(
    features: frozenset[str], text: SearchStrategy[str], tools: Tools, names: SearchStrategy[str]
) -> SearchStrategy[list[Call]]:
    offered = toolbox(tools)
    call: SearchStrategy[Call]
    if offered:
        call = st.one_of([_call_of(features, tool, text) for tool in offered.values()])
    else:
        call = st.builds(lambda name, arguments: Call(name, arguments), names, _arguments(features, text))
    most = 3 if "several_calls" in features else 1
    calls = st.lists(call, min_size=1, max_size=most)
    return calls.map(_with_ids) if "ids" in features else calls


def _with_ids(calls: list[Call]) -> list[Call]:
    return [Call(call.name, call.arguments, id=f"call_{number}") for number, call in enumerate(calls)]


def _arguments(features: frozenset[str], text: SearchStrategy[str]) -> SearchStrategy[Arguments]:
    keys = st.one_of(st.sampled_from(KEYS), st.sampled_from(KEYS), text)
    objects = st.dictionaries(keys, _values(text), max_size=3)
    kinds: list[SearchStrategy[Any]] = []
    if "text_input" in features:
        kinds.append(text)
    if "object_input" in features or not kinds:
        kinds.append(objects)
    return st.one_of(kinds)


def _call_of(features: frozenset[str], tool: Tool, text: SearchStrategy[str]) -> SearchStrategy[Call]:
    arguments: SearchStrategy[Any]
    if tool.takes_text and "text_input" in features:
        # Here an object would be the tool's one text in some tongues, and its argument in others.
        arguments = text
    else:
        given = {key: _value_of(schema, text) for key, schema in tool.properties.items()}
        needed = {key: value for key, value in given.items() if key in tool.required}
        rest = {key: value for key, value in given.items() if key not in tool.required}
        arguments = st.fixed_dictionaries(needed, optional=rest)
    return st.builds(lambda given: Call(tool.name, given), arguments)


def _value_of(schema: Any, text: SearchStrategy[str]) -> SearchStrategy[Any]:
    """Values of a tool's argument, as far as its schema's top level says what fits."""
    if isinstance(schema, Mapping) and isinstance(schema.get("enum"), list):
        return st.sampled_from(schema["enum"])
    items = schema.get("items", {}) if isinstance(schema, Mapping) else {}
    pool: dict[str, SearchStrategy[Any]] = {
        "string": text,
        "integer": st.sampled_from((0, 1, -7, 2**53 + 1)),
        "number": st.sampled_from((0, 1, 1.5, -0.25, 1e300)),
        "boolean": st.booleans(),
        "null": st.none(),
        "object": st.dictionaries(st.sampled_from(KEYS), _values(text), max_size=2),
    }
    types = schema_types(schema)
    kinds = [pool[kind] for kind in sorted(types) if kind in pool]
    if "array" in types:
        kinds.append(st.lists(_value_of(items, text) if items else st.sampled_from(VALUES), max_size=3))
    return st.one_of(kinds) if kinds else st.sampled_from(VALUES)


FOREIGN_LOGS = (
    *("\nInvoking: `search` with `{'query': 'Oslo'}`\n\n\n", "I look it up.", "Action: other\nAction Input: Oslo"),
    *("Action: other[Oslo]", "<tool>other</tool><tool_input>Oslo</tool_input>", "CALL other: Oslo", "\n"),
    '```json\n{"action": "other", "action_input": "Oslo"}\n```',
)
"""What stands in the logs of actions from elsewhere: no call, or one of another tool."""
CALL_FEATURES = frozenset({"reasoning", "calls", "several_calls", "text_input", "object_input", "ids"})
_KINDS = ("said", "said", "example", "some logs", "by hand", "by hand", "foreign")


def steps(lect: Lect, *, tools: Tools = None) -> SearchStrategy[list[AgentStep]]:
    """What an agent has done so far: up to three turns of one or more actions, with hostile observations.

    The actions of a turn come from a reply that the lect formatted and read again, or from one of its examples, with
    the model's text as their logs, of which some may be lost; or they are made by hand, without logs or with logs that
    are in no tongue, or in another one.
    """
    table = fragments(lect)
    soup = st.lists(st.sampled_from(table), max_size=8).map("".join)
    observed = st.one_of(soup, soup, indented(lect), st.sampled_from(PLAIN), st.sampled_from(VALUES))
    turn_of = replies_of(lect.features & CALL_FEATURES, table, tools, only_tool(tools, lect))
    examples = [actions for example in lect.examples if (actions := _of_example(lect, example, tools))]
    foreign = st.sampled_from(FOREIGN_LOGS)

    @st.composite
    def turn(draw: DrawFn) -> list[AgentAction]:
        kind = draw(st.sampled_from(_KINDS))
        if kind == "example" and examples:
            return draw(st.sampled_from(examples))
        reply = draw(turn_of)
        if kind in ("said", "some logs") and (actions := _said(lect, reply, tools)):
            lost = [kind == "some logs" and draw(st.booleans()) for _ in actions]
            return [_logged(action, "") if gone else action for action, gone in zip(actions, lost, strict=True)]
        return [_logged(action, draw(foreign) if kind == "foreign" else "") for action in by_hand(reply)]

    @st.composite
    def build(draw: DrawFn) -> list[AgentStep]:
        turns = draw(st.lists(turn(), min_size=1, max_size=3))
        return [AgentStep(action, draw(observed)) for actions in turns for action in actions]

    return build()


def indented(lect: Lect) -> SearchStrategy[str]:
    """A marker, or one that was escaped already, behind more white space than any marker takes."""
    own = markers(lect) or PLAIN
    guarded = () if lect.messages else set(escaped(cast("TextLect", lect), own)).difference(own)
    space = st.builds(lambda blank, times: blank * times, st.sampled_from((" ", "\t", "\n", "\n ")), st.integers(7, 20))
    marks = st.one_of([st.sampled_from(own), *([st.sampled_from(sorted(guarded))] if guarded else [])])
    start = st.sampled_from(("", "", "a", "a\n"))
    return st.builds(lambda *parts: "".join(parts), start, space, marks.map(str.lstrip))


def _said(lect: Lect, reply: Reply, tools: Tools) -> list[AgentAction]:
    """The actions of a reply as the lect decides them; none, where it can't be written."""
    try:
        return _decided(lect, lect.format(reply, tools=tools), tools)
    except LectError:
        return []


def _decided(lect: Lect, message: Any, tools: Tools) -> list[AgentAction]:
    """The actions of a message, if they are actions and all can run."""
    try:
        decision = lect.decide(lect.parse(message, tools=tools))
    except ParseError:
        return []
    if not isinstance(decision, list) or any(action.tool == EXCEPTION_TOOL for action in decision):
        return []
    return decision


def _of_example(lect: Lect, example: Any, tools: Tools) -> list[AgentAction]:
    """The actions of an example without content, which in some tongues nothing parts from an observation before it."""
    reply = attempt(lect.parse, example, tools=tools)
    return [] if isinstance(reply, ParseError) or reply.content else _decided(lect, example, tools)


def by_hand(reply: Reply) -> list[AgentAction]:
    """The calls of a reply as actions that somebody made himself."""
    return [
        AgentAction(call.name, cast("Arguments", call.arguments), id=call.id or f"call_{number}", index=number)
        for number, call in enumerate(reply.calls)
    ]


def _logged(action: AgentAction, log: str) -> AgentAction:
    return AgentAction(action.tool, action.tool_input, log, action.id, action.index, action.message)
