"""The other side of the agents' benchmarks: LangChain's AgentExecutor and ``create_agent``, over models like ours."""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Callable
from typing import Any

from . import samples_agents

Job = Callable[[], Any]


def _core(module: str) -> Any:
    return importlib.import_module(f"langchain_core.{module}")


def _no_op() -> Any:
    """The tool, as LangChain has tools."""

    def note(text: str) -> str:
        """Keep a text."""
        return text

    return _core("tools").tool(note)


def _text_model() -> Any:
    """A model of text that has its replies ready."""
    replies = itertools.cycle(samples_agents.REACT_RUN)

    class Ready(_core("language_models.llms").LLM):  # type: ignore[misc]
        @property
        def _llm_type(self) -> str:
            return "ready"

        def _call(self, prompt: str, stop: Any = None, run_manager: Any = None, **_: Any) -> str:
            return next(replies)

    return Ready()


def _chat_model() -> Any:
    """A model of messages that has its replies ready."""
    message = _core("messages").AIMessage
    result, generation = _core("outputs").ChatResult, _core("outputs").ChatGeneration
    call = {"name": samples_agents.NOTE, "args": {"text": "hi"}, "id": "call_1"}
    replies = itertools.cycle((message(content="", tool_calls=[call]), message(content="42")))

    class Ready(_core("language_models.chat_models").BaseChatModel):  # type: ignore[misc]
        @property
        def _llm_type(self) -> str:
            return "ready"

        def bind_tools(self, tools: Any, **_: Any) -> Any:
            return self

        def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **_: Any) -> Any:
            return result(generations=[generation(message=next(replies))])

    return Ready()


def _executor(agent: Any, tools: list[Any]) -> Job:
    executor = importlib.import_module("langchain_classic.agents").AgentExecutor(agent=agent, tools=tools)
    return lambda: executor.invoke({"input": samples_agents.QUESTION})["output"]


def react_executor() -> Job:
    """AgentExecutor over ``create_react_agent``."""
    agents, tools = importlib.import_module("langchain_classic.agents"), [_no_op()]
    prompt = _core("prompts").PromptTemplate.from_template(samples_agents.REACT_PROMPT)
    return _executor(agents.create_react_agent(_text_model(), tools, prompt), tools)


def tool_calling_executor() -> Job:
    """AgentExecutor over ``create_tool_calling_agent``."""
    agents, tools = importlib.import_module("langchain_classic.agents"), [_no_op()]
    prompt = _core("prompts").ChatPromptTemplate.from_messages(
        [("system", samples_agents.SYSTEM), ("user", "{input}"), ("placeholder", "{agent_scratchpad}")]
    )
    return _executor(agents.create_tool_calling_agent(_chat_model(), tools, prompt), tools)


def graph() -> Job:
    """``create_agent``."""
    create_agent = importlib.import_module("langchain.agents").create_agent
    made = create_agent(_chat_model(), [_no_op()], system_prompt=samples_agents.SYSTEM)
    return lambda: made.invoke({"messages": [("user", samples_agents.QUESTION)]})["messages"][-1].content
