"""What can be said: tools, arguments, replies, steps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from .._errors import LectError, ParseError
from .._tools import Tool, Toolbox, ToolLike, schema_types, toolbox
from .._values import EXCEPTION_TOOL, AgentAction, AgentStep, Call, Reply
from ._draw import Draw, Maker, joined, one_of, sampled
from ._fragments import escaped, fragments, markers
from ._run import attempt
from ._texts import character

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


SCHEMAS: tuple[dict[str, Any], ...] = (
    *({"type": kind} for kind in ("string", "integer", "number", "boolean", "array", "object")),
    *({"enum": ["a", "b"]}, {"type": ["string", "null"]}, {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
)


def tools(draw: Draw) -> list[Tool]:
    """One to four tools of different names, with typed arguments."""
    found = draw.some(_tool, 4, 1)
    return list({tool.name: tool for tool in found}.values())


def _tool(draw: Draw) -> Tool:
    name = draw.pick(NAMES)
    properties = _mapping(draw, sampled(KEYS), sampled(SCHEMAS), 4)
    return Tool(name, "", {"type": "object", "properties": properties, "required": list(properties)[: draw.below(3)]})


def _mapping(draw: Draw, keys: Maker[str], values: Maker[Any], most: int) -> dict[str, Any]:
    return dict(draw.some(lambda draw: (keys(draw), values(draw)), most))


def replies(lect: Lect, *, tools: Tools = None) -> Maker[Reply]:
    """Replies that the lect can express: see :func:`polylect.testing.replies`."""
    offered = None if tools is None else tuple(tools)
    return replies_of(lect.features, fragments(lect), offered, only_tool(offered, lect))


def only_tool(tools: Tools, *lects: Lect) -> str:
    """The tool that every call is of in one of these tongues, as its calls name none; ``""`` where all name theirs."""
    offered = toolbox(tools)
    hooks = [hook for lect in lects if (hook := getattr(lect, "only_tool", None)) is not None]
    return next((name for hook in hooks if (name := hook(offered))), "")


def replies_of(features: frozenset[str], table: Sequence[str], tools: Tools = None, only: str = "") -> Maker[Reply]:
    """As :func:`replies`, for any set of features and any table of fragments; ``only``: all calls are of this tool."""
    if only and tools is not None:
        tools = [tool for tool in (toolbox(tools) or Toolbox()).values() if tool.name == only]
    wild = (*(NAMES * 8), "Web Search", "\u5929\u6c17", "a[b]", "", *table[:: len(table) // 20])
    texts = _plain, one_of(_plain, joined(table, 7), odd)
    names = sampled((only,) if only else NAMES), sampled((only,) if only else wild)
    calls = [_calls(features, text, tools, name) for text, name in zip(texts, names, strict=True)]
    answers = [_answers(features, text) for text in texts]
    shapes = _shapes(features)

    def make(draw: Draw) -> Reply:
        hostile = draw.below(2)
        text = texts[hostile]
        shape = draw.pick(shapes)
        return Reply(
            reasoning=text(draw) if "reasoning" in shape and draw.flag() else "",
            content=text(draw) if "content" in shape else "",
            calls=tuple(calls[hostile](draw)) if "calls" in shape else (),
            answer=answers[hostile](draw) if "answer" in shape else None,
        )

    return make


def _plain(draw: Draw) -> str:
    return " ".join(draw.some(sampled(PLAIN), 3, 1))


def odd(draw: Draw) -> str:
    """A few characters of any kind."""
    return "".join(draw.some(character, 8))


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


def _answers(features: frozenset[str], text: Maker[str]) -> Maker[Any]:
    kinds: list[Maker[Any]] = []
    if "answer" in features or "json_answer" not in features:
        kinds += [text, text]
    if "json_answer" in features:
        kinds.append(_values(text, [value for value in VALUES if value is not None]))
    return one_of(*kinds)


def _values(text: Maker[str], others: Sequence[Any] = VALUES) -> Maker[Any]:
    def nested(draw: Draw) -> Any:
        inner = text(draw)
        return {"a": [inner, {"b": inner}]}

    return one_of(text, text, sampled(others), nested)


def _calls(features: frozenset[str], text: Maker[str], tools: Tools, names: Maker[str]) -> Maker[list[Call]]:
    offered = toolbox(tools)
    arguments = _arguments(features, text)

    def unknown(draw: Draw) -> Call:
        return Call(names(draw), arguments(draw))

    call = one_of(*(_call_of(features, tool, text) for tool in offered.values())) if offered else unknown
    most = 3 if "several_calls" in features else 1
    finish = _with_ids if "ids" in features else list[Call]
    return lambda draw: finish(draw.some(call, most, 1))


def _with_ids(calls: list[Call]) -> list[Call]:
    return [Call(call.name, call.arguments, id=f"call_{number}") for number, call in enumerate(calls)]


def _arguments(features: frozenset[str], text: Maker[str]) -> Maker[Arguments]:
    keys = one_of(sampled(KEYS), sampled(KEYS), text)
    values = _values(text)
    kinds: list[Maker[Any]] = []
    if "text_input" in features:
        kinds.append(text)
    if "object_input" in features or not kinds:
        kinds.append(lambda draw: _mapping(draw, keys, values, 3))
    return one_of(*kinds)


def _call_of(features: frozenset[str], tool: Tool, text: Maker[str]) -> Maker[Call]:
    if tool.takes_text and "text_input" in features:
        # Here an object would be the tool's one text in some tongues, and its argument in others.
        return lambda draw: Call(tool.name, text(draw))
    given = {key: _value_of(schema, text) for key, schema in tool.properties.items()}

    def make(draw: Draw) -> Call:
        wanted = [key for key in given if key in tool.required or draw.flag()]
        return Call(tool.name, {key: given[key](draw) for key in wanted})

    return make


def _value_of(schema: Any, text: Maker[str]) -> Maker[Any]:
    """Values of a tool's argument, as far as its schema's top level says what fits."""
    if isinstance(schema, Mapping) and isinstance(schema.get("enum"), list):
        return sampled(schema["enum"])
    items = schema.get("items", {}) if isinstance(schema, Mapping) else {}
    values = _values(text)
    pool: dict[str, Maker[Any]] = {
        "string": text,
        "integer": sampled((0, 1, -7, 2**53 + 1)),
        "number": sampled((0, 1, 1.5, -0.25, 1e300)),
        "boolean": sampled((False, True)),
        "null": sampled((None,)),
        "object": lambda draw: _mapping(draw, sampled(KEYS), values, 2),
    }
    types = schema_types(schema)
    kinds = [pool[kind] for kind in sorted(types) if kind in pool]
    if "array" in types:
        item = _value_of(items, text) if items else sampled(VALUES)
        kinds.append(lambda draw: draw.some(item, 3))
    return one_of(*kinds) if kinds else sampled(VALUES)


FOREIGN_LOGS = (
    *("\nInvoking: `search` with `{'query': 'Oslo'}`\n\n\n", "I look it up.", "Action: other\nAction Input: Oslo"),
    *("Action: other[Oslo]", "<tool>other</tool><tool_input>Oslo</tool_input>", "CALL other: Oslo", "\n"),
    '```json\n{"action": "other", "action_input": "Oslo"}\n```',
)
"""What stands in the logs of actions from elsewhere: no call, or one of another tool."""
CALL_FEATURES = frozenset({"reasoning", "calls", "several_calls", "text_input", "object_input", "ids"})
_KINDS = ("said", "said", "example", "some logs", "by hand", "by hand", "foreign")


def steps(lect: Lect, *, tools: Tools = None) -> Maker[list[AgentStep]]:
    """What an agent has done so far: see :func:`polylect.testing.steps`."""
    table = fragments(lect)
    soup = joined(table, 8)
    observed: Maker[Any] = one_of(soup, soup, indented(lect), sampled(PLAIN), sampled(VALUES))
    reply_of = replies_of(lect.features & CALL_FEATURES, table, tools, only_tool(tools, lect))
    examples = [actions for example in lect.examples if (actions := _of_example(lect, example, tools))]

    def turn(draw: Draw) -> list[AgentAction]:
        kind = draw.pick(_KINDS)
        if kind == "example" and examples:
            return draw.pick(examples)
        reply = reply_of(draw)
        if kind in ("said", "some logs") and (actions := _said(lect, reply, tools)):
            lost = [kind == "some logs" and draw.flag() for _ in actions]
            return [_logged(action, "") if gone else action for action, gone in zip(actions, lost, strict=True)]
        return [_logged(action, draw.pick(FOREIGN_LOGS) if kind == "foreign" else "") for action in by_hand(reply)]

    def taken(draw: Draw) -> list[AgentStep]:
        return [AgentStep(action, observed(draw)) for action in turn(draw)]

    # Each turn may be one that can't be written: one alone is drawn more often.
    return lambda draw: [step for steps in draw.some(taken, draw.pick((1, 3, 3)), 1) for step in steps]


def indented(lect: Lect) -> Maker[str]:
    """A marker, or one that was escaped already, behind more white space than any marker takes."""
    own = markers(lect) or PLAIN
    guarded = () if lect.messages else set(escaped(cast("TextLect", lect), own)).difference(own)
    marks = one_of(sampled(own), *([sampled(sorted(guarded))] if guarded else []))

    def make(draw: Draw) -> str:
        start, blank = draw.pick(("", "", "a", "a\n")), draw.pick((" ", "\t", "\n", "\n "))
        return start + blank * draw.between(7, 20) + marks(draw).lstrip()

    return make


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
