"""Printed constraints in the engines' own matchers: each accepts exactly what its tree allows, or a part of it."""

from __future__ import annotations

import itertools
import json
import random
import re
from collections.abc import Callable
from typing import Any

import jsonschema
import pytest

import polylect
from polylect._errors import ConstraintError
from polylect.constraint._gbnf import gbnf, xgrammar
from polylect.constraint._json_schema import json_schema
from polylect.constraint._llguidance import llguidance
from polylect.constraint._match import Matcher
from polylect.constraint._openai import openai_custom_tool
from polylect.constraint._printed import Options, Printed
from polylect.constraint._regex import regex
from polylect.constraint._rules import before
from polylect.constraint._sample import Sampler
from polylect.constraint._structural_tag import structural_tag
from polylect.constraint._tree import EMPTY, Alt, Chars, Json, Layout, Lit, Node, Ref, Rep, Seq, Text, Tree

from . import trees
from .engines import MATCHERS

PRINTERS: dict[str, Callable[[Tree, Options], Printed]] = {
    "gbnf": gbnf,
    "llguidance": llguidance,
    "openai_custom_tool": openai_custom_tool,
    "regex": regex,
    "xgrammar": xgrammar,
}
BITS = ["\n", "{", "}", '"', " ", "<", ">", "[", "]", "(", ")", "\\", "1", ".0", "-"]
OPTIONS = Options()
LETTERS = Rep(Chars(((97, 122),)), 1, None)


def mutated(text: str, rng: random.Random, bits: list[str]) -> str:
    for _ in range(rng.choice((1, 1, 2, 3))):
        at, chance = rng.randrange(len(text) + 1), rng.random()
        if chance < 0.4:
            text = text[:at] + rng.choice(bits) + text[at:]
        elif chance < 0.6:
            text = text[:at] + text[at + rng.randint(1, 6) :]
        elif chance < 0.8:
            end = rng.randrange(len(text) + 1)
            text = text[:at] + text[min(at, end) : max(at, end)][:20] + text[at:]
        else:
            text = text[:at] + rng.choice('aé {}":\n*x') + text[at + 1 :]
    return text


def corpus(tree: Tree, size: int) -> list[str]:
    rng, sampler = random.Random(7), Sampler(tree)
    good = [sampler.sample(rng, rng.choice((0, 5, 20, 40, 80))) for _ in range(size // 3)]
    found = {
        bit for text in good[:30] for bit in re.findall(r"<[^<>]*>|\n?[A-Z][A-Za-z ]+: ?|\[?[a-z_]+\([a-z]+=", text)
    }
    bits = BITS + sorted(found)
    return good + [mutated(rng.choice(good), rng, bits) for _ in range(size - len(good))]


def check(tree: Tree, target: str, size: int) -> Printed:
    printed = PRINTERS[target](tree, OPTIONS)
    assert isinstance(printed.text, str)
    engine, matcher = MATCHERS[target](printed.text), Matcher(tree)
    for text in corpus(tree, size):
        allowed, accepted = matcher.matches(text), engine.accepts(text)
        assert allowed or not accepted, text
        assert accepted or not allowed or printed.exactness == "subset", text
    return printed


INEXACT = {
    "llguidance": ("qwen",),
    "openai_custom_tool": ("glm", "json_blob", "pythonic", "qwen", "react"),
    "regex": ("json_blob", "qwen"),
}
"""Trees whose texts are told from their delimiters by expressions that would be too long, or too slow."""


@pytest.mark.parametrize("name", sorted(trees.MAKERS))
@pytest.mark.parametrize("target", sorted(PRINTERS))
def test_an_engine_accepts_what_the_tree_allows(name: str, target: str) -> None:
    printed = check(trees.tree(name), target, 450)
    inexact = name in INEXACT.get(target, ())
    assert printed.exactness == ("subset" if inexact else "exact")
    assert bool(printed.reasons) == inexact


ENDED = {
    "a look ahead": Text(("<a(?=[ ]{0,4}(?:>|b))",)),
    "a look ahead at another delimiter": Text(("<a[ ]*(?=<[b>])", "<[b>]")),
    "the end of the message": Text(("<a(?=[ ]{0,4}(?:>|\\Z))", "b\\Z")),
    "a head": Text(("<a>",), (" +\\Z", "b(?=a[ >])")),
    "a head that is all of the text": Text(("<a>",), (" +(?![\\s\\S])", "a")),
}


@pytest.mark.parametrize("then", ["", "<b>", " >", "a <"])
@pytest.mark.parametrize("kind", sorted(ENDED))
@pytest.mark.parametrize("target", sorted(PRINTERS))
def test_a_text_ends_by_what_follows_it(target: str, kind: str, then: str) -> None:
    tree = Tree({"start": Seq((before(ENDED[kind], then), Lit(then)))})
    engine, matcher = MATCHERS[target](str(PRINTERS[target](tree, OPTIONS).text)), Matcher(tree)
    for size in range(5):
        for chars in itertools.product("<ab >", repeat=size):
            text = "".join(chars) + then
            assert engine.accepts(text) == matcher.matches(text), text


@pytest.mark.parametrize("name", sorted(trees.MAKERS))
@pytest.mark.parametrize("target", sorted(PRINTERS))
def test_bounded_texts_are_those_of_the_tree_or_fewer(name: str, target: str) -> None:
    printed = check(trees.tree(name, 0, 25), target, 300)
    assert target != "llguidance" or printed.exactness == ("subset" if name in INEXACT[target] else "exact")


SPELLINGS = re.compile(r"\\u[0-9A-Fa-f]{4}|[0-9]{19,}")
"""What llguidance writes in JSON, and the formatter does not: control characters and whole numbers in other words."""


@pytest.mark.parametrize("name", sorted(trees.MAKERS))
@pytest.mark.parametrize("target", ["gbnf", "llguidance", "openai_custom_tool"])
def test_random_walks_end_in_texts_of_the_tree(name: str, target: str) -> None:
    tree = trees.tree(name, 0, 20)
    printed = PRINTERS[target](tree, OPTIONS)
    engine: Any = MATCHERS[target](printed.text)  # type: ignore[arg-type]
    rng, matcher = random.Random(2), Matcher(tree)
    walks = [engine.walk(rng, 3_000) for _ in range(15)]
    ended = [text for text in walks if text is not None]
    assert len(ended) >= 10
    assert [text for text in ended if not matcher.matches(text) and not SPELLINGS.search(text)] == []


# --- greedy lexers ----------------------------------------------------------------------------------------------


CALL = Text((r"\[(?=[a-z]{1,8}\()",))
WHOLE = Json({"type": "integer"}, Layout(), trees.INTEGER)
GREEDY: dict[str, dict[str, Node]] = {
    "a literal is the beginning of another": {"start": Alt((Seq((Lit("a"), Ref("tail"))), Lit("ab"))),
        "tail": Lit("bc")},
    "a number before digits": {"start": Seq((Ref("number"), Ref("tail"))), "number": Rep(Chars(((48, 57),)), 1, 3),
        "tail": Alt((Lit("1."), Lit("2.")))},
    "a text that a literal only begins to end": {
        "start": Alt((Seq((CALL, Lit("["), Ref("name"))), Seq((CALL,)), Seq((Lit("["), Ref("name"))))),
        "name": Alt((Lit("get()"), Lit("set()]")))},
    "a rule ends in what may go on": {"start": Seq((Ref("one"), Lit("\n</f>"))),
        "one": Seq((Lit("<f>"), Rep(Seq((Lit("\n<p>"), LETTERS)), 0, 2)))},
    "a loop of such rules": {"start": Seq((Rep(Ref("one"), 0, None), Lit("ax."))),
        "one": Seq((Lit("a"), Rep(Lit("b"), 0, 1)))},
    "two texts in turn": {"start": Alt((Seq((Text(("<x>",)), Lit("<x>"), Ref("more"))), Seq((Text(("<x>",)),)))),
        "more": Alt((EMPTY, Seq((Text(("<y>",)), Lit("<y>"), Ref("start")))))},
    "a value that may be a number or a text": {"start": Seq((Lit("<v>"), Alt((
        Seq((WHOLE, Lit("</v>"))), Seq((Text(("</v>",)), Lit("</v>")))))))},
    "whole numbers before digits": {"start": Seq((WHOLE, Ref("tail"))),
        "tail": Alt((Lit("0!"), Lit(".5")))},
}  # fmt: skip


@pytest.mark.parametrize("kind", sorted(GREEDY))
@pytest.mark.parametrize("target", sorted(PRINTERS))
def test_lexemes_end_where_they_must(kind: str, target: str) -> None:
    assert check(Tree(GREEDY[kind]), target, 600).exactness == "exact"


def test_what_no_lexeme_can_end_is_refused() -> None:
    rules: dict[str, Node] = {"start": Seq((Ref("loop"), Lit("b"))), "loop": Rep(Ref("one"), 2, 9)}
    rules["one"] = Seq((Ref("nest"), Rep(Lit("b"), 0, 1)))
    rules["nest"] = Alt((Lit("b"), Seq((Lit("("), Ref("nest"), Lit(")")))))
    with pytest.raises(ConstraintError):
        llguidance(Tree(rules), OPTIONS)


# --- one by one -------------------------------------------------------------------------------------------------


def test_nested_rules_are_refused_as_an_expression_and_printed_as_rules() -> None:
    tree = Tree({"start": Ref("nest"), "nest": Alt((Lit("x"), Seq((Lit("("), Ref("nest"), Lit(")")))))})
    with pytest.raises(ConstraintError, match="'nest'"):
        regex(tree, OPTIONS)
    for target in ("gbnf", "llguidance", "openai_custom_tool", "xgrammar"):
        assert check(tree, target, 200).exactness == "exact"


def test_special_tokens_may_come_as_tokens() -> None:
    options = Options(frozenset({"<tool_call>", "</tool_call>"}))
    told = llguidance(trees.tree("hermes"), options).text
    assert isinstance(told, str)
    assert " <tool_call> " in told
    assert '("}\\n</tool_call>" | "}\\n" </tool_call>)' in told
    rules = gbnf(trees.tree("hermes"), options).text
    assert isinstance(rules, str)
    assert '("<tool_call>" | <tool_call>)' in rules
    assert "Token" not in str(xgrammar(trees.tree("hermes"), options).text)


def test_a_token_without_brackets_has_no_name_in_llguidance() -> None:
    with pytest.raises(ConstraintError, match=r"\[TOOL_CALLS\]"):
        llguidance(trees.tree("hermes"), Options(frozenset({"[TOOL_CALLS]"})))


def test_text_with_a_special_token_is_still_read_as_text() -> None:
    """An engine whose vocabulary has the token reads both; one that has not reads what is printed without it."""
    tree = trees.tree("hermes")
    printed = llguidance(tree, Options(frozenset({"<|eos|>"})))
    assert printed.text == llguidance(tree, OPTIONS).text


def test_llama_cpp_counts_to_two_thousand() -> None:
    """Beyond, it takes a bound for none, and says nothing."""
    tree = Tree({"start": Seq((Rep(Chars(((97, 97),)), 1, 5_003), Lit("!")))})
    engine = MATCHERS["gbnf"](str(gbnf(tree, OPTIONS).text))
    told = [engine.accepts("a" * size + "!") for size in (0, 1, 50, 2_001, 4_999, 5_003, 5_004, 5_051)]
    assert told == [False, True, True, True, True, True, False, False]
    with pytest.raises(ConstraintError, match="2000"):
        gbnf(Tree({"start": Rep(Seq((Lit("a"), LETTERS)), 0, 5_000)}), OPTIONS)


def test_a_long_bounded_text_goes_without_a_character() -> None:
    printed = gbnf(trees.tree("qwen", 0, 5_000), OPTIONS)
    assert printed.exactness == "subset"
    assert any("'<'" in reason for reason in printed.reasons)


def test_characters_that_need_escapes() -> None:
    odd = "\\\"'/^$.|?*+()[]{}-\n\r\t\x00\x7f\x85é\u2028中😀<|>"
    ranges = tuple((ord(char), ord(char)) for char in sorted(odd))
    tree = Tree(
        {"start": Seq((Lit(odd), Rep(Chars(ranges), 0, 3), Chars(((0, 33), (35, 0xD7FF), (0xE000, 0x10FFFF)))))}
    )
    for target, printer in PRINTERS.items():
        engine = MATCHERS[target](str(printer(tree, OPTIONS).text))
        for char in odd:
            told = [engine.accepts(text) for text in (odd + char, odd + char * 3 + "x", odd + "x" + char)]
            assert told == [char != '"', True, False], (target, char)


def test_json_of_several_lines_is_written_out() -> None:
    layout = Layout(",", ": ", "  ")
    node = Seq((Lit('{\n  "a": '), trees.INTEGER, Lit("\n}")))
    tree = Tree({"start": Json({"type": "object"}, layout, node)})
    assert "%json" not in str(llguidance(tree, OPTIONS).text)
    assert check(tree, "llguidance", 100).exactness == "exact"


def test_a_schema_with_a_keyword_that_an_engine_passes_over_is_written_out() -> None:
    schema = {"type": "array", "items": {"type": "integer"}, "uniqueItems": True}
    tree = Tree({"start": Json(schema, Layout(), Alt((Lit("[]"), Lit("[1]"))))})
    assert "%json" not in str(llguidance(tree, OPTIONS).text)


def test_a_bound_that_an_engine_reads_amiss_is_written_out() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "number", "maximum": 3.75}}, "required": ["a"]}
    made = polylect.lect("hermes").constraint([{"name": "f", "description": "", "parameters": schema}])
    engine = MATCHERS["llguidance"](made.text)
    call = '<tool_call>\n{"name": "f", "arguments": {"a": %s}}\n</tool_call>'
    assert [engine.accepts(call % number) for number in ("3.7", "3.75", "3.76", "-4.2")] == [True, True, False, True]


@pytest.mark.parametrize("target", ["llguidance", "gbnf", "regex"])
def test_a_schema_that_is_nested_too_deeply_is_refused(target: str) -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(300):
        schema = {"type": "object", "properties": {"a": schema}, "required": ["a"]}
    with pytest.raises(ConstraintError, match="nested too deeply"):
        polylect.lect("hermes").constraint([{"name": "f", "description": "", "parameters": schema}], target=target)


# --- structural tags and schemas --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(trees.MAKERS))
def test_a_structural_tag_is_one_grammar(name: str) -> None:
    printed, grammar = structural_tag(trees.tree(name), OPTIONS), PRINTERS["xgrammar"](trees.tree(name), OPTIONS)
    told = {"type": "structural_tag", "format": {"type": "grammar", "grammar": grammar.text}}
    assert printed == grammar._replace(text=told)


def _call(name: str, schema: dict[str, Any]) -> Node:
    return Seq((Lit(f'{{"name": "{name}", "parameters": '), trees.arguments(schema), Lit("}")))


def test_a_message_that_is_one_json_value_has_a_schema() -> None:
    rules: dict[str, Node] = {"start": Alt(tuple(_call(name, schema) for name, schema in trees.TOOLS.items()))}
    tree = Tree({**rules, **trees.VALUES})
    schema = json_schema(tree, OPTIONS).text
    assert isinstance(schema, dict)
    rng, sampler = random.Random(1), Sampler(tree)
    for _ in range(100):
        jsonschema.validate(json.loads(sampler.sample(rng)), schema)
    for wrong in (
        {"name": "get"},
        {"name": "get", "parameters": {"query": 1}},
        {"name": "x", "parameters": {"query": "q"}},
    ):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, schema)


@pytest.mark.parametrize(("name", "why"), [("react", "free text"), ("hermes", "free text"), ("kimi", "free text")])
def test_other_messages_have_none(name: str, why: str) -> None:
    with pytest.raises(ConstraintError, match=why):
        json_schema(trees.tree(name), OPTIONS)


def test_json_in_a_fence_has_no_schema() -> None:
    tree = Tree({"start": Seq((Lit("```json\n"), trees.arguments(trees.SUM), Lit("\n```"))), **trees.VALUES})
    with pytest.raises(ConstraintError, match="```json"):
        json_schema(tree, OPTIONS)
