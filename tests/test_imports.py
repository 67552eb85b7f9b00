"""What ``import polylect`` brings, and what it does not: names, types, and no heavy library."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path
from types import ModuleType

import pytest

import polylect
import polylect.plugin

HEAVY = (
    "lark", "lxml", "jsonschema", "json_repair", "click", "hypothesis", "interegular", "regex", "asyncio", "pydantic",
    "anyio", "attrs", "docstring_parser", "openai", "anthropic", "opentelemetry.sdk", "xllamacpp", "ssl",
)  # fmt: skip
MESSAGES = {
    "react": "Thought: x\\nAction: a\\nAction Input: b",
    "react_bracket": "Action: a[b]",
    "docstore": "Action 1: a[b]",
    "mrkl": "Action: a\\nAction Input: b",
    "conversational": "Thought: x\\nAI: a",
    "self_ask": "Follow up: a",
    "json_blob": '{\\"action\\": \\"a\\", \\"action_input\\": {\\"b\\": 1}}',
    "xml_tags": "<tool>a</tool><tool_input>b</tool_input>",
    "tool_calls": '{\\"role\\": \\"assistant\\", \\"content\\": \\"b\\"}',
    "react_json": 'Action: {\\"action\\": \\"a\\", \\"action_input\\": {\\"b\\": 1}}',
    "json_chat": '{\\"action\\": \\"Final Answer\\", \\"action_input\\": \\"b\\"}',
    "chat": "Final Answer: b",
    "openai_functions": '{\\"role\\": \\"assistant\\", \\"content\\": \\"b\\"}',
}


def loaded(code: str, *, cache: Path | None = None) -> list[str]:
    """The heavy modules that a new Python has loaded after ``code``."""
    program = f"import sys\n{code}\nprint(*(x for x in {HEAVY!r} if x in sys.modules))"
    environment = os.environ | ({} if cache is None else {"POLYLECT_CACHE": str(cache)})
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_import_loads_nothing_heavy() -> None:
    assert loaded("import polylect") == []


def test_no_name_of_polylect_loads_anything_heavy() -> None:
    assert loaded("from polylect import *\nimport polylect.plugin, polylect.grammar") == []


def test_listing_loads_nothing_heavy() -> None:
    assert loaded("import polylect\npolylect.lects(), polylect.plugins()") == []


def test_a_compiled_grammar_is_read_without_lark_and_plain_messages_without_anything(tmp_path: Path) -> None:
    """Lark is for compiling, lxml for markup inside of inputs, jsonschema for tools with schemas."""
    reads = "\n".join(f'polylect.lect("{name}").parse("{text}")' for name, text in MESSAGES.items())
    streams = "\n".join(
        f'p = polylect.lect("{name}").parser(); p.feed("{text}"); p.close()' for name, text in MESSAGES.items()
    )
    code = f"import polylect\n{reads}\n{streams}\npolylect.detect('Hello.')"
    assert "lark" in loaded(code, cache=tmp_path)
    assert loaded(code, cache=tmp_path) == []


def test_only_what_was_used_is_loaded(tmp_path: Path) -> None:
    first = f'import polylect\npolylect.lect("xml_tags").parse("{MESSAGES["xml_tags"]}")'
    loaded(first, cache=tmp_path)
    assert loaded(first.replace("<tool_input>b", "<tool_input>a &amp; b"), cache=tmp_path) == ["lxml"]


AGENT = """
import polylect

def add(a: int, b: int = 1) -> int:
    \"\"\"Add two numbers.\"\"\"
    return a + b

script = [
    'Action: add\\nAction Input: {"a": 1, "b": 2}',
    'Action: nothing\\nAction Input: x',
    'I wonder.',
    'Final Answer: 3',
]
agent = polylect.Agent("react", polylect.Scripted(script), [add], max_iterations=4)
"""


def test_an_agent_is_built_without_anything_heavy(tmp_path: Path) -> None:
    loaded("import polylect\npolylect.lect('react').parse('Final Answer: a')", cache=tmp_path)
    assert loaded(AGENT, cache=tmp_path) == []


def test_an_agent_runs_without_pydantic_jsonschema_and_anyio(tmp_path: Path) -> None:
    """They are for hints of classes, for schemas with some depth or arguments that are wrong, and for event loops."""
    loaded("import polylect\npolylect.lect('react').parse('Final Answer: a')", cache=tmp_path)
    ran = loaded(f"{AGENT}\nassert agent.run('q').output == '3'", cache=tmp_path)
    assert set(ran) <= {"asyncio", "ssl"}, "asyncio, which brings ssl, is for tools that are asynchronous or in threads"


@pytest.mark.parametrize("module", [polylect, polylect.plugin], ids=lambda module: module.__name__)
def test_the_public_names_are_sorted_unique_and_there(module: ModuleType) -> None:
    names: list[str] = module.__all__
    assert len(set(names)) == len(names)
    assert names == sorted(names, key=_ruffs_order)
    for name in names:
        assert getattr(module, name) is not None
        assert not name.startswith("_")


def _ruffs_order(name: str) -> tuple[int, str]:
    """Constants, classes, then the rest."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)


def test_every_public_name_is_imported_by_a_program_that_takes_all() -> None:
    names: dict[str, object] = {}
    exec("from polylect import *", names)
    assert set(polylect.__all__) <= set(names)


def test_names_that_are_loaded_later_are_listed_before() -> None:
    code = (
        "import sys, polylect\nprint(set(polylect.__all__) <= set(dir(polylect)), 'polylect._pipeline' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True, timeout=60)
    assert done.stdout == "True False\n"


def test_what_there_is_not_is_an_attribute_error() -> None:
    name = "parse"
    with pytest.raises(AttributeError, match="module 'polylect' has no attribute 'parse'"):
        getattr(polylect, name)
    assert not hasattr(polylect, "_nothing")


def test_public_names_come_from_private_modules() -> None:
    public = {x.name for x in Path(polylect.__file__).parent.iterdir() if not x.name.startswith(("_", "."))}
    assert public == {"agent", "cli", "constraint", "grammar", "plugin.py", "py.typed", "testing", "tutorial.py"}


@pytest.mark.parametrize(
    "package",
    [
        "polylect",
        "polylect_grammars",
        "polylect_react",
        "polylect_json_blob",
        "polylect_xml_tags",
        "polylect_tool_calls",
        "polylect_openai",
        "polylect_anthropic",
        "polylect_local",
        "polylect_otel",
    ],
)
def test_every_distribution_is_typed(package: str) -> None:
    module = sys.modules.get(package) or __import__(package)
    assert module.__file__ is not None
    assert Path(module.__file__).with_name("py.typed").is_file()


PROGRAM = """
import polylect

TOOLS: list[polylect.ToolLike] = [{"name": "now"}, polylect.Tool("search"), len]
for info in polylect.lects():
    reveal_type((info.name, info.title, info.family))  # R: tuple[str, str, str]
lect = polylect.lect("react")
reveal_type(lect)  # R: polylect._lect.Lect
reply = lect.parse("text", tools=TOOLS, truncated="flag")
reveal_type(reply)  # R: polylect._values.Reply
parser = lect.parser(tools=TOOLS, prefix="", truncated="flag")
reveal_type(parser.feed("text"))  # R: list[polylect._values.Event]
reveal_type(parser.close(finish_reason="stop"))  # R: list[polylect._values.Event]
reveal_type(parser.reply)  # R: polylect._values.Reply
reveal_type((reply.content, reply.reasoning, reply.complete))  # R: tuple[str, str, bool]
reveal_type(reply.answer)  # R: Any
reveal_type(reply.diagnostics)  # R: tuple[polylect._values.Diagnostic, ...]
call = reply.calls[0]
reveal_type((call.name, call.raw, call.id, call.span))  # R: tuple[str, str, str | None, tuple[int, int]]
reveal_type(call.arguments)  # R: dict[str, Any] | str | None
reveal_type(call.status)  # R: Literal['complete'] | Literal['repaired'] | Literal['invalid'] | Literal['truncated']
decision = lect.decide(reply, both="final")
reveal_type(decision)  # R: list[polylect._values.AgentAction] | polylect._values.AgentFinish
if isinstance(decision, polylect.AgentFinish):
    reveal_type(decision.return_values)  # R: dict[str, Any]
else:
    steps = [polylect.AgentStep(action, "seen") for action in decision]
    reveal_type(lect.format_steps(steps))  # R: Any
reveal_type(lect.format(reply))  # R: Any
reveal_type(lect.format_tools(TOOLS))  # R: Any
reveal_type(lect.stops)  # R: tuple[str, ...]
reveal_type(polylect.translate("text", source="react", target="xml_tags", tools=TOOLS))  # R: Any
reveal_type(polylect.detect("text")[0].lect)  # R: str
reveal_type(polylect.register(lect))  # R: polylect._lect.Lect
reveal_type(polylect.plugins()[0].error)  # R: str | None
reveal_type(polylect.Reply.from_json(reply.to_json()))  # R: polylect._values.Reply
for event in parser.feed("more"):
    if isinstance(event, polylect.ContentDelta):
        reveal_type(event.text)  # R: str


def search(query: str) -> str:
    return query


agent = polylect.Agent("react", polylect.model("scripted", replies=[]), [search], max_iterations=3)
result = agent.run("question")
reveal_type(result)  # R: polylect.agent._values.RunResult
reveal_type((result.output, result.steps))  # R: tuple[Any, tuple[polylect._values.AgentStep, ...]]
reveal_type(result.turns[0].reply)  # R: polylect._values.Reply | None
for told in agent.stream("question"):
    if isinstance(told, polylect.ToolEnd):
        reveal_type((told.action.tool, told.result.observation))  # R: tuple[str, Any]
state = agent.start("question")
want = agent.next(state)
if isinstance(want, polylect.CallTools):
    reveal_type(want.actions)  # R: tuple[polylect._values.AgentAction, ...]
reveal_type(polylect.create_react_agent(None, [search]))  # R: polylect._pipeline.Pipeline
reveal_type(polylect.replay("run.jsonl"))  # R: polylect.agent._values.RunResult


class Mine(polylect.TextLect):
    name = "mine"
    grammar_file = "react.lark"

    def write(self, reply: polylect.Reply, tools: polylect.Toolbox | None = None) -> str:
        return reply.content


reveal_type(Mine().format(reply))  # R: str
reveal_type(polylect.register(Mine))  # R: polylect._lect.Lect
"""


def test_a_program_sees_the_types_of_the_surface(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(textwrap.dedent(PROGRAM), encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--hide-error-context"]
    command += ["--config-file=", f"--cache-dir={tmp_path / 'cache'}", file.name]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, cwd=tmp_path)
    assert not done.stderr
    lines = PROGRAM.splitlines()
    wanted = [(n, line.partition("  # R: ")[2]) for n, line in enumerate(lines, 1) if "  # R: " in line]
    found = []
    for line in done.stdout.splitlines():
        place, _, told = line.partition(": note: Revealed type is ")
        assert told, line
        found.append((int(place.rpartition(":")[2]), told.strip('"').replace("builtins.", "")))
    assert found == wanted
