"""What was observed of LangChain's agents (langchain-classic 1.0.8, langchain 1.5.2), and what polylect makes of it.

``langchain_agents.jsonl`` has one observation a line. ``scenario`` names a function below that does the same with an
agent of polylect's, given ``input``; ``langchain`` is what was observed and ``polylect`` what must come of it, key by
key. For keys where the two differ, ``why`` has words of ``docs/differences.md`` that say why. An observation of a thing
that polylect does not have has no scenario, and its ``why`` says what to use instead.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import polylect
from polylect import (
    Agent,
    AgentAction,
    AgentFinish,
    AgentStep,
    CallModel,
    CallTools,
    Finish,
    ModelResult,
    Pipeline,
    PolylectError,
    RunResult,
    RunState,
    Scripted,
    StepEnd,
    Tool,
    ToolResult,
    ToolStart,
)
from polylect.plugin import Asked
from polylect.plugin import observation_text as shown

from .fact_parts import HOOKS, Notes, echo, model_of, tool, value
from .scenes import events, observations, run

FILE = Path(__file__).parents[1] / "langchain_agents.jsonl"


class Fact(NamedTuple):
    """One observation."""

    id: str
    component: str
    about: str
    scenario: str
    input: dict[str, Any]
    langchain: dict[str, Any]
    polylect: dict[str, Any]
    why: dict[str, str]


def facts() -> list[Fact]:
    """All of them."""
    return [Fact(**json.loads(line)) for line in FILE.read_text(encoding="utf-8").splitlines()]


# --- scenarios --------------------------------------------------------------------------------------------------------

PROMPTS: dict[str, Any] = {
    "create_react_agent": "Tools:\n{tools}\nNames: {tool_names}\nQ: {input}\nThought:{agent_scratchpad}",
    "create_xml_agent": "{tools}\nQ: {input}\n{agent_scratchpad}",
    "create_self_ask_with_search_agent": "Q: {input}\nAre follow up questions needed here:{agent_scratchpad}",
    "create_structured_chat_agent": [("system", "{tools} {tool_names}"), ("user", "{input}\n{agent_scratchpad}")],
    "create_json_chat_agent": [("system", "{tools} {tool_names}"), ("user", "{input}"), "{agent_scratchpad}"],
}
MESSAGES = [("system", "s"), ("user", "{input}"), "{agent_scratchpad}"]


def build(given: dict[str, Any]) -> tuple[Agent, Any]:
    """The agent of a scenario, and its model."""
    model = model_of(given)
    tools = [tool(name) for name in given.get("tools", [])]
    builder = given.get("agent", "create_tool_calling_agent")
    prompt = given.get("prompt", PROMPTS.get(builder, MESSAGES))
    pipeline: Pipeline = getattr(polylect, builder)(model, tools, prompt, **given.get("choices", {}))
    settings = {name: value(x) for name, x in given.get("settings", {}).items()}
    hooks = [HOOKS[name]() for name in given.get("hooks", [])]
    return Agent(pipeline, hooks=hooks, **settings), model


def started(given: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """How a run is started: the first argument, and the inputs by name."""
    start = given.get("start", "q")
    return (start, {}) if not isinstance(start, dict) else (None, start)


def finished(given: dict[str, Any], driver: str) -> dict[str, Any]:
    """An agent is built and run; what came of it."""
    try:
        agent, model = build(given)
    except PolylectError as error:
        return {"error": type(error).__name__, "at": "build"}
    first, inputs = started(given)
    try:
        result = run(driver, agent, first, **inputs)
    except PolylectError as error:
        return {"error": type(error).__name__, "at": "run"}
    return told(result, model)


def _asked(model: Any) -> list[Asked]:
    return list(getattr(model, "asked", ()))


def told(result: RunResult, model: Any) -> dict[str, Any]:
    """A result in the words of the file.

    ``told`` are the steps as a model reads them, ``failed`` the ids of calls that did not go well, ``ran`` the tools
    whose results end in a number, with it; ``shown`` are the observations in the last prompt of text. For messages,
    ``roles``, ``answered`` and ``unanswered`` (ids), ``system`` and ``offered`` (tools) are those of the last request.
    """
    asked = _asked(model)
    results = [(a, x) for turn in result.turns for a, x in zip(turn.actions, turn.results, strict=True)]
    texts = [shown(x) for x in observations(result)]
    found: dict[str, Any] = {
        "output": result.output,
        "stop": result.stop_reason,
        "calls": len(asked),
        "steps": [[step.action.tool, step.action.tool_input, step.observation] for step in result.steps],
        "told": [[a.tool, a.tool_input, shown(x).partition("\n")[0]] for a, x in result.steps],
        "failed": [action.id for action, x in results if x.status != "ok"],
        "together": all(not text.startswith("alone") for text in texts),
        "ran": [[action.tool, _number(seen)] for action, seen in result.steps if _number(seen) is not None],
        "stops": list(asked[0].stop) if asked else [],
        "inputs": result.inputs,
    }
    last = asked[-1].prompt if asked else None
    if isinstance(last, str):
        found["shown"] = [text for text in texts if text in last]
    elif last is not None:
        found["roles"] = [message["role"] for message in last]
        found["answered"] = [message["tool_call_id"] for message in last if message["role"] == "tool"]
        calls = [call["id"] for message in last for call in message.get("tool_calls") or ()]
        found["unanswered"] = [id_ for id_ in calls if id_ not in found["answered"]]
        found["system"] = [message["content"] for message in last if message["role"] == "system"]
        found["offered"] = [tool.get("function", tool)["name"] for tool in asked[-1].tools or ()]
    return found


def _number(observation: Any) -> int | None:
    last = shown(observation).split()[-1:]
    return int(last[0]) if last and last[0].isdigit() else None


def streamed(given: dict[str, Any], driver: str) -> dict[str, Any]:
    """What is told while an agent runs: actions, steps, and the end."""
    agent, _ = build(given)
    kinds: dict[Any, str] = {ToolStart: "action", StepEnd: "step", Finish: "output"}
    said = [kinds[type(event)] for event in events(driver, agent) if type(event) in kinds]
    return {"told": [kind for kind in said if kind in given.get("kinds", said)]}


def hooked(given: dict[str, Any], driver: str) -> dict[str, Any]:
    """The order of the hooks around the tools."""
    notes = Notes()
    run(driver, Agent(build(given)[0].pipeline, hooks=[notes]))
    return {"order": notes.order}


def twice(given: dict[str, Any], driver: str) -> dict[str, Any]:
    """Two runs, one after another, with one question."""
    agent, model = build(given)
    return {"outputs": [run(driver, agent).output for _ in range(2)], "calls": len(_asked(model))}


def by_hand(given: dict[str, Any], driver: str) -> dict[str, Any]:
    """A run that waits for a tool is written down; a person gives the result."""
    agent, model = build(given)
    state = agent.start("q")
    want = agent.next(state)
    assert isinstance(want, CallModel)
    agent.advance(state, ModelResult(model(want.request.prompt)))
    state = RunState.from_json(state.to_json())
    assert isinstance(agent.next(state), CallTools)
    agent.advance(state, [ToolResult(given["result"])])
    return told(run(driver, agent, state), model)


def limits(given: dict[str, Any], driver: str) -> dict[str, Any]:
    """How many turns a run may have when nothing is said."""
    return {"limit": Agent("tool_calls", model_of({})).settings.max_iterations}


def stages(given: dict[str, Any], driver: str) -> dict[str, Any]:
    """What an agent is put together of."""
    return {"nodes": list(build(given)[0].pipeline.stages)}


def named_model(given: dict[str, Any], driver: str) -> dict[str, Any]:
    """A model by its name."""
    try:
        polylect.model(given["name"])
    except PolylectError as error:
        return {"error": type(error).__name__, "at": "build"}
    return {}


def schema_of(given: dict[str, Any], driver: str) -> dict[str, Any]:
    """A tool whose schema is none."""
    odd: Any = int
    try:
        polylect.as_tool(Tool("W", "", odd))
    except PolylectError as error:
        return {"error": type(error).__name__, "at": "build"}
    return {}


def parsed(given: dict[str, Any], driver: str) -> dict[str, Any]:
    """A parse stage of one's own decides."""
    model = Scripted(["again", "done"])
    agent = Agent("react", model, [echo], parse=value(given["parse"]))
    try:
        return told(run(driver, agent), model)
    except PolylectError as error:
        return {"error": type(error).__name__, "at": "run"}


def interrupted(given: dict[str, Any], driver: str) -> dict[str, Any]:
    """A run is left at its interruptions, written down, and taken up again from what was written."""
    agent, _ = build(given)
    before, after = given.get("before", []), given.get("after", [])
    state = agent.start("q")
    left: list[list[Any]] = []
    model = agent.pipeline.bound_model
    assert model is not None
    while not isinstance(want := agent.next(state), RunResult):
        node = "model" if isinstance(want, CallModel) else "tools"
        if node in before:
            left.append([_roles(agent, state), node])
            state = RunState.from_json(state.to_json())
        if isinstance(want, CallTools):
            tools: dict[str, Tool] = agent.pipeline.tools or {}
            agent.advance(state, [ToolResult(tools[action.tool](**dict(_items(action)))) for action in want.actions])
        else:
            agent.advance(state, ModelResult(model(want.request.prompt, tools=want.request.tools)))
        following = agent.next(state)
        if node in after and not isinstance(following, RunResult):
            left.append([_roles(agent, state), "model" if isinstance(following, CallModel) else "tools"])
            state = RunState.from_json(state.to_json())
    left.append([[*_roles(agent, state), "assistant"], None])
    return {"left": left}


def _items(action: AgentAction) -> Iterable[tuple[str, Any]]:
    assert isinstance(action.tool_input, dict)
    return action.tool_input.items()


def _roles(agent: Agent, state: RunState) -> list[str]:
    """The messages so far, by role; of a turn whose tools have not run, the model's alone."""
    waiting = [AgentStep(action, "") for action in state.waiting]
    messages = agent.pipeline.prompt_for([*state.steps, *waiting], **state.inputs)
    roles = [message["role"] for message in messages if isinstance(message, dict)]
    return roles[1 : len(roles) - len(waiting)]  # without the system's


def written(given: dict[str, Any], driver: str) -> dict[str, Any]:
    """A value's JSON form; or that it can't be read from such."""
    kinds: dict[str, Any] = {"AgentAction": AgentAction, "AgentFinish": AgentFinish, "AgentStep": AgentStep}
    fields = {"type": given["kind"], **given["fields"]}
    try:
        made = kinds[given["kind"]].from_json(json.dumps(fields))
    except ValueError as error:
        return {"error": type(error).__name__, "at": "build"}
    return {"fields": {key: x for key, x in json.loads(made.to_json()).items() if key in fields}}


def as_messages(given: dict[str, Any], driver: str) -> dict[str, Any]:
    """A step as messages of a chat."""
    action = AgentAction("a", "x", given.get("log", "l"), message=given.get("message"))
    step = AgentStep(action, value(given["observation"]))
    message = polylect.lect(given.get("lect", "tool_calls")).format_steps([step])[given["of"]]
    return {"role": message["role"], "content": message["content"]}


SCENARIOS: dict[str, Callable[[dict[str, Any], str], dict[str, Any]]] = {
    "finished": finished,
    "streamed": streamed,
    "hooked": hooked,
    "twice": twice,
    "by_hand": by_hand,
    "parsed": parsed,
    "interrupted": interrupted,
    "written": written,
    "as_messages": as_messages,
    "limits": limits,
    "stages": stages,
    "named_model": named_model,
    "schema": schema_of,
}
DRIVEN = frozenset({"finished", "streamed", "hooked", "twice", "by_hand", "parsed"})
"""The scenarios in which an agent is run by a driver."""
