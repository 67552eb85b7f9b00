"""``polylect run``: an agent, from one command."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

import polylect

from ._options import LectName, is_terminal, policy_option
from ._run_options import Assignment, Input, ModelName, Output, Trim, prompt_of, question_of
from ._tool_sources import ToolSource, examples_of, tools_of

if TYPE_CHECKING:
    from .._stages import Model

SCRIPTED = "scripted"


@click.command(short_help="Run an agent: a question, a lect, a model, tools.")
@click.argument("question", required=False)
@click.option("--lect", "lect_name", type=LectName(), help="The lect: a name or an alias.")
@click.option(
    "--model",
    type=ModelName(),
    metavar="NAME[:ARGUMENT]",
    help="The model, such as openai:gpt-4o-mini, local, or scripted:replies.jsonl; scripted alone is the tutorial's.",
)
@click.option(
    "--model-option",
    "model_options",
    type=Assignment(),
    multiple=True,
    help="An option of the model, such as temperature=0 or base_url=http://localhost:8080/v1; repeat for more.",
)
@click.option(
    "--tools",
    "sources",
    type=ToolSource(),
    multiple=True,
    help="Functions that the model may call: module:one,another or file.py:function; repeat for more.",
)
@click.option("--system", metavar="TEXT", help="What the model is told before all else; @FILE reads it from a file.")
@click.option(
    "--prompt",
    type=click.Path(exists=True, dir_okay=False),
    help="A template in place of the lect's own: text, or a list of messages in a file that ends in .json.",
)
@click.option(
    "--examples",
    type=ToolSource(),
    metavar="MODULE:NAME",
    multiple=True,
    help="Worked examples for the prompt, such as polylect.tutorial:EXAMPLES; small models need them.",
)
@click.option(
    "--input",
    "inputs",
    type=Input(),
    multiple=True,
    help="The value of another variable of the prompt, such as chat_history; repeat for more.",
)
@policy_option
@click.option(
    "--max-iterations",
    type=click.IntRange(1),
    default=15,
    show_default=True,
    metavar="N",
    help="How often the model may be asked.",
)
@click.option("--max-seconds", type=click.FloatRange(0, min_open=True), metavar="S", help="Seconds for the whole run.")
@click.option(
    "--early-stopping",
    type=click.Choice(["force", "generate"]),
    default="force",
    show_default=True,
    help="At a limit, stop; or ask the model for an answer one last time.",
)
@click.option(
    "--parsing-errors",
    default="observe",
    show_default=True,
    metavar="observe|raise|TEXT",
    help="For replies that can't be read: tell the model what to correct, fail, or tell it TEXT.",
)
@click.option(
    "--tool-errors",
    default="observe",
    show_default=True,
    metavar="observe|raise|TEXT",
    help="For tools that raise: the same.",
)
@click.option(
    "--tool-choice",
    default="auto",
    show_default=True,
    metavar="auto|required|none|NAME",
    help="Whether a tool must be called before there is an answer, and which.",
)
@click.option(
    "--constrain",
    is_flag=True,
    help="Hold the model to the lect and to the tools' schemas, where its engine can: local, or openai with server=.",
)
@click.option(
    "--max-chars",
    type=click.IntRange(1),
    metavar="N",
    help="With --constrain, the most characters of each text, so that a weak model comes to an end.",
)
@click.option("--trim", type=Trim(), help="Show the model the last steps only, or as many as fit in so many tokens.")
@click.option(
    "--stream/--no-stream",
    default=None,
    help="Show what happens while it does.  [default: on a terminal, not in a pipe]",
)
@click.option("--json", "as_json", is_flag=True, help="Write the result as one line of JSON, in place of the report.")
@click.option("--jsonl", "as_events", is_flag=True, help="Write each event as a line of JSON when it happens.")
@click.option("--svg", type=Output(), help="Draw the run as a picture.")
@click.option("--mermaid", type=Output(), help="Draw the run as a flowchart in Mermaid's language.")
@click.option("--record", type=Output(), help="Write the run down as it goes on; a file that is there grows.")
@click.option(
    "--replay",
    type=click.Path(exists=True, dir_okay=False),
    help="Tell a recorded run again, without model and tools: the last one of the file.",
)
@click.pass_context
def run(
    context: click.Context,
    question: str | None,
    lect_name: str | None,
    model: str | None,
    model_options: tuple[tuple[str, Any], ...],
    sources: tuple[tuple[tuple[str, tuple[str, ...]], ...], ...],
    system: str | None,
    prompt: str | None,
    examples: tuple[tuple[tuple[str, tuple[str, ...]], ...], ...],
    inputs: tuple[tuple[str, Any], ...],
    policies: tuple[tuple[str, Any], ...],
    max_iterations: int,
    max_seconds: float | None,
    early_stopping: str,
    parsing_errors: str,
    tool_errors: str,
    tool_choice: str,
    constrain: bool,
    max_chars: int | None,
    trim: Any,
    stream: bool | None,
    as_json: bool,
    as_events: bool,
    svg: str | None,
    mermaid: str | None,
    record: str | None,
    replay: str | None,
) -> int:
    """Run an agent that answers QUESTION (- reads it from standard input), and report what it thought, did and saw.

    With the tutorial's script or its tools the QUESTION may be left out: then it is the tutorial's.

    Tools are Python functions, whose hints and docstrings tell the model what they take. Modules are looked for among
    the installed ones, then in the current folder. What tools print goes to standard error.

    On a terminal thoughts, actions, observations and the answer appear as they come; in a pipe the report comes at the
    end. A record grows by a line for each reply and each result, so that it holds what was done even if the run dies.

    Exit code 0: there is an answer; 1: the run was stopped at a limit, or failed (the turns until then are reported);
    2: the command line is wrong; 130: interrupted, and the turns until then are reported too.

    \b
    Examples:
      polylect run --lect react_bracket --model scripted
      polylect run "What is 12 * 12?" --lect react --model local \\
        --tools polylect.tutorial:search,calculate --examples polylect.tutorial:EXAMPLES
      polylect run "Who is on call?" --lect tool_calls --model openai:gpt-4o-mini \\
        --tools tools.py:roster --svg run.svg
      polylect run --replay run.jsonl
    """
    from ._running import Shape, Starts, replay_record, run_agent

    if as_json and as_events:
        raise click.UsageError("--json is the result, --jsonl the events: choose one.")
    live = is_terminal(sys.stdout) if stream is None else stream
    pictures = {drawn: path for drawn, path in (("svg", svg), ("mermaid", mermaid)) if path is not None}
    shape = Shape("json" if as_json else "events" if as_events else "report", live, pictures)
    if replay is not None:
        _refuse_beside_replay(context)
        return replay_record(replay, None if question is None else question_of(question), shape)
    if max_chars is not None and not constrain:
        raise click.UsageError("--max-chars is a limit of --constrain, which is not given.")
    if lect_name is None or model is None:
        raise click.UsageError(_missing(lect_name, model))
    script = model == SCRIPTED and not any(key == "replies" for key, _ in model_options)
    tools = tools_of(pair for source in sources for pair in source)
    if script and not sources:
        tools = _tutorial_tools()
    asked = _question(question, tutorial=script or _of_tutorial(tools))
    made = _model(model, dict(model_options), lect_name, script=script)
    starts = Starts()
    found = polylect.Agent(
        lect_name,
        made,
        tools,
        hooks=[starts, *_recorders(record)],
        prompt=prompt_of(lect_name, prompt, system),
        max_iterations=max_iterations,
        max_execution_time=max_seconds,
        early_stopping=early_stopping,
        parsing_errors=parsing_errors,
        tool_errors=tool_errors,
        tool_choice=tool_choice,
        trim=trim,
        examples=examples_of(pair for source in examples for pair in source) if examples else None,
        constrain={"max_chars": max_chars} if max_chars is not None else constrain,
        **dict(policies),
    )
    state = found.start(**_inputs(asked, inputs))
    return run_agent(found, state, shape, starts)


def _missing(lect_name: str | None, model: str | None) -> str:
    wanted = [name for name, value in (("--lect", lect_name), ("--model", model)) if value is None]
    return f"Missing {' and '.join(wanted)}. To begin with: polylect run --lect react_bracket --model scripted"


def _refuse_beside_replay(context: click.Context) -> None:
    allowed = {"question", "as_json", "as_events", "svg", "mermaid", "replay"}
    default = click.core.ParameterSource.DEFAULT
    for parameter in context.command.params:
        name = parameter.name or ""
        if name not in allowed and context.get_parameter_source(name) is not default:
            raise click.UsageError(
                f"--replay tells a run that is over, so {parameter.opts[0]} says nothing. Leave it out."
            )


def _tutorial_tools() -> list[polylect.Tool]:
    from .. import tutorial

    return [polylect.as_tool(x) for x in tutorial.TOOLS]


def _of_tutorial(tools: list[polylect.Tool]) -> bool:
    """Whether all of the tools are the tutorial's."""
    tutorial = sys.modules.get("polylect.tutorial")
    return bool(tools) and tutorial is not None and all(x.function in tutorial.TOOLS for x in tools)


def _question(given: str | None, *, tutorial: bool) -> str:
    if given is not None:
        return question_of(given)
    if not tutorial:
        raise click.UsageError(
            "Missing QUESTION: what is the agent to answer? (- reads it from standard input.) With --tools "
            "polylect.tutorial:search,calculate it may be left out: then it is the tutorial's."
        )
    from ..tutorial import QUESTION

    return QUESTION


def _model(name: str, options: dict[str, Any], lect_name: str, *, script: bool) -> Model:
    if name.partition(":")[0] == SCRIPTED:
        options.setdefault("lect", lect_name)  # for replies that are no text yet
    if script:
        from ..tutorial import replies

        options["replies"] = replies(options["lect"])
    made: Model = polylect.model(name, **options)
    return made


def _recorders(path: str | None) -> list[object]:
    """The hook that writes the run down, if it is to be."""
    if path is None:
        return []
    if os.path.exists(path) and os.path.getsize(path):
        click.echo(f"{path} is there already: this run is written behind what it holds.", err=True)
    return [polylect.Recorder(path)]


def _inputs(question: str, given: tuple[tuple[str, Any], ...]) -> dict[str, Any]:
    inputs = dict(given)
    if "input" in inputs:
        raise click.UsageError("The variable input is the QUESTION itself.")
    return {"input": question, **inputs}
