"""The pipeline: format scratchpad -> prompt -> model -> parse. One turn of an agent, in any lect, with any model."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from . import _draw
from ._binding import BoundModel, bind
from ._building import (
    OWN,
    checked_prefix,
    cue_of,
    fitting,
    is_messages,
    lect_of,
    model_of,
    own_prompt,
    parse_stage,
    prompt_stage,
    scratchpad_stage,
    step_of,
    stop_strings,
    told_tools,
    unknown_argument,
)
from ._constraining import constraining
from ._errors import PromptError
from ._lect import Lect
from ._outputs import chunks_of
from ._policies import CHOICES
from ._prompt import Message, MessageLike, Prompt, Prompted, as_messages
from ._render import describe_tools
from ._stages import (
    Decision,
    FormatScratchpad,
    Guard,
    OwnParse,
    ParseStage,
    PromptStage,
    ReadAnswer,
    Reading,
    ReadReply,
)
from ._tools import Tool, Tools, toolbox
from ._values import AgentAction, AgentStep, Event, Reply, Value

if TYPE_CHECKING:
    from ._examples import Example
    from .constraint import Constraint

NO_TOOLS = "(there are no tools)"
SPACE = 64
"""Characters of white space that may stand behind the cue at the end of a prompt."""


class Request(Value, frozen=True):
    """What one turn asks of the model, as a plain value.

    Attributes:
        prompt: the text, or the messages.
        stop: the strings at which the model should stop; one that can't is stopped by whoever reads its reply.
        tools: the tools in OpenAI form, where the lect does not tell them in the prompt.
        prefix: what the prompt already wrote of the model's turn; the reply is read as what follows it.
        tool_choice: ``"auto"``, ``"required"``, ``"none"`` or the name of a tool; None leaves it to the model's server.
    """

    prompt: str | list[dict[str, Any]]
    stop: tuple[str, ...] = ()
    tools: list[dict[str, Any]] | None = None
    prefix: str = ""
    tool_choice: str | None = None


class Pipeline:
    """The four stages of one turn, checked when they are put together.

    Each stage comes from the lect unless another is given; any callable of the same type will do.

    >>> import polylect
    >>> def model(prompt: str) -> str:
    ...     return " I know this.\\nFinal Answer: Oslo"
    >>> polylect.Pipeline("react", model).plan(input="What is the capital of Norway?").return_values
    {'output': 'Oslo'}

    Args:
        lect: the tongue: a name, or a lect.
        model: any callable of a prompt, see :class:`polylect.Model`; or a name, as :func:`polylect.model` takes it;
            None for a pipeline that only prepares and reads.
        tools: in any form that :func:`polylect.as_tool` takes; None when nothing is known about them.
        prompt: a :class:`polylect.Prompt`, its template, or a callable of the values; by default ``lect.prompt``.
        format_scratchpad: a callable of the steps; by default ``lect.format_steps``.
        render_tools: a callable of the list of tools; by default ``lect.format_tools``. Called once.
        parse: a callable of the model's text or message; by default ``lect.parse`` and ``lect.decide``.
        stop: True for the lect's stop strings, False for none, or strings of your own.
        prefix: what stands before the model's reply in its own turn; None: seen from the prompt that is sent. A server
            whose chat template opens the reasoning needs ``"<think>\\n"`` here.
        constrain: True: the model is held to the lect and to the tools' schemas, by its engine; or options of
            :meth:`polylect.Lect.constraint` (``{"max_chars": 500}``).
        examples: worked examples for the prompt, each a :class:`polylect.Example`; they are written in the lect, and
            stand before the line or message of ``{input}``, or at ``{examples}``.
        policies: choices other than the lect's own, by name.

    Raises:
        PromptError: a stage is missing something: a variable in the prompt, a model that takes tools, a stop string
            that is none.
        LectError: an unknown lect, policy or choice.
        ToolError: a broken tool, or two of one name.
        ConstraintError: the model can't be held to this lect with these tools; the message says why.
    """

    def __init__(
        self,
        lect: str | Lect,
        model: str | Callable[..., Any] | None = None,
        tools: Tools = (),
        *,
        prompt: Prompt | str | Sequence[MessageLike] | PromptStage | None = None,
        format_scratchpad: FormatScratchpad | None = None,
        render_tools: Callable[[Sequence[Tool]], str | list[Message]] | None = None,
        parse: ParseStage | Callable[..., Decision | AgentAction] | None = None,
        stop: bool | str | Iterable[str] | None = True,
        prefix: str | None = None,
        examples: Iterable[Example] | None = None,
        constrain: bool | Mapping[str, Any] = False,
        **policies: Any,
    ) -> None:
        known = toolbox(tools)
        examples = None if examples is None else tuple(examples)
        self._given: dict[str, Any] = {
            "lect": lect, "model": model, "tools": known, "prompt": prompt, "format_scratchpad": format_scratchpad,
            "render_tools": render_tools, "parse": parse, "stop": stop, "prefix": prefix,
            "examples": examples, "constrain": constrain, **policies,
        }  # fmt: skip
        for name in policies:
            if name not in CHOICES:
                raise unknown_argument(name, [*CHOICES, *self._given.keys() - policies.keys()], model)
        self.lect = found = lect_of(lect)
        self.tools = known
        self._chosen = found.policies.replace(**policies)
        self._guard = Guard(found, self._chosen)
        told = told_tools(found, known, render_tools)
        listed = told if isinstance(told, str) else describe_tools(known or {})
        texts = {"tools": listed or NO_TOOLS, "tool_names": ", ".join(known or ()) or "none"}
        self._tools = told if isinstance(told, list) and told else None
        if examples is not None:
            prompt = self._with_examples(prompt, examples, policies)
        self._prompt, self._texts = prompt_stage(found, prompt, texts)
        self._cue = cue_of(found, self._prompt)
        self._prefix = checked_prefix(found, prefix)
        self._scratchpad = scratchpad_stage(found, format_scratchpad, policies, self._cue, self._prompt, known)
        self._model = None if model is None else bind(model_of(model), self._tools)
        self.stop = stop_strings(stop, found)
        if self.stop and stop is not True and self._model is not None and "stop" not in self._model.taken:
            raise PromptError(
                f"The model {self._model.name!r} takes no stop=, so your stop strings would not reach it. Add the "
                "keyword, or leave stop out: the lect drops what a model invents after its action."
            )
        self._parse = parse_stage(found, parse, known, policies)
        self._policies = policies
        self._constraining = constraining(found, known, self._model, constrain)
        if self._model is not None:  # what can't be, is told now
            self.constraint(None, self._cue if self._prefix is None else self._prefix)

    def _with_examples(self, prompt: Any, examples: tuple[Example, ...], policies: dict[str, Any]) -> Prompt:
        from ._examples import with_examples

        given = own_prompt(self.lect) if prompt is None else prompt
        if not isinstance(given, Prompt):
            if callable(given):
                raise PromptError("Examples go into a prompt, and the prompt stage is a callable: write them there.")
            given = Prompt(given)
        return with_examples(self.lect, given, examples, self.tools, policies)

    # --- the stages -----------------------------------------------------------------------------------------------

    @property
    def stages(self) -> Mapping[str, Any]:
        """The four stages in their order, under the names of the keywords that replace them."""
        parse = self._parse.function if isinstance(self._parse, OwnParse) else self._parse
        return MappingProxyType(
            {"format_scratchpad": self._scratchpad, "prompt": self._prompt, "model": self._model, "parse": parse}
        )

    def replace(self, **stages: Any) -> Self:
        """A new pipeline with other stages, or with any other argument of :class:`Pipeline`; checked again."""
        given = {**self._given, **stages}
        return type(self)(given.pop("lect"), **given)

    # --- one turn -------------------------------------------------------------------------------------------------

    def request(self, steps: Iterable[AgentStep | tuple[AgentAction, Any]] = (), /, **inputs: Any) -> Request:
        """The first two stages: what the model is to be asked.

        Args:
            steps: what was done so far.
            inputs: the values of the prompt's other variables. They are data: by the policy ``escape`` nothing in them
                can become structure of the lect. The prompt itself, its partial values and the tools' descriptions are
                the caller's own words, and go in as they are.

        Raises:
            PromptError: an input is missing, or the prompt has no place for it.
            LectError: an input holds markers, and the policy ``escape`` is ``error``.
        """
        if isinstance(steps, (str, bytes)) or not isinstance(steps, Iterable):
            raise PromptError(f"The steps of a turn are a list of AgentStep, not {type(steps).__name__}.")
        done = [step if isinstance(step, AgentStep) else step_of(step) for step in steps]
        prompt = self._prompt
        for name in inputs:
            if name in OWN:
                raise PromptError(f"{name!r} is the pipeline's own variable; give the input another name.")
        places: tuple[str, ...] | None = None
        if isinstance(prompt, Prompt):
            inputs = fitting(prompt, inputs)
            places = prompt.placeholders
        values = {
            name: self._guard.value(name, value, as_list=is_messages(value) if places is None else name in places)
            for name, value in inputs.items()
        }
        made = prompt({**self._texts, **values, "agent_scratchpad": self._scratchpad(done)})
        if not isinstance(made, str):
            if places is None:  # a stage of the caller's
                made = as_messages(made, "A prompt")
        elif self.lect.messages:
            raise PromptError(f"{self.lect.name} speaks messages, and the prompt stage made a text.")
        return Request(made, self.stop, self._tools, self._prefix_of(made))

    def check_inputs(self, inputs: Mapping[str, Any]) -> None:
        """Check that the prompt has a place for each input, and an input for each place.

        Raises:
            PromptError: one is missing, or would be lost.
        """
        for name in inputs:
            if name in OWN:
                raise PromptError(f"{name!r} is the pipeline's own variable; give the input another name.")
        if isinstance(self._prompt, Prompt):
            fitting(self._prompt, dict(inputs))

    def prompt_for(self, steps: Iterable[AgentStep | tuple[AgentAction, Any]] = (), /, **inputs: Any) -> Prompted:
        """What would be sent to the model: text, or messages. Arguments and errors as for :meth:`request`."""
        return self.request(steps, **inputs).prompt

    def ask(self, request: Request, *, timeout: float | None = None) -> Any:
        """The third stage: the model's output, as the model gives it.

        Args:
            request: what the first two stages made.
            timeout: seconds that the model may take, for models that take such a keyword.

        Raises:
            PromptError: the pipeline has no model.
            ConstraintError: this turn has no constraint for the model.
        """
        if self._model is None:
            raise PromptError("This pipeline has no model. Give it one: pipeline.replace(model=…).")
        return self._model(request.prompt, **self.beside(request, timeout))

    def beside(self, request: Request, timeout: float | None = None) -> dict[str, Any]:
        """What the model is given with the prompt, as far as it takes it. Errors as for :meth:`ask`."""
        return {
            "stop": request.stop, "tools": request.tools, "tool_choice": request.tool_choice, "timeout": timeout,
            "constraint": self.constraint(request.tool_choice, request.prefix),
        }  # fmt: skip

    def constraint(self, tool_choice: str | None = None, prefix: str = "") -> Constraint | None:
        """What the model is held to in a turn with this choice of tools, which the prompt has begun so; None: nothing.

        Raises:
            ConstraintError: such a turn has no constraint for the model.
        """
        return None if self._constraining is None else self._constraining.of(tool_choice, prefix)

    def decide(self, output: Any, *, prefix: str = "") -> Decision:
        """The fourth stage: what the agent does with a model's output, whole or in chunks.

        Raises:
            ParseError: nothing can be done with it; ``correction`` is the sentence to send back.
        """
        if chunks_of(output) is None:
            return self._parse(output, prefix=prefix)
        return Turn(output, self.reading(prefix)).decision

    def plan(self, steps: Iterable[AgentStep | tuple[AgentAction, Any]] = (), /, **inputs: Any) -> Decision:
        """One turn, all four stages: the agent's next actions, or its finish.

        Raises:
            ParseError: the model's output is wrong.
            PromptError, LectError: as for :meth:`request`.
        """
        request = self.request(steps, **inputs)
        return self.decide(self.ask(request), prefix=request.prefix)

    def stream(self, steps: Iterable[AgentStep | tuple[AgentAction, Any]] = (), /, **inputs: Any) -> Turn:
        """One turn as its events, while the model writes; then ``.decision``. Errors as for :meth:`plan`."""
        request = self.request(steps, **inputs)
        return Turn(self.ask(request), self.reading(request.prefix))

    def reading(self, prefix: str = "") -> Reading:
        """The fourth stage for a reply that arrives in chunks: ``feed``, ``close``, then ``decide``."""
        return self._parse.reading(prefix)

    @property
    def parse_stage(self) -> ReadReply | OwnParse:
        """The fourth stage as it is run: the lect's, or the caller's with its result checked."""
        return self._parse

    def answering(self) -> ReadReply | OwnParse:
        """The fourth stage for a reply that must be an answer: any text is one, and calls beside an answer are none."""
        if isinstance(self._parse, OwnParse):
            return self._parse
        return ReadAnswer(self.lect, self.tools, self._policies)

    @property
    def text_is_answer(self) -> bool:
        """Whether text without a mark counts as the answer, by the policy ``text``."""
        return self._chosen.text == "final"

    @property
    def cuts_at_stop(self) -> bool:
        """Whether a stop string may be cut at on this side too; not where inventing an observation is an error."""
        return self._chosen.observation != "error"

    @property
    def constrains(self) -> bool:
        """Whether the model is held to the lect."""
        return self._constraining is not None

    @property
    def bound_model(self) -> BoundModel | None:
        """The third stage with the keywords that it takes."""
        return self._model

    def _prefix_of(self, made: Prompted) -> str:
        if self._prefix is not None:
            return self._prefix
        last = made if isinstance(made, str) else made[-1].get("content") if made else ""
        cue = self._cue
        if not cue or not isinstance(last, str):
            return ""
        end = last[-len(cue) - SPACE :].rstrip()
        return cue if end.endswith(f"\n{cue}") or end == cue == last.rstrip() else ""

    # --- looking at it --------------------------------------------------------------------------------------------

    def to_text(self) -> str:
        """A drawing for terminals."""
        return _draw.text(self._drawn())

    def to_mermaid(self) -> str:
        """A drawing for documents, in Mermaid's language."""
        return _draw.mermaid(self._drawn())

    def _drawn(self) -> dict[str, str]:
        told = {name: _draw.label(stage) for name, stage in self.stages.items()}
        more = [f"stop {', '.join(map(repr, self.stop))}"] if self.stop else []
        more += [f"tools {', '.join(self.tools)}"] if self.tools else []
        told["model"] = "; ".join([told["model"], *more])
        return told

    def __repr__(self) -> str:
        model = "no model" if self._model is None else self._model.name
        return f"<pipeline {self.lect.name}: {model}, tools: {', '.join(self.tools or ()) or 'none'}>"


class Turn(Iterator[Event]):
    """One turn as the model writes it: iterate for its events, then look at ``decision``."""

    def __init__(self, output: Any, reading: Reading) -> None:
        self._chunks = chunks_of(output)
        self._reading = reading
        self._decision: Decision | None = None
        self._events = self._run(output)

    def _run(self, output: Any) -> Generator[Event, None, None]:
        try:
            if self._chunks is None:
                yield from self._reading.whole(output)
            else:
                for chunk in self._chunks:
                    yield from self._reading.feed(chunk)
            yield from self._reading.close()
            self._decision = self._reading.decide()
        finally:
            close = getattr(self._chunks, "close", None)
            if callable(close):
                close()

    def __next__(self) -> Event:
        return next(self._events)

    @property
    def reply(self) -> Reply | None:
        """The reply; None until it is over, and where a parse stage of your own reads texts."""
        return self._reading.reply

    @property
    def decision(self) -> Decision:
        """What the agent does; reads the rest of the reply first.

        Raises:
            ParseError: the model's output is wrong.
        """
        for _ in self._events:
            pass
        if self._decision is None:
            raise PromptError("This turn has no decision: it was closed early, or it failed.")
        return self._decision

    def close(self) -> None:
        """Stop here, and close the model's stream."""
        self._events.close()
