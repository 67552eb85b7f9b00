"""Random trees over few characters: what is told of lexemes without looking at every text holds for every text."""

from __future__ import annotations

import functools
import itertools
import random

import pytest

from polylect._errors import ConstraintError
from polylect.constraint._clash import clash
from polylect.constraint._eliminate import seq
from polylect.constraint._extension import extension
from polylect.constraint._head import apart, head
from polylect.constraint._llguidance import llguidance
from polylect.constraint._match import Matcher
from polylect.constraint._printed import Options
from polylect.constraint._ranges import Ranges
from polylect.constraint._sample import Sampler
from polylect.constraint._tree import EMPTY, Alt, Chars, Lit, Node, Ref, Rep, Seq, Text, Tree

from .engines import Guidance

LETTERS = "ab<"
ALL: Ranges = ((0, 0x10FFFF),)
TEXTS = {Text(("<",)): "<", Text(("<b",)): "<b", Text(("<(?=b)",)): "<b", Text(("a<",), heads=("b",)): "a<",
    Text(("ab",), least=1): "ab"}  # fmt: skip
"""Free texts, and what ends them."""
WORDS = ["".join(word) for size in range(6) for word in itertools.product(LETTERS, repeat=size)]


def literal(rng: random.Random) -> Lit:
    return Lit("".join(rng.choices(LETTERS, k=rng.choice((1, 1, 2, 3)))))


def node(rng: random.Random, depth: int, *, texts: float) -> Node:
    """Any node without references; ``texts``: how many free texts come with what ends them, 0 for no texts at all."""
    kind = rng.random()
    if depth == 0 or kind < 0.3:
        return literal(rng) if rng.random() < 0.8 else Chars(((97, 98),))
    if texts and kind < 0.45:
        text = rng.choice(list(TEXTS))
        if rng.random() < texts:
            return Seq((text, Lit(TEXTS[text])))
        return Seq((text, literal(rng))) if rng.random() < 0.8 else text
    parts = tuple(node(rng, depth - 1, texts=texts) for _ in range(rng.choice((2, 2, 3))))
    if kind < 0.7:
        return seq(*parts)
    if kind < 0.85:
        return Alt((*parts, EMPTY) if rng.random() < 0.3 else parts)
    return Rep(parts[0], rng.choice((0, 0, 1, 2)), rng.choice((2, 3, None)))


@functools.lru_cache(maxsize=4096)
def told(one: Node) -> tuple[frozenset[str], frozenset[str]]:
    """The short texts of a node, and what some of its texts begin with."""
    matcher = Matcher(Tree({"one": one}, "one"))
    todo, whole, begun = [("", matcher.start)], [], []
    for word, states in todo:
        begun.append(word)
        if matcher.is_end(states):
            whole.append(word)
        if len(word) < 7:
            todo += [(word + char, after) for char in LETTERS if (after := matcher.step(states, char))]
    return frozenset(whole), frozenset(begun)


@pytest.mark.parametrize("seed", range(8))
def test_what_may_go_on_is_told_by_the_parts(seed: int) -> None:
    rng = random.Random(seed)
    exact = 0
    for _ in range(400):
        one = node(rng, 3, texts=0)
        whole, begun = told(one)
        found = extension(one)
        truly = {char for word in whole for char in LETTERS if word + char in begun}
        assert found is None or truly <= {char for char in LETTERS if _has(found, char)}, one
        exact += found is not None and truly == {char for char in LETTERS if _has(found, char)}
    assert exact > 300


@pytest.mark.parametrize("seed", range(8))
def test_lexemes_clash_that_may_go_on_by_one_another(seed: int) -> None:
    rng = random.Random(seed)
    tried = quiet = 0
    while tried < 400:
        one, other = node(rng, 2, texts=0.3), node(rng, 2, texts=0.3)
        if rng.random() < 0.3:  # what tools have in common
            begun = seq(literal(rng), node(rng, 1, texts=0.3))
            one, other = seq(begun, one), seq(begun, other)
        tried += 1
        whole, begun_by_other = told(one)[0], told(other)[1]
        follows = {char for word in whole for char in LETTERS if word + char in begun_by_other}
        for char in LETTERS:
            if not clash(one, other, ((ord(char), ord(char)),)):
                quiet += 1
                assert char not in follows, (one, other)
        if apart(head(one), head(other)):
            assert not whole & begun_by_other, (one, other)
            assert not told(one)[1] & told(other)[0], (one, other)
    assert quiet > 300


def test_a_text_that_repeats_goes_on_as_another_one() -> None:
    text = Text(("a<",), heads=("b",))
    again = Rep(Seq((text, Lit("a<"))), 0, 3)
    assert [char for char in LETTERS if clash(again, again, ((ord(char), ord(char)),))] == ["a", "<"]


def part(rng: random.Random, later: list[str]) -> Node:
    """A node, or one of these rules."""
    if not later or rng.random() > 0.4:
        return node(rng, 1, texts=1)
    inner: Node = Ref(rng.choice(later))
    return Rep(inner, rng.choice((0, 1)), rng.choice((1, 2, None))) if rng.random() < 0.4 else inner


def grammar(rng: random.Random) -> Tree:
    """A few rules, as tongues have them: literals, free texts up to what ends them, choices, loops."""
    names = ["start", "one", "two", "three"]
    rules: dict[str, Node] = {}
    for at, name in enumerate(names):
        ways = [[part(rng, names[at + 1 :]) for _ in range(rng.choice((1, 2, 3)))] for _ in range(2)]
        rules[name] = Alt(tuple(Seq(tuple(way)) for way in ways))
    return Tree(rules)


@pytest.mark.parametrize("seed", range(8))
def test_a_greedy_lexer_reads_what_the_tree_allows(seed: int) -> None:
    rng = random.Random(seed)
    read = 0
    for _ in range(20):
        tree = grammar(rng)
        try:
            printed = llguidance(tree, Options())
        except ConstraintError:
            continue
        assert isinstance(printed.text, str)
        engine, matcher, sampler = Guidance(printed.text), Matcher(tree), Sampler(tree)
        read += 1
        for word in [*WORDS, *(sampler.sample(rng, 12) for _ in range(60))]:
            assert engine.accepts(word) == matcher.matches(word), (word, tree, printed.text)
    assert read > 8


def _has(ranges: Ranges, char: str) -> bool:
    return any(low <= ord(char) <= high for low, high in ranges)
