"""The automaton: small, with no state too many, with the right roles, and ends that do not wait for what follows."""

from __future__ import annotations

from itertools import combinations

import pytest

from polylect import CallEnd, CallStart, TextLect
from polylect.grammar import _tables as t
from polylect.grammar import lint
from polylect.grammar._automaton import END
from polylect.grammar._tables import Move, Tables

from .tongues import BLOCK, CHANNELS, NAMED, PAIRS, PARAMETERS, REACT, TONGUES, Tongue


def reachable(tables: Tables, start: str) -> list[int]:
    order = [tables.starts[start]]
    for number in order:
        order += [m.target for m in tables.states[number] if m.target >= 0 and m.target not in order]
    return list(dict.fromkeys(order))


def after(tables: Tables, *terminals: str) -> dict[str, Move]:
    """The moves of the state behind these tokens."""
    state = tables.starts["start"]
    for terminal in terminals:
        state = next(move.target for move in tables.states[state] if move.terminal == terminal)
    return {move.terminal: move for move in tables.states[state]}


@pytest.mark.parametrize("tongue", TONGUES, ids=str)
def test_a_tongue_needs_few_states(tongue: Tongue) -> None:
    assert len(reachable(tongue.grammar.tables, "start")) <= 30
    assert len(reachable(tongue.grammar.tables, "written")) <= 16


def test_the_states_of_a_simple_tongue() -> None:
    assert len(reachable(BLOCK.grammar.tables, "start")) <= 8
    assert len(reachable(PARAMETERS.grammar.tables, "start")) <= 11


@pytest.mark.parametrize("tongue", TONGUES, ids=str)
def test_no_two_states_do_the_same(tongue: Tongue) -> None:
    rows = tongue.grammar.tables.states
    moves = [{m.terminal: (m.flags, m.role) for m in row} for row in rows]
    targets = [{m.terminal: m.target for m in row if m.target >= 0} for row in rows]
    apart = {pair for pair in combinations(range(len(rows)), 2) if moves[pair[0]] != moves[pair[1]]}
    grown = True
    while grown:
        more = {
            (one, other)
            for one, other in combinations(range(len(rows)), 2)
            if (one, other) not in apart
            and any(tuple(sorted((targets[one][x], targets[other][x]))) in apart for x in targets[one])
        }
        apart |= more
        grown = bool(more)
    assert len(apart) == len(rows) * (len(rows) - 1) // 2


@pytest.mark.parametrize("tongue", TONGUES, ids=str)
def test_every_state_can_be_reached_and_left(tongue: Tongue) -> None:
    tables = tongue.grammar.tables
    assert {*reachable(tables, "start"), *reachable(tables, "written")} == set(range(len(tables.states)))
    assert all(tables.states)
    for row in tables.states:
        for move in row:
            known = move.terminal in tables.markers or move.terminal in tables.texts
            assert known or move.terminal == END or move.terminal[0] == "@"
            assert (move.target == -1) == (move.terminal == END)


def test_terminals_stand_in_the_order_of_lark() -> None:
    tables = REACT.grammar.tables
    for row in tables.states:
        kinds = [m.terminal in tables.texts for m in row]
        assert kinds == sorted(kinds, reverse=True)
        assert [m.terminal for m in row][-1] == END or END not in [m.terminal for m in row]


def test_one_text_has_the_role_of_its_place() -> None:
    tables = REACT.grammar.tables
    assert after(tables, "FINAL")["TEXT"].role == t.ANSWER
    assert after(tables, "OBSERVATION")["THINKING"].role == t.OBSERVATION
    assert after(tables, "ACTION", "NAME", "INPUT")["TEXT"].role == t.ARGUMENTS
    assert after(tables, "ACTION")["NAME"].role == t.NAME
    assert after(tables)["LOOSE"].role == t.CONTENT
    assert after(tables, "THOUGHT")["THINKING"].role == t.REASONING


def test_roles_of_keys_values_and_ids() -> None:
    pairs, named = PAIRS.grammar.tables, NAMED.grammar.tables
    opened = ("OPEN", "NAME", "KEY")
    assert after(pairs, *opened)["KEYWORD"].role == t.KEY
    assert after(pairs, *opened, "KEYWORD", "END_KEY", "VALUE")["TEXT"].role == t.VALUE
    assert after(named, "CALL", "NAME", "CALL_ID")["ID"].role == t.ID
    assert after(named, "CALL", "NAME", "ARGS")["@json_object"].role == t.ARGUMENTS


def test_where_calls_begin_and_end() -> None:
    block, named, react = BLOCK.grammar.tables, NAMED.grammar.tables, REACT.grammar.tables
    assert after(block)["OPEN"].flags == t.CALL_BEGIN
    assert after(block, "OPEN", "@json_call")["CLOSE"].flags == t.CALL_END
    assert after(named, "CALL", "NAME", "ARGS")["@json_object"].flags & t.CALL_END
    # an action may go on with an input, so it ends before whatever else comes
    assert after(react, "ACTION", "NAME")["ACTION"].flags == t.CALL_BEGIN | t.CALL_END_BEFORE
    assert after(react, "ACTION", "NAME")[END].flags == t.CALL_END_BEFORE


@pytest.mark.parametrize(
    ("tongue", "until", "name"),
    [
        (BLOCK, '<tool_call>{"name": "a", "arguments": {}}</tool_call>', "a"),
        (NAMED, '[CALL]a[ARGS]{"k": [1]}', "a"),
        (PAIRS, "<call>a<key>k</key><value>v</value></call>", "a"),
        (PARAMETERS, "<tool_call><function=a></function></tool_call>", "a"),
        (CHANNELS, "<|channel|>commentary to=functions.a<|message|>x<|call|>", "a"),
    ],
    ids=str,
)
def test_a_call_ends_with_its_last_token_and_not_with_the_next(tongue: Tongue, until: str, name: str) -> None:
    parser = tongue.lect.parser()
    events = [event for char in until[:-1] for event in parser.feed(char)]
    assert not any(isinstance(event, CallEnd) for event in events)
    assert any(isinstance(event, CallStart) and event.name == name for event in events)
    (end,) = (event for event in parser.feed(until[-1]) if isinstance(event, CallEnd))
    assert (end.call.start, end.call.end) == (0, len(until))


def test_the_name_is_told_as_soon_as_it_is_known() -> None:
    parser = BLOCK.lect.parser()
    assert parser.feed('<tool_call>{"name": "search') == []
    (start,) = parser.feed('"')
    assert isinstance(start, CallStart)
    assert start.name == "search"


def test_left_recursion_is_repetition() -> None:
    source = 'start: list\nlist: list A B | A B\nwritten: list\nA: "a"\nB: "b"\n'
    lect: TextLect = type("Plain", (TextLect,), {"grammar_file": source, "name": "plain"})()
    assert lect.parse("abab" * 50).diagnostics == ()
    assert lint(source) == []
