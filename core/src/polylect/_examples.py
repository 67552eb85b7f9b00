"""Worked examples in a prompt, written in whatever lect the prompt is for: small models learn a form by seeing it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from ._errors import PromptError
from ._json import encode_json
from ._lect import Lect
from ._prompt import Message, Prompt
from ._stages import FormatSteps
from ._text_lect import TextLect
from ._tools import Tool, Toolbox
from ._values import AgentAction, AgentStep, Call, Reply, Value

PLACE = "examples"
"""The variable of a prompt that has a place for them; elsewhere they stand before the question."""


class Example(Value, frozen=True):
    """A question that was answered: what a model said in each turn, and what its calls gave.

    Attributes:
        input: the question.
        replies: the replies, the last one with the answer.
        observations: for each reply but the last, the observations of its calls.
    """

    input: str
    replies: tuple[Reply, ...]
    observations: tuple[tuple[Any, ...], ...] = ()

    @classmethod
    def of(cls, result: Any) -> Example:
        """A run that came to an answer as an example for later ones.

        Args:
            result: a :class:`polylect.RunResult`.

        Raises:
            PromptError: the run was stopped, or has no input of one text.
        """
        question = result.inputs.get("input")
        if not result.finished or not isinstance(question, str):
            raise PromptError("Only a run that was started from a text and came to an answer is an example.")
        replies, observations = [], []
        for turn in result.turns:
            if turn.reply is None or turn.error is not None:
                continue
            replies.append(turn.reply)
            if turn.actions:
                observations.append(tuple(x.observation for x in turn.results))
        return cls(question, tuple(replies), tuple(observations))


def with_examples(
    lect: Lect, prompt: Prompt, examples: Iterable[Example], tools: Toolbox | None, policies: Mapping[str, Any]
) -> Prompt:
    """The prompt with examples before its question, or at its ``{examples}``.

    Raises:
        PromptError: an example is none, or the prompt has no place for one.
        LectError: the lect can't write an example.
    """
    given = list(examples)
    for example in given:
        if not isinstance(example, Example):
            raise PromptError(f"An example is a polylect.Example, not {type(example).__name__}.")
    if not given:
        return prompt.partial(examples="") if PLACE in prompt.variables and prompt.is_text else prompt
    place = prompt if PLACE in (*prompt.variables, *prompt.partials) else _placed(prompt)
    if prompt.is_text:
        tail, before = _tail(prompt)
        writer = _Writer(lect, tools, policies, tail, before)
        return place.partial(examples="\n\n".join(map(writer.text, given)) + "\n\n")
    asked = _question(prompt)
    writer = _Writer(lect, tools, policies, asked, "")
    messages = [message for example in given for message in writer.messages(example)]
    return place.partial(examples=messages)


def _placed(prompt: Prompt) -> Prompt:
    """The prompt with a place for examples before its question."""
    more: dict[str, Any] = {"partials": prompt.partials, "defaults": prompt.defaults, "prefix": prompt.prefix}
    if isinstance(prompt.template, str):
        at = _line_of_input(prompt.template)
        return Prompt(f"{prompt.template[:at]}{{{PLACE}}}{prompt.template[at:]}", **more)
    turns = list(prompt.template)
    turns.insert(_turn_of_input(turns), f"{{{PLACE}}}")
    return Prompt(turns, **more)


def _line_of_input(template: str) -> int:
    """Where the line of ``{input}`` begins."""
    at = template.find("{input}")
    while at > 0 and template[at - 1] == "{" and not template[:at].endswith("{{{"):
        at = template.find("{input}", at + 1)
    if at < 0:
        raise PromptError("A prompt for examples needs {input}: they stand before its line.")
    return template.rfind("\n", 0, at) + 1


def _turn_of_input(turns: Sequence[Any]) -> int:
    for place, turn in enumerate(turns):
        text = turn if isinstance(turn, str) else turn.get("content") if isinstance(turn, Mapping) else turn[1]
        if isinstance(text, str) and "{input}" in text:
            return place
    raise PromptError("A prompt for examples needs {input}: they stand before its message.")


def _tail(prompt: Prompt) -> tuple[Prompt, str]:
    """(the end of a text prompt from its question on, what stands right before the scratchpad there)."""
    assert isinstance(prompt.template, str)
    tail = Prompt(prompt.template[_line_of_input(prompt.template) :])
    others = [name for name in tail.variables if name not in ("input", "agent_scratchpad")]
    if others or "agent_scratchpad" not in tail.variables:
        raise PromptError("A prompt for examples ends with {input} and, behind it, {agent_scratchpad}, and no other.")
    return tail, tail.before("agent_scratchpad")


def _question(prompt: Prompt) -> Prompt:
    """The message of the question; a scratchpad in the same message stays empty."""
    turn = prompt.template[_turn_of_input(prompt.template)]
    return Prompt([turn])


class _Writer:
    def __init__(
        self, lect: Lect, tools: Toolbox | None, policies: Mapping[str, Any], asked: Prompt, before: str
    ) -> None:
        self.lect, self.tools, self.policies, self.asked = lect, tools or Toolbox(), dict(policies), asked
        cue = (lect.prompt.prefix or "").strip()
        self.cue = cue if cue and before.rstrip().endswith(cue) else ""

    def text(self, example: Example) -> str:
        """An example as a text prompt and its model would have written it."""
        filled = self.asked.format(
            input=self.lect.escape(example.input), agent_scratchpad=self._transcript(example, self.cue)
        )
        assert isinstance(filled, str)
        return filled

    def messages(self, example: Example) -> list[Message]:
        """An example as messages: the question, and what followed."""
        values = {"input": self.lect.escape(example.input)}
        if "agent_scratchpad" in self.asked.variables:
            values["agent_scratchpad"] = ""
        asked = self.asked.format(**values)
        assert not isinstance(asked, str)
        asked = [{**x, "content": x["content"].rstrip()} for x in asked]
        steps, last = self._steps(example)
        done = self.lect.format_steps(steps, **self.policies)
        if not isinstance(done, str):
            end = last if isinstance(last, dict) else {"role": "assistant", "content": last}
            return [*asked, *done, end]
        return [*asked, {"role": "assistant", "content": self._transcript(example, "").strip()}]

    def _transcript(self, example: Example, cue: str) -> str:
        steps, last = self._steps(example)
        done = self.lect.format_steps(steps, **self.policies)
        if steps and isinstance(self.lect, TextLect):
            done = done.removesuffix(self.lect.cue(None)) + self.lect.cue(last)
        whole = done + last
        found = FormatSteps(self.lect, self.policies, cue).continued(whole) if cue else whole
        return found

    def _said(self, example: Example) -> list[Any]:
        """The replies, as the lect writes them."""
        tools = self._known(example)
        return [self.lect.format(fitting(self._called(reply), self.lect), tools=tools) for reply in example.replies]

    def _known(self, example: Example) -> Toolbox:
        """The tools that an example calls, which need not be those of the pipeline."""
        names = sorted({call.name for reply in example.replies for call in reply.calls})
        return Toolbox(self.tools.get(name) or Tool(name, parameters={}) for name in names)

    def _called(self, reply: Reply) -> Reply:
        """In tongues of messages, and of objects, a text input is the value of the tool's only argument."""
        if not self.lect.messages and "text_input" in self.lect.features:
            return reply
        return named_inputs(reply, self.tools)

    def _steps(self, example: Example) -> tuple[list[AgentStep], Any]:
        """The steps, and the last turn."""
        tools, said = self._known(example), self._said(example)
        steps: list[AgentStep] = []
        if not said or len(example.observations) != len(said) - 1:
            raise PromptError("An example has observations for each of its replies but the last.")
        for written, observed in zip(said[:-1], example.observations, strict=True):
            decision = self.lect.decide(self.lect.parse(written, tools=tools))
            actions: list[AgentAction] = decision if isinstance(decision, list) else []
            if len(actions) != len(observed):
                raise PromptError(f"A reply of an example has {len(actions)} calls, and {len(observed)} observations.")
            steps += [AgentStep(action, x) for action, x in zip(actions, observed, strict=True)]
        return steps, said[-1]


def named_inputs(reply: Reply, tools: Toolbox) -> Reply:
    """A reply whose text inputs are the values of the only arguments of the tools that are known."""
    return msgspec.structs.replace(reply, calls=tuple(_named(call, tools.get(call.name)) for call in reply.calls))


def _named(call: Call, tool: Tool | None) -> Call:
    if tool is None or not tool.takes_text or not isinstance(call.arguments, str):
        return call
    return msgspec.structs.replace(call, arguments={next(iter(tool.properties)): call.arguments})


def fitting(reply: Reply, lect: Lect) -> Reply:
    """The reply, as far as the lect has words for it."""
    has = lect.features
    answer, content = reply.answer, reply.content
    if answer is not None and "answer" not in has:
        content = content + (answer if isinstance(answer, str) else encode_json(answer))
        answer = None
    beside = "content_with_answer" if answer is not None else "content_with_calls" if reply.calls else "content"
    return msgspec.structs.replace(
        reply,
        reasoning=reply.reasoning if "reasoning" in has else "",
        content=content if beside in has else "",
        answer=answer,
    )
