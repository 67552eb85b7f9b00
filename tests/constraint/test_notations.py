from __future__ import annotations

import random
import re
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import polylect
from polylect._errors import ConstraintError
from polylect.constraint._match import Matcher
from polylect.constraint._notations import (
    ElementText,
    JsonText,
    Notation,
    PythonText,
    TokenText,
    TypedText,
    XmlText,
)  # fmt: skip
from polylect.constraint._rules import Limits, Rules, followed, seq
from polylect.constraint._sample import Sampler
from polylect.constraint._schema import value
from polylect.constraint._tree import Alt, Layout, Lit, Node, Rep, Seq, Text, Tree
from polylect.grammar import _tables as t

from .schemas import Maker, random_value

NAME = "get_x"


class Tongue:
    """How calls are written in one lect: what stands around values, by what is told of their type."""

    def __init__(self, name: str, notation: Notation, head: str, members: dict[str, tuple[str, str]], joint: str,
                 tail: str, none: str) -> None:  # fmt: skip
        self.lect = polylect.lect(name)
        self.name, self.notation, self.head, self.members = name, notation, head, members
        self.joint, self.tail, self.none = joint, tail, none

    def tree(self, schema: Any, rules: Rules, limits: Limits) -> Tree:
        """All calls of the tool."""
        names = list(schema.get("properties", {}))
        required = schema.get("required", ())
        if not self.members:
            inner = value(schema, schema, self.notation, rules, where="tool", limits=limits)
            if inner is None:
                raise ConstraintError("no value, '")
            rules.rules["start"] = seq(Lit(self.head), followed(inner, self.tail))
            return Tree(rules.rules)
        ways = []
        for count in range(4):
            some = [x for x in names if x in required or random.Random(f"{x}{count}").random() < 0.5]
            parts: list[Node] = [Lit(self.head)] if some else [Lit(self.none)]
            for at, name in enumerate(some):
                options = []
                for kinds, (before, behind) in self.members.items():
                    told = None if kinds == "all" else frozenset(kinds.split())
                    inner = value(schema["properties"][name], schema, self.notation, rules, where=f"tool.{name}",
                                  kinds=told, limits=limits)  # fmt: skip
                    if inner is not None:
                        begin = (self.joint if at else "") + before.replace("KEY", name)
                        end = behind.replace("KEY", name) + (self.tail if at + 1 == len(some) else "")
                        options.append(seq(Lit(begin), followed(inner, end)))
                if not options:
                    raise ConstraintError("nothing is left of a required member, 'x'")
                parts.append(Alt(tuple(options)))
            ways.append(seq(*parts))
        rules.rules["start"] = Alt(tuple(ways))
        return Tree(rules.rules)


def value_text(name: str) -> tuple[str, ...]:
    lect = polylect.lect(name)
    assert isinstance(lect, polylect.TextLect)
    tables = lect.grammar.tables
    todo, reach, found = [tables.starts["written"]], set(), {}
    while todo:
        state = todo.pop()
        if state in reach or state < 0:
            continue
        reach.add(state)
        for move in tables.states[state]:
            todo.append(move.target)
            if move.terminal in tables.texts and move.role == t.VALUE:
                found[move.terminal] = tables.texts[move.terminal].delimiters
    (one,) = found.values()
    return tuple(one)


OTHERS = "integer number boolean null array object"
M3 = "]<]minimax[>["
DSML = "｜DSML｜"


def tongues() -> dict[str, Tongue]:
    quote = '<|"|>'
    return {x.name: x for x in (
        Tongue("qwen3_coder_xml", TypedText(value_text("qwen3_coder_xml")), f"<tool_call>\n<function={NAME}>\n",
               {"all": ("<parameter=KEY>\n", "\n</parameter>\n")}, "", "</function>\n</tool_call>",
               f"<tool_call>\n<function={NAME}>\n</function>\n</tool_call>"),
        Tongue("glm47", TypedText(value_text("glm47")), f"<tool_call>{NAME}",
               {"all": ("<arg_key>KEY</arg_key><arg_value>", "</arg_value>")}, "", "</tool_call>",
               f"<tool_call>{NAME}</tool_call>"),
        Tongue("deepseek_dsml_v4", TypedText(value_text("deepseek_dsml_v4")),
               f'\n\n<{DSML}tool_calls>\n<{DSML}invoke name="{NAME}">\n',
               {"string": (f'<{DSML}parameter name="KEY" string="true">', f"</{DSML}parameter>\n"),
                OTHERS: (f'<{DSML}parameter name="KEY" string="false">', f"</{DSML}parameter>\n")},
               "", f"</{DSML}invoke>\n</{DSML}tool_calls>",
               f'\n\n<{DSML}tool_calls>\n<{DSML}invoke name="{NAME}">\n\n</{DSML}invoke>\n</{DSML}tool_calls>'),
        Tongue("pythonic", PythonText(), f"[{NAME}(", {"all": ("KEY=", "")}, ", ", ")]", f"[{NAME}()]"),
        Tongue("lfm2", PythonText(), f"<|tool_call_start|>[{NAME}(", {"all": ("KEY=", "")}, ", ", ")]<|tool_call_end|>",
               f"<|tool_call_start|>[{NAME}()]<|tool_call_end|>"),
        Tongue("gemma4", TokenText(quote), f"<|tool_call>call:{NAME}{{", {"all": ("KEY:", "")}, ",", "}<tool_call|>",
               f"<|tool_call>call:{NAME}{{}}<tool_call|>"),
        Tongue("functiongemma", TokenText("<escape>"), f"<start_function_call>call:{NAME}{{",
               {"all": ("KEY:", "")}, ",",
               "}<end_function_call>", f"<start_function_call>call:{NAME}{{}}<end_function_call>"),
        Tongue("minimax_m3", ElementText(M3), f'{M3}<tool_call>\n{M3}<invoke name="{NAME}">',
               {"all": (f"{M3}<KEY>", f"{M3}</KEY>")}, "", f"{M3}</invoke>\n{M3}</tool_call>",
               f'{M3}<tool_call>\n{M3}<invoke name="{NAME}">{M3}</invoke>\n{M3}</tool_call>'),
        Tongue("xml_tags", XmlText(), f"<tool>{NAME}</tool><tool_input>", {}, "", "</tool_input>", ""),
        Tongue("react_bracket", JsonText(Layout(), banned="[]"), f"Action: {NAME}[", {}, "", "]", ""),
        Tongue("docstore", JsonText(Layout(), banned="[]"), f"Action: {NAME}[", {}, "", "]", ""),
        Tongue("hermes", JsonText(Layout()), f'<tool_call>\n{{"name": "{NAME}", "arguments": ', {}, "",
               "}\n</tool_call>", ""),
    )}  # fmt: skip


TONGUES = tongues()


@pytest.mark.parametrize("name", TONGUES)
@pytest.mark.parametrize("first", range(0, 200, 25))
def test_what_a_notation_writes_reads_back_as_valid_arguments(name: str, first: int) -> None:
    for seed in range(first, first + 25):
        _read_back(TONGUES[name], seed)


def _read_back(tongue: Tongue, seed: int) -> None:
    rng = random.Random(f"{seed}")
    schema = Maker(rng).tool()
    rules = Rules()
    limits = Limits() if seed % 2 else Limits(12, 3)
    try:
        tree = tongue.tree(schema, rules, limits)
    except ConstraintError:
        return
    tools = [{"type": "function", "function": {"name": NAME, "description": "", "parameters": schema}}]
    check = Draft202012Validator(schema)
    sampler = Sampler(tree)
    for _ in range(12):
        text = sampler.sample(rng, 30)
        reply = tongue.lect.parse(text, tools=tools)
        assert len(reply.calls) == 1, (schema, text)
        call = reply.calls[0]
        assert call.status == "complete", (schema, text, reply)
        assert not reply.diagnostics, (schema, text, reply.diagnostics)
        arguments = call.arguments
        if not isinstance(arguments, dict):  # one text for a tool of one argument
            (key,) = schema["properties"]
            arguments = {key: arguments}
        errors = list(check.iter_errors(arguments))
        assert not errors, (schema, text, arguments, errors[0].message)
    if tongue.members or not seed % 2:
        return
    matcher = Matcher(tree)
    for _ in range(12):
        made = random_value(schema, schema, rng)
        if check.is_valid(made):
            try:
                text = tongue.lect.format(polylect.Reply(calls=(polylect.Call(NAME, made),)), tools=tools)
            except polylect.LectError:
                continue
            if not matcher.matches(text):
                assert rules.reasons, (schema, text, rules.rules)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "minLength": 1},
        {"type": "string", "minLength": 3, "maxLength": 4},
        {"type": "string"},
        {"type": "string", "pattern": "^ ?[ a]+ ?$"},
        {"enum": [" a", "b", "c\n"]},
        {"type": ["string", "integer"], "minLength": 2, "minimum": 4},
    ],
)
def test_trimmed_texts_stay_valid(schema: Any) -> None:
    notation, rules, rng = TypedText((r"\n[ ]{0,4}Action:",), ("<think>",), trimmed=True), Rules(), random.Random(0)
    node = value(schema, schema, notation, rules, where="x")
    assert node is not None
    rules.rules["start"] = followed(node, "\nAction:")
    sampler, check = Sampler(Tree(rules.rules)), Draft202012Validator(schema)
    for _ in range(60):
        text = sampler.sample(rng, 20).removesuffix("\nAction:").strip()
        is_number = "integer" in schema.get("type", ()) and re.fullmatch("-?[0-9]+", text)
        assert check.is_valid(int(text) if is_number else text), text
        assert not text.startswith("<think>")


def test_free_text_is_followed_by_its_delimiter() -> None:
    """However deep a text stands, what ends it is next to it."""

    def check(node: Node, last: bool) -> None:
        if isinstance(node, Seq):
            for at, part in enumerate(node.parts):
                end = at + 1 == len(node.parts)
                assert not isinstance(part, Text) or (last and end) or isinstance(node.parts[at + 1], Lit), node
                check(part, last and end)
        elif isinstance(node, Alt):
            for option in node.options:
                assert last or not isinstance(option, Text), node
                check(option, last)
        elif isinstance(node, Rep):
            check(node.part, last=False)

    for seed in range(150):
        for notation in (ElementText(M3), TokenText("<q>"), TypedText(("</x>",))):
            rules = Rules()
            schema = Maker(random.Random(seed)).tool()
            try:
                for name, inner in schema["properties"].items():
                    node = value(inner, schema, notation, rules, where=name)
                    if node is not None:
                        check(followed(node, "</x>"), last=False)
            except ConstraintError:
                continue
            for node in rules.rules.values():
                check(node, last=False)
