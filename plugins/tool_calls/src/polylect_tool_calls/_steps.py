"""The scratchpad as messages: each turn's assistant message, then one result for each of its calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from polylect import EXCEPTION_TOOL, AgentAction, AgentStep, LectError, Toolbox
from polylect.plugin import check_steps, dumps, json_fault, observation_text

from ._arguments import TEXT_KEY, unwrapped

Message = dict[str, Any]


def steps_as_messages(steps: Sequence[AgentStep]) -> list[Message]:
    """One assistant message for each turn, and behind it the results of its calls, paired by id.

    A call without an id, or with the id of another call of its turn, gets one. A call whose result is not among the
    steps (they were trimmed) is left out: no API takes a call without a result.

    Raises:
        LectError: an action cannot be written as a call.
    """
    check_steps(steps)
    ids = _Ids(steps)
    return [message for turn in turns(steps) for message in _turn(turn, ids)]


def as_functions(messages: Sequence[Message]) -> Iterator[Message]:
    """Messages with ``tool_calls`` as the older API has them: one ``function_call`` a message, each with its result.

    What the model said beside its calls stands in the first of its messages.
    """
    waiting: dict[str, Message] = {}
    said: Message = {}
    later: Any = None
    for message in messages:
        if message["role"] == "assistant" and message.get("tool_calls"):
            waiting = {call["id"]: call for call in message["tool_calls"]}
            said = {key: value for key, value in message.items() if key not in ("tool_calls", "function_call")}
            later = message.get("function_call")
        elif message["role"] == "tool":
            function = _function(waiting[message["tool_call_id"]])
            yield {**said, "function_call": function}
            yield {"role": "function", "name": function["name"], "content": message["content"]}
            said = {"role": "assistant", "content": None}
        else:
            if later is not None and message["role"] == "function":
                yield {**said, "function_call": later}
                later = None
            yield message


def _function(call: Message) -> Message:
    custom = call.get("custom")
    if isinstance(custom, dict):
        return {"name": custom.get("name"), "arguments": dumps({TEXT_KEY: custom.get("input")})}
    return dict(call["function"])


def with_api_names(message: Message, tools: Toolbox) -> Message:
    """A message whose calls bear names that the API takes: those that the tools were told by, where they are known."""
    calls = message.get("tool_calls")
    if message.get("role") == "assistant" and isinstance(calls, list):
        message = {**message, "tool_calls": [_renamed_call(call, tools) for call in calls]}
    elif message.get("role") == "function":
        message = _renamed(message, tools)
    if isinstance(message.get("function_call"), dict):
        message = {**message, "function_call": _renamed(message["function_call"], tools)}
    return message


def _renamed_call(call: Message, tools: Toolbox) -> Message:
    form = "custom" if isinstance(call.get("custom"), dict) else "function"
    inner = call.get(form)
    return {**call, form: _renamed(inner, tools)} if isinstance(inner, dict) else call


def _renamed(named: Message, tools: Toolbox) -> Message:
    name = named.get("name")
    return {**named, "name": tools.api_name(name)} if isinstance(name, str) else named


def turns(steps: Sequence[AgentStep]) -> Iterator[list[AgentStep]]:
    """Consecutive steps whose actions came in one message.

    Positions tell: a turn's actions are numbered upwards. Two turns that are equal in everything stay two.
    """
    turn: list[AgentStep] = []
    for step in steps:
        if turn:
            before = turn[-1].action
            if step.action.index <= before.index or not _same(step.action.message, before.message):
                yield turn
                turn = []
        turn.append(step)
    if turn:
        yield turn


def _same(one: Message | None, other: Message | None) -> bool:
    return one is other or one == other


class _Ids:
    """Ids for calls that have none: ``call_0``, ``call_1``, …, save those that are taken."""

    def __init__(self, steps: Sequence[AgentStep]) -> None:
        self._taken = {step.action.id for step in steps}
        self._next = 0

    def new(self) -> str:
        while True:
            found = f"call_{self._next}"
            self._next += 1
            if found not in self._taken:
                return found


def _turn(turn: list[AgentStep], ids: _Ids) -> Iterator[Message]:
    message = turn[0].action.message
    if message is None:
        yield from _without_message(turn, ids)
        return
    calls = [x for x in message.get("tool_calls") or () if isinstance(x, dict)]
    legacy = message.get("function_call")
    kept: list[Message] = []
    results: list[Message] = []
    used: set[str] = set()
    keeps_legacy = False
    for step in turn:
        call = _call_of(step.action, calls)
        if call is not None:
            call, result = _paired(call, step, used, ids)
            kept.append(call)
            results.append(result)
        elif isinstance(legacy, dict) and not keeps_legacy and step.action.index == len(calls):
            keeps_legacy = True
            name = legacy.get("name")
            results.append({"role": "function", "name": name, "content": observation_text(step.observation)})
        else:  # a parse error of a message without calls
            results.append({"role": "user", "content": observation_text(step.observation)})
    written = {key: value for key, value in message.items() if key not in ("tool_calls", "function_call")}
    if kept:
        written["tool_calls"] = kept
    if keeps_legacy:
        written["function_call"] = legacy
    if kept or keeps_legacy or written.get("content"):
        yield written
    yield from results


def _call_of(action: AgentAction, calls: list[Message]) -> Message | None:
    """The call of the message that an action is: at its position, or else by its id."""
    if 0 <= action.index < len(calls) and (action.id is None or calls[action.index].get("id") == action.id):
        return calls[action.index]
    return next((x for x in calls if action.id is not None and x.get("id") == action.id), None)


def _paired(call: Message, step: AgentStep, used: set[str], ids: _Ids) -> tuple[Message, Message]:
    identifier = call.get("id")
    if not isinstance(identifier, str) or not identifier or identifier in used:
        identifier = ids.new()
        call = {**call, "id": identifier}
    used.add(identifier)
    return call, {"role": "tool", "tool_call_id": identifier, "content": observation_text(step.observation)}


def _without_message(turn: list[AgentStep], ids: _Ids) -> Iterator[Message]:
    calls: list[Message] = []
    results: list[Message] = []
    errors: list[Message] = []
    used: set[str] = set()
    for step in turn:
        action = step.action
        if action.tool == EXCEPTION_TOOL:  # nothing was called: what the model said, and what was wrong with it
            if action.log:
                errors.append({"role": "assistant", "content": action.log})
            errors.append({"role": "user", "content": observation_text(step.observation)})
            continue
        call, result = _paired(call_message(action.tool, action.tool_input, action.id), step, used, ids)
        calls.append(call)
        results.append(result)
    if calls:
        yield {"role": "assistant", "content": None, "tool_calls": calls}
    yield from results
    yield from errors


def call_message(name: str, arguments: dict[str, Any] | str, identifier: str | None) -> Message:
    """A call in OpenAI's form.

    Raises:
        LectError: the name is none, the arguments are not JSON, or they are an object that would read back as a text.
    """
    if isinstance(arguments, str):
        arguments = {TEXT_KEY: arguments}
    elif type(unwrapped(arguments)) is str:
        raise LectError(f"A text is written as an object with only {TEXT_KEY!r}. Give the text itself.")
    if not name or name != name.strip():
        raise LectError(f"{name[:80]!r} is no name of a tool.")
    try:
        raw = dumps(arguments)
    except Exception as error:
        raise LectError(f"The arguments of {name!r:.80} can't be written as JSON: {json_fault(error)}.") from None
    return {"id": identifier, "type": "function", "function": {"name": name, "arguments": raw}}
