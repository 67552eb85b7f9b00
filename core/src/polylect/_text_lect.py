"""Tongues of text: a grammar, a few facts, and hooks for what is peculiar to one of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from ._checks import check_reply, unwritable
from ._errors import LectError, PolylectError
from ._lect import Lect
from ._outputs import says_length
from ._parser import TextParser, check_policies, text_problem, with_hidden_calls
from ._policies import Policies
from ._reading import Arguments, CallReader
from ._render import describe_tools
from ._said import difference, harmful_stop, prefix_text, refuse, without_partial_stop
from ._scratchpad import observation_text, turn_text, turns_of
from ._tools import Tool, Toolbox, ToolLike, Tools, toolbox
from ._values import AgentAction, AgentFinish, AgentStep, Call, Reply
from .grammar import MISSING, Grammar

if TYPE_CHECKING:
    from ._tokens import TokenParser
    from .constraint import Constraint, Notation

Member: TypeAlias = "tuple[Any, str | None]"
"""A member's value, and what is wrong with it."""
KEPT = 64
"""Prefixes, and choices of policies, that a lect remembers."""
ODD = frozenset('{}<>|"\n')
"""Characters that no tool's name has: what is read as such a name is the text of another tongue."""
SHORT = 256
"""Characters of a prefix that is remembered."""


class TextLect(Lect):
    """A tongue of text. A subclass gives a grammar and a ``write``; everything else has a default.

    Attributes:
        grammar_file: the grammar: a path, a package resource, lark source, or a file of ``polylect_grammars``.
        lead: text that stands before every message for the grammar's eyes (a line break, so that a label at the very
            beginning also stands at the start of a line).
        answer_names: names of "calls" that are the final answer, in lower case.
        tolerant_names: whether tool names are freed of brackets, back-ticks and words like "Use".
        separators: what joins reasoning, and content, that starts again after something else.
        completions: markers that a server may have cut off as stop strings, where they are more than ``stops``.
        typed_members: whether :meth:`is_text` and :meth:`read_member` type the values of members; else they are texts.
        names_ids: whether a call's name and its id are one text, which :meth:`name_id` takes apart.
        converts: whether arguments that are text become JSON text once :meth:`read_text` has read them.
        checks_names: whether a call is invalid whose name is none by :meth:`is_name`, where no tools are known.
        strict_calls: whether text within a call that fits nowhere makes it invalid; else it is passed over.
        list_end: the character that ends a list of calls, of which none counts before that; empty where each counts.
        empty_arguments: the arguments' text of a call without any.
        unconstrained: what the formatter may write and no constraint allows, a clause each.
        plain_input: a pattern for raw inputs of at most 4,096 characters that mean themselves; it only saves time.
        observation_prefix, model_prefix: what ``format_steps`` writes around the observations of a turn.
        between: what closes an observation that another one follows.
    """

    grammar_file: ClassVar[str | Path | Traversable] = ""
    typed_members: ClassVar[bool] = False
    names_ids: ClassVar[bool] = False
    converts: ClassVar[bool] = False
    checks_names: ClassVar[bool] = False
    strict_calls: ClassVar[bool] = False
    list_end: ClassVar[str] = ""
    empty_arguments: ClassVar[str] = ""
    unconstrained: ClassVar[tuple[str, ...]] = ()
    lead: ClassVar[str] = ""
    answer_names: frozenset[str] = frozenset()
    tolerant_names: ClassVar[bool] = False
    separators: ClassVar[tuple[str, str]] = ("", "")
    completions: tuple[str, ...] = ()
    plain_input: ClassVar[re.Pattern[str] | None] = None
    observation_prefix: str = "\nObservation: "
    model_prefix: str = "\n"
    between: str = ""

    def __init__(self, replace: Mapping[str, str] | None = None) -> None:
        self.grammar = Grammar(self.grammar_file, replace)
        self._good_prefixes: set[str] = set()
        self._known_turns: dict[Policies, dict[str, tuple[Call, ...]]] = {}
        self._typed: tuple[Toolbox, Policies, dict[str, tuple[Call, ...]]] | None = None

    @property
    def grammar_keys(self) -> dict[str, str]:
        """The roles of the keys in the tongue's call objects, if it has such."""
        return self.grammar.tables.keys

    # --- reading --------------------------------------------------------------------------------------------------

    @cached_property
    def _plain(self) -> CallReader:
        return CallReader(self, None, self.policies)

    @cached_property
    def _known_sink(self) -> tuple[Tools, CallReader]:
        return None, self._plain

    @cached_property
    def _read(self) -> Any:
        return self.grammar.whole.compiled(len(self.lead))

    def _sink(self, tools: Tools, policies: dict[str, Any]) -> CallReader:
        if not policies:
            if tools is None:
                return self._plain
            if tools.__class__ is Toolbox:  # the same ones come with every message
                known, sink = self._known_sink
                if known is not tools:
                    sink = CallReader(self, tools, self.policies)
                    self._known_sink = tools, sink
                return sink
        return CallReader(self, toolbox(tools), self.policies.replace(**policies) if policies else self.policies)

    def parse(
        self,
        text: Any,
        /,
        *,
        tools: Tools = None,
        prefix: str = "",
        finish_reason: str | None = "stop",
        **policies: Any,
    ) -> Reply:
        """Read a whole message; see :meth:`Lect.parse`."""
        if text.__class__ is not str:
            text = text_problem(text)
        lead = self.lead
        cut = finish_reason != "stop" and says_length(finish_reason)
        if tools is None and not policies and not prefix and not cut:  # the hot path
            reply: Reply | None = self._read(lead + text, len(lead), text, self._plain)
            if reply is None:
                reply = self.grammar.read(text, self._plain, lead)
            elif not reply.diagnostics and self.policies.reasoning_calls != "accept":
                return reply
            reply = with_hidden_calls(self, reply, self._plain)
            check_policies(reply, self.policies)
            return reply
        sink = self._sink(tools, policies)
        lead += self._prefix(prefix)
        if cut:
            reply = self.grammar.read(text, sink, lead, length_cut=True)
        else:
            read = self.grammar.whole.parse if prefix else self._read
            found = read(lead + text, len(lead), text, sink)
            reply = self.grammar.read(text, sink, lead) if found is None else found
        reply = with_hidden_calls(self, reply, sink)
        check_policies(reply, sink.policies)
        return reply

    def _prefix(self, prefix: str) -> str:
        """The prefix, if a message may go on behind it."""
        if prefix_text(prefix) and prefix not in self._good_prefixes:
            begun = self.grammar.read(prefix, CallReader(self, None, Policies(truncated="flag")), self.lead)
            if begun.calls or begun.answer:
                raise LectError(
                    f"The prefix {prefix[-40:]!r} begins a call or an answer; a message starts before them."
                )
            if len(self._good_prefixes) < KEPT and len(prefix) <= SHORT:
                self._good_prefixes.add(prefix)
        return prefix

    def read_whole(self, text: str, sink: CallReader) -> Reply:
        """A whole message by the quick reader, or by that of streams where it gives up."""
        found: Reply | None = self._read(self.lead + text, len(self.lead), text, sink)
        return self.grammar.read(text, sink, self.lead) if found is None else found

    def parser(self, *, tools: Tools = None, prefix: str = "", **policies: Any) -> TextParser:
        """A parser for one message that arrives in chunks; see :meth:`Lect.parser`."""
        return TextParser(self, self._sink(tools, policies), self.lead + self._prefix(prefix))

    def token_parser(
        self, special_tokens: Mapping[int, str], *, tools: Tools = None, prefix: str = "", **policies: Any
    ) -> TokenParser:
        """A parser for one message that arrives as tokens, ``(id, text)``.

        Args:
            special_tokens: the texts of the model's special tokens by their ids, as its tokenizer has them.
            tools: as for :meth:`Lect.parse`.
            prefix: as for :meth:`Lect.parse`.
            policies: as for :meth:`Lect.parse`.

        Raises:
            LectError: an unknown policy or choice, or ``special_tokens`` are none.
        """
        from ._tokens import TokenParser

        return TokenParser(self.parser(tools=tools, prefix=prefix, **policies), special_tokens)

    def decide(self, reply: Reply, **policies: Any) -> list[AgentAction] | AgentFinish:
        """What the agent does with a reply; see :meth:`Lect.decide`."""
        decision = super().decide(reply, **policies)
        if isinstance(decision, AgentFinish) and isinstance(decision.return_values["output"], str):
            said = (reply.content or reply.reasoning if reply.answer is None else reply.answer).rstrip()
            kept = without_partial_stop(said, self.completions or self.stops)
            if kept is not said:
                return AgentFinish({"output": kept.strip()}, decision.log)
        return decision

    def transcript(self, text: str, *, tools: Tools = None) -> Reply:
        """Read what :meth:`format_steps` wrote, observations included: ``parts`` says where they are."""
        if text.__class__ is not str:
            text = text_problem(text)
        sink = CallReader(self, toolbox(tools), self.policies)
        sink.cut_observations = False
        return self.grammar.read(text, sink, self.lead)

    # --- constraining -------------------------------------------------------------------------------------------------

    def constraint(self, tools: Tools = None, **options: Any) -> Constraint:
        """What makes an engine hold a model to this tongue; see :meth:`Lect.constraint`."""
        from .constraint._constraint import constraint

        return constraint(self, tools, **options)

    @property
    def read_by(self) -> TextLect:
        """The lect whose grammar reads messages, where this one only writes them."""
        return self

    def argument_notation(self) -> Notation | None:
        """How the arguments of a call are written, where the tables can't tell: a notation of the whole input."""
        return None

    # --- what a subclass may change -------------------------------------------------------------------------------

    def only_tool(self, tools: Toolbox | None) -> str:
        """The tool that every call is of, in a tongue whose calls name none; ``""`` where they do."""
        return ""

    def read_text(self, name: str, raw: str, tool: Tool | None, policies: Policies, open_end: bool) -> Arguments:
        """Arguments that the tongue carries as text. ``open_end``: they ended with the message, not by a marker."""
        return self.unescape(raw), "complete", None

    def name_id(self, raw: str) -> tuple[str, str | None]:
        """The name and the id in a text that is both."""
        return raw, None

    def member_key(self, raw: str) -> str:
        """The key of a member, where the tongue has a notation for some of its characters."""
        return raw

    def is_text(self, key: str, kind: str | None, tool: Tool | None, policies: Policies) -> bool:
        """Whether the value of the member ``key`` is its text, whatever that is; ``kind`` is what the tongue says."""
        return True

    def read_member(self, key: str, kind: str | None, text: str, tool: Tool | None, policies: Policies) -> Member:
        """(the value of the member ``key``, None), or (what there is, what a developer should know of it)."""
        return text, None

    def read_json(self, name: str, value: Any, tool: Tool | None) -> tuple[dict[str, Any] | str | None, str | None]:
        """(arguments, None) from a decoded JSON value, or (what there is, the correction)."""
        if isinstance(value, dict):
            return value, None
        kind = "null" if value is None else type(value).__name__
        return None, f"The arguments of {name!r} must be a JSON object, not {kind}. Send the call again."

    def no_arguments(self, name: str, tool: Tool | None) -> Arguments:
        """A call without any arguments."""
        if tool is not None and not tool.required:
            return {}, "complete", None
        return None, "invalid", f"The call of {name!r} has no arguments. {self.hint}".strip()

    def broken_call(self, name: str) -> str:
        """The correction for a call whose payload can't be followed."""
        what = f"The call of {name!r}" if name else "The call"
        return f"{what} is malformed. {self.hint}".strip()

    def missing_name(self) -> str:
        """The correction for a call that names no tool."""
        return f"The call names no tool. {self.hint}".strip()

    def is_name(self, name: str) -> bool:
        """Whether a tool may have this name, which is no plain identifier; asked where ``checks_names`` is True."""
        return True

    def no_name(self, name: str) -> str:
        """The correction for a call whose name can't be one."""
        return f"The call names no tool: {name[:80]!r} can't be a name. {self.hint}".strip()

    def validate(self, tool: Tool, arguments: Any) -> str | None:
        """The correction for arguments that do not fit the tool's schema, or None."""
        return None

    def repair(self, raw: str) -> Any:
        """A JSON value mended from malformed text, or MISSING."""
        return MISSING

    def write(self, reply: Reply, tools: Toolbox | None = None) -> str:
        """The model's turn as text; ``format`` checks that it reads back as the same reply."""
        raise NotImplementedError

    # --- writing --------------------------------------------------------------------------------------------------

    def _guarded(self, text: str, policies: Policies) -> str:
        """Text from outside, by the policy ``escape``."""
        if policies.escape == "raw":
            return text
        escaped = self.escape(text)
        if policies.escape == "error" and escaped != text:
            raise LectError(f"This text holds markers of {self.name}: {text[:80]!r}.")
        return escaped

    def format(self, reply: Reply, *, tools: Tools = None, **policies: Any) -> str:
        """The model's turn as text that reads back as the same reply; see :meth:`Lect.format`."""
        if policies:
            self.policies.replace(**policies)
        if not isinstance(reply, Reply):
            raise LectError(f"format() takes a Reply, not {type(reply).__name__}.")
        check_reply(reply)
        known = toolbox(tools)
        refuse(self, reply, known)
        try:
            text = self.write(reply, known)
        except PolylectError:
            raise
        except Exception as error:
            told = unwritable(reply) or ("it is nested too deeply" if isinstance(error, RecursionError) else "")
            if not told:
                raise
            raise LectError(f"{self.name} can't express this reply: {told}.") from None
        again = self.parse(text, tools=known)
        if again != reply:
            raise LectError(f"{self.name} can't express this reply: {difference(reply, again)}.")
        stop = harmful_stop(self, text, known, {call.end for call in again.calls[:-1]})
        if stop is not None:
            raise LectError(f"{self.name} can't write {stop!r} inside a turn: the model's server stops there.")
        return text

    def format_steps(self, steps: Sequence[AgentStep], *, tools: Tools = None, **policies: Any) -> str:
        """The scratchpad: each turn's text, its observations (escaped by policy), a cue for the model.

        ``tools`` type the arguments of calls, in tongues where text is typed by schemas, and tell names that are none
        without them; else they are only checked.
        """
        box = toolbox(tools)
        chosen = self.policies.replace(**policies) if policies else self.policies
        turns = self.written_turns(steps, chosen, self.needed_tools(box))
        out = []
        for number, (turn, text) in enumerate(turns, 1):
            out.append(text)
            for step in turn:
                out.append(self.opening(step, first=step is turn[0]))
                out.append(self._guarded(observation_text(step.observation), chosen))
                last = step is turn[-1]
                out.append(self.cue(turns[number][1] if number < len(turns) else None) if last else self.between)
        return "".join(out)

    def written_turns(
        self, steps: Sequence[AgentStep], policies: Policies, tools: Toolbox | None = None
    ) -> list[tuple[list[AgentStep], str]]:
        """The turns that steps came from, each with its text; ``tools`` only where it would read otherwise without.

        Raises:
            LectError: an action can't be written.
        """
        if tools:
            typed = self._typed  # once: another thread may write with other tools
            if typed is None or typed[0] is not tools or typed[1] != policies:
                self._typed = typed = tools, policies, {}
            known = typed[2]
        else:
            known = self._known_turns.setdefault(policies, {}) if len(self._known_turns) < KEPT else {}
        turns = turns_of(steps)
        return [(turn, turn_text(self, [step.action for step in turn], policies, known, tools)) for turn in turns]

    def needed_tools(self, tools: Toolbox | None) -> Toolbox | None:
        """The tools, where what is written reads otherwise without them: types them, or has names that are odd."""
        if not tools or self.typed_members:
            return tools or None
        odd = self.checks_names and not all(name.isidentifier() or self.is_name(name) for name in tools)
        return tools if odd else None

    def opening(self, step: AgentStep, *, first: bool) -> str:
        """What stands before the observation of a step, the first of its turn or another one."""
        return self.observation_prefix

    def cue(self, following: str | None) -> str:
        """What stands behind an observation, before the model's next turn (None: the turn that it shall write)."""
        return self.model_prefix

    def finished(self, log: str) -> str:
        """The action's text, ready for the observation behind it."""
        return log

    def format_tools(self, tools: Iterable[ToolLike]) -> str:
        """One line a tool: its name, its arguments, what it does."""
        return describe_tools(toolbox(tools) or Toolbox())

    @cached_property
    def signs(self) -> tuple[str, ...]:
        """The literal parts of the markers that begin calls and answers; see :attr:`Lect.signs`."""
        from .grammar._signs import signs

        found = signs(self.grammar.tables)
        return () if "" in found else tuple(sorted(found))

    def detect(self, text: str) -> float:
        """How sure it is that ``text`` is in this tongue, by the structure that it shows."""
        reply = self.parse(text, prefix=self.begun(text))
        cut = any(x.code == "truncated" for x in reply.diagnostics)
        if not (reply.calls or reply.answer is not None or cut):
            return 0.3 if reply.reasoning or reply.diagnostics else 0.0
        whole = max(len(text), 1)
        marked = sum(end - start for role, start, end in reply.parts if role != "content")
        skipped = sum(x.end - x.start for x in reply.diagnostics if x.code == "skipped")
        faults = sum(not call.runnable or not ODD.isdisjoint(call.name) for call in reply.calls)
        faults += cut and not reply.calls
        return max(0.6, 0.9 * min(1.0, (marked + 20) / whole)) - 0.3 * skipped / whole - 0.25 * bool(faults)


__all__ = ["TextLect", "difference", "without_partial_stop"]
