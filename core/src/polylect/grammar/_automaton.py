"""From lark's rules to the automaton: one state is one whole LALR stack.

Outside its payloads a tongue is regular, so the stacks that lark's tables can reach are finite. Reduce chains and
default reductions (a call ends with its closing marker, not with the token after it) become flags on transitions, and
the payload rules, which are recursive, become one terminal each that a scanner reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from .._errors import GrammarError

PAYLOADS = (
    "json_call", "json_object", "json_array", "json_value", "brackets", "python_arguments", "token_object", "elements",
)  # fmt: skip
"""Rules that a scanner reads; a grammar imports them under these names."""
ROLES = ("reasoning", "content", "answer", "observation", "call", "name", "arguments", "id", "key", "kind", "value")
MAX_STATES = 2000
"""A tongue of the profile needs 3 to 60; a grammar that is recursive outside its payloads has no end."""
END = "$END"

Stack = tuple[int, ...]


class Edge(NamedTuple):
    """A transition: the state it leads to, the roles that end before its token, begin with it, and end after it."""

    target: int
    before: tuple[str, ...]
    opens: tuple[str, ...]
    after: tuple[str, ...]
    role: str | None
    """The innermost role that the token stands in."""


class Automaton(NamedTuple):
    """``rows[state][terminal]``; payload terminals are named ``@json_call`` and so on. State 0 is ``starts[0]``."""

    rows: list[dict[str, Edge]]
    starts: dict[str, int]


def base_name(name: str) -> str:
    """A rule's name as its own file spells it (lark mangles imported names to ``file__name``)."""
    return name.rsplit("__", 1)[-1].lstrip("_") if "__" in name else name


def role_name(rule: str) -> str | None:
    """The role of a rule: its name, or what stands before an underscore in it (``reasoning_block``)."""
    if rule.startswith("_"):  # made by lark for a repetition
        return None
    name = base_name(rule)
    return name if name in ROLES else next((role for role in ROLES if name.startswith(f"{role}_")), None)


def build(rules: Sequence[Any], starts: Iterable[str], where: Callable[[str], str]) -> Automaton:
    """The minimal automaton of lark's compiled ``rules``; ``where`` tells the place of a rule for messages.

    Raises:
        GrammarError: the rules have a conflict, are recursive outside payloads, or leave a role in doubt.
    """
    from lark.common import ParserConf
    from lark.exceptions import GrammarError as LarkGrammarError
    from lark.parsers.lalr_analysis import LALR_Analyzer

    names = list(starts)
    stubbed = _stub(rules, names)
    analyzer: Any = LALR_Analyzer(ParserConf(stubbed, {}, names), strict=True)
    try:
        analyzer.compute_lalr()
    except LarkGrammarError as error:
        raise GrammarError(f"{where('start')}: {error}. Change the rules so that one token decides.") from error
    return _Explorer(analyzer, stubbed, names, where).automaton()


def _stub(rules: Sequence[Any], starts: list[str]) -> list[Any]:
    """The rules with each payload rule replaced by a terminal ``@name``, less those that cannot be reached."""
    from lark.grammar import Rule, Terminal

    out: dict[tuple[str, tuple[str, ...]], Any] = {}
    todo, seen = list(starts), set(starts)
    by_origin: dict[str, list[Any]] = {}
    for rule in rules:
        by_origin.setdefault(str(rule.origin.name), []).append(rule)
    while todo:
        origin = todo.pop()
        for rule in by_origin.get(origin, ()):
            expansion = []
            for symbol in rule.expansion:
                name = str(symbol.name)
                if symbol.is_term:
                    expansion.append(symbol)
                elif base_name(name) in PAYLOADS:
                    expansion.append(Terminal("@" + base_name(name)))
                else:
                    expansion.append(symbol)
                    if name not in seen:
                        seen.add(name)
                        todo.append(name)
            key = origin, tuple(str(s.name) for s in expansion)
            out.setdefault(key, Rule(rule.origin, expansion, rule.order, rule.alias, rule.options))
    return list(out.values())


class _Explorer:
    """Breadth-first over the stacks that can be reached."""

    def __init__(self, analyzer: Any, rules: list[Any], starts: list[str], where: Callable[[str], str]) -> None:
        from lark.parsers.lalr_analysis import Shift

        table = analyzer.parse_table
        self.where = where
        self.starts = {name: table.start_states[name] for name in starts}
        self.ends = {name: table.end_states[name] for name in starts}
        self.actions: dict[int, dict[str, tuple[Any, ...]]] = {}
        for state, row in table.states.items():
            self.actions[state] = {
                str(name): ("shift", arg) if act is Shift else ("reduce", str(arg.origin.name), len(arg.expansion))
                for name, (act, arg) in row.items()
            }
        self.terminals = {str(s.name) for rule in rules for s in rule.expansion if s.is_term}
        self.begins = _left_corners(rules)
        self.nesting = _nesting(rules)
        roles = {str(rule.origin.name): role_name(str(rule.origin.name)) for rule in rules}
        self.role_of = {name: role for name, role in roles.items() if role is not None}

    def automaton(self) -> Automaton:
        bases = self._bases()
        rows: list[dict[str, Edge]] = []
        ids: dict[tuple[str, Stack, tuple[tuple[str, int], ...]], int] = {}
        todo: list[tuple[str, Stack, tuple[tuple[str, int], ...]]] = []
        for start, state in self.starts.items():
            ids[start, (state,), ()] = len(ids)
            todo.append((start, (state,), ()))
        firsts = dict(zip(self.starts, range(len(ids)), strict=True))
        for start, stack, opened in todo:
            row: dict[str, Edge] = {}
            for terminal in sorted(self.terminals | {END}):
                found = self._step(start, stack, opened, terminal, bases)
                if found is None:
                    continue
                next_stack, next_opened, edge = found
                if terminal == END:
                    row[END] = edge._replace(target=-1)
                    continue
                key = start, next_stack, next_opened
                if key not in ids:
                    ids[key] = len(ids)
                    todo.append(key)
                    if len(ids) > MAX_STATES:
                        raise self._endless()
                row[terminal] = edge._replace(target=ids[key])
            rows.append(row)
        return _minimise(Automaton(rows, firsts))

    def _endless(self) -> GrammarError:
        if self.nesting is None:
            return GrammarError(f"{self.where('start')}: the rules make over {MAX_STATES} states; use fewer rules.")
        return GrammarError(
            f"{self.where(self.nesting)}: the rule {self.nesting!r} is recursive outside the payload rules "
            f"({', '.join(PAYLOADS)}), so no finite automaton reads it. Use repetition (*, +) or a payload."
        )

    def _bases(self) -> dict[str, set[Stack]]:
        """For each role, the stacks on which a rule of that role begins: where its reductions return to."""
        bases: dict[str, set[Stack]] = {role: set() for role in ROLES}
        seen: set[tuple[str, Stack]] = {(start, (state,)) for start, state in self.starts.items()}
        todo = list(seen)
        while todo:
            start, stack = todo.pop()
            for terminal in self.terminals | {END}:
                reductions: list[tuple[str, Stack]] = []
                after = self._shift(start, stack, terminal, reductions)
                if after is None:
                    continue
                for rule, base in reductions:
                    if rule in self.role_of:
                        bases[self.role_of[rule]].add(base)
                if terminal != END and (start, after) not in seen:
                    seen.add((start, after))
                    todo.append((start, after))
                    if len(seen) > MAX_STATES:
                        raise self._endless()
        return bases

    def _shift(self, start: str, stack: Stack, terminal: str, out: list[tuple[str, Stack]]) -> Stack | None:
        """The stack after ``terminal`` and the default reductions behind it; reductions are added to ``out``."""
        before = self._reduce_for(start, stack, terminal, out)
        if before is None or terminal == END:
            return before
        return self._settle(start, (*before, self.actions[before[-1]][terminal][1]), out)

    def _reduce_for(self, start: str, stack: Stack, terminal: str, out: list[tuple[str, Stack]]) -> Stack | None:
        while not (terminal == END and stack[-1] == self.ends[start]):
            action = self.actions[stack[-1]].get(terminal)
            if action is None:
                return None
            if action[0] == "shift":
                return stack
            stack = self._reduce(stack, action, out)
        return stack

    def _reduce(self, stack: Stack, action: tuple[Any, ...], out: list[tuple[str, Stack]]) -> Stack:
        _, rule, size = action
        base = stack[: len(stack) - size]
        out.append((rule, base))
        return (*base, self.actions[base[-1]][rule][1])

    def _settle(self, start: str, stack: Stack, out: list[tuple[str, Stack]]) -> Stack:
        """Reduce while the top state can do nothing else."""
        while stack[-1] != self.ends[start]:
            row = self.actions[stack[-1]]
            actions = {row[name] for name in row if name in self.terminals or name == END}
            if len(actions) != 1:
                break
            action = next(iter(actions))
            if action[0] != "reduce" or action[1] in self.starts:
                break
            stack = self._reduce(stack, action, out)
        return stack

    def _step(
        self, start: str, stack: Stack, opened: tuple[tuple[str, int], ...], terminal: str, bases: dict[str, set[Stack]]
    ) -> tuple[Stack, tuple[tuple[str, int], ...], Edge] | None:
        reductions: list[tuple[str, Stack]] = []
        shifted = self._reduce_for(start, stack, terminal, reductions)
        if shifted is None:
            return None
        before, opened = self._close(opened, reductions)
        self._check_opened(opened, shifted, 0)
        if terminal == END:
            return shifted, opened, Edge(-1, before, (), (), None)
        opens = [role for role in ROLES if shifted in bases[role] and terminal in self._firsts(role)]
        together = tuple(opens)  # a list that is being sorted looks empty
        opens.sort(key=lambda role: (sum(self._holds(role, other) for other in together), role), reverse=True)
        opened += tuple((role, len(shifted)) for role in opens)
        role = opened[-1][0] if opened else None
        reductions = []
        after = self._settle(start, (*shifted, self.actions[shifted[-1]][terminal][1]), reductions)
        closed, opened = self._close(opened, reductions)
        self._check_opened(opened, after, 1)
        return after, opened, Edge(-1, before, tuple(opens), closed, role)

    def _check_opened(self, opened: tuple[tuple[str, int], ...], stack: Stack, least: int) -> None:
        """Raise for a role that was opened and turned out to be none: the stack has gone below where it began."""
        if opened and len(stack) < opened[-1][1] + least:
            raise self._untold(next(rule for rule, name in self.role_of.items() if name == opened[-1][0]))

    def _untold(self, rule: str) -> GrammarError:
        return GrammarError(
            f"{self.where(rule)}: whether {rule!r} has begun cannot be told from its first token. "
            "Give it a marker of its own."
        )

    def _firsts(self, role: str) -> set[str]:
        return {x for rule, name in self.role_of.items() if name == role for x in self.begins[rule]}

    def _holds(self, outer: str, inner: str) -> bool:
        """Whether a rule of role ``outer`` can begin with one of role ``inner``."""
        rules = [rule for rule, name in self.role_of.items() if name == outer]
        return outer != inner and any(inner == self.role_of.get(x) for rule in rules for x in self.begins[rule])

    def _close(
        self, opened: tuple[tuple[str, int], ...], reductions: list[tuple[str, Stack]]
    ) -> tuple[tuple[str, ...], tuple[tuple[str, int], ...]]:
        closed = []
        for rule, base in reductions:
            if rule in self.role_of:
                if not opened or opened[-1] != (self.role_of[rule], len(base)):
                    raise self._untold(rule)
                closed.append(opened[-1][0])
                opened = opened[:-1]
        return tuple(closed), opened


def _nesting(rules: list[Any]) -> str | None:
    """A rule that can hold itself with something before it, so that the stack grows; None if there is none."""
    inner: dict[str, set[str]] = {}
    for rule in rules:
        inner.setdefault(str(rule.origin.name), set()).update(str(s.name) for s in rule.expansion if not s.is_term)
    for _ in inner:
        for names in inner.values():
            names.update(*(inner.get(name, ()) for name in tuple(names)))
    found = [
        str(rule.origin.name)
        for rule in rules
        for symbol in rule.expansion[1:]
        if not symbol.is_term and str(rule.origin.name) in inner.get(str(symbol.name), ())
    ]
    return min(found, key=lambda name: name.startswith("__"), default=None)


def _left_corners(rules: list[Any]) -> dict[str, set[str]]:
    """For each rule name, every symbol (rule or terminal) that it can begin with."""
    nullable: set[str] = set()
    begins: dict[str, set[str]] = {str(rule.origin.name): set() for rule in rules}
    changed = True
    while changed:
        changed = False
        for rule in rules:
            origin, known = str(rule.origin.name), len(begins[str(rule.origin.name)])
            for symbol in rule.expansion:
                name = str(symbol.name)
                begins[origin].add(name)
                if symbol.is_term:
                    break
                begins[origin] |= begins.get(name, set())
                if name not in nullable:
                    break
            else:
                changed = changed or origin not in nullable
                nullable.add(origin)
            changed = changed or len(begins[origin]) != known
    return begins


def _minimise(machine: Automaton) -> Automaton:
    """Merge states that no continuation can tell apart (partition refinement)."""
    rows = machine.rows
    block = [0] * len(rows)
    while True:
        signatures: dict[Any, int] = {}
        refined = []
        for state, row in enumerate(rows):
            signature = (
                block[state],
                tuple(
                    (name, edge._replace(target=-1 if edge.target < 0 else block[edge.target]))
                    for name, edge in sorted(row.items())
                ),
            )
            refined.append(signatures.setdefault(signature, len(signatures)))
        if len(signatures) == len(set(block)):
            break
        block = refined
    order: dict[int, int] = {}
    todo = [block[state] for state in machine.starts.values()]
    chosen = {block[state]: state for state in reversed(range(len(rows)))}
    while todo:
        one = todo.pop(0)
        if one not in order:
            order[one] = len(order)
            todo.extend(block[e.target] for e in rows[chosen[one]].values() if e.target >= 0)
    merged = [
        {n: e._replace(target=-1 if e.target < 0 else order[block[e.target]]) for n, e in rows[chosen[one]].items()}
        for one in order
    ]
    return Automaton(merged, {name: order[block[state]] for name, state in machine.starts.items()})
