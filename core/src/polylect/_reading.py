"""From the pieces that the engine reads to calls: names resolved, arguments decoded, limits kept, faults explained."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, Any

from ._errors import Reason
from ._json import NUMBER_FAULTS, dumps, json_fault
from ._mending import Mender
from ._policies import Policies
from ._tools import Tool, Toolbox, fold
from ._values import Call, Diagnostic, Status
from .grammar._decoder import DECODER
from .grammar._draft import BROKEN, CLOSED, CUT, JSON, MEMBERS, MISSING, NO_ARGUMENTS, OPEN, TEXT
from .grammar._spelling import longer

if TYPE_CHECKING:
    from ._text_lect import TextLect

Arguments = tuple[dict[str, Any] | str | None, Status, str | None]
"""What was read: the arguments, the call's status, and the correction when it can't run.

Of a complete call the third is what a developer should know about its types, or None.
"""

_FILLER = re.compile(r"^(?:use|using|call|run|invoke)\s+(?:the\s+)?|^the\s+|\s+(?:tool|function)\Z|[.:;,]+\Z", re.I)
_CALLED = re.compile(r"^([\w.\-]+)\s*\(.*\)\Z", re.S)
_BRACKETS = re.compile(r"[{\[\]}]|\"[^\"\\]*+(?:\\.[^\"\\]*+)*+\"?", re.S)


NOTHING = frozenset({"", "{}", "none", "null", "n/a", "no input", "()", "[]"})
"""What models write for no arguments, in lower case."""
_PAIRS = frozenset({"[]", "``", '""', "''", "**", "<>"})
_AROUND = " \t\r\n`'\""
LONGEST_NAME = 128
"""Longer names are not compared with the known ones: the comparison takes the product of the lengths."""
ORNATE = 512
"""Names with more characters, ornaments included, are taken as they are."""
MEMBERS_KNOWN = 256
"""Arguments of which a reader remembers whether they are texts."""
DEEPEST = 500
"""Levels of a member's value that can be read and written again, whatever the policy allows."""
PLAIN = 4096
"""The longest input that a lect's ``plain_input`` may match: shorter than any sensible limit on calls."""


class CallReader:
    """The engine's sink for one lect, one set of tools and one choice of policies."""

    __slots__ = (
        "_texts", "answer_names", "any_name", "bare", "converts", "cut_observations", "empty", "keep_cut", "lect",
        "list_end", "live", "max_calls", "max_nesting", "max_size", "mender", "mends", "names_ids", "only", "plain",
        "policies", "read_json", "read_text", "separators", "stops", "strict", "tools", "types",
    )  # fmt: skip

    def __init__(self, lect: TextLect, tools: Toolbox | None, policies: Policies) -> None:
        self.lect, self.tools, self.policies = lect, tools, policies
        self.bare = tools is None
        self.any_name = tools is not None or not lect.checks_names
        self.only = lect.only_tool(tools)
        self.live = policies.arguments == "live"
        self.keep_cut = policies.truncated == "flag"
        self.cut_observations = True
        self.separators = lect.separators
        self.stops = lect.completions or lect.stops
        self.max_calls = policies.max_calls
        self.max_size = policies.max_call_size
        self.answer_names = lect.answer_names
        self.max_nesting = policies.max_nesting
        self.mends = policies.malformed == "repair"
        self.mender = Mender()
        self.read_text, self.read_json = lect.read_text, lect.read_json
        self.names_ids, self.converts, self.empty = lect.names_ids, lect.converts, lect.empty_arguments
        self.types, self.strict, self.list_end = lect.typed_members, lect.strict_calls, lect.list_end
        self._texts: dict[tuple[str, str, str | None], bool] = {}
        simple = lect.plain_input if tools is None and policies.max_call_size >= PLAIN else None
        self.plain = None if simple is None else simple.match

    # --- names ----------------------------------------------------------------------------------------------------

    def name(self, raw: str, start: int, end: int, diagnostics: list[Diagnostic]) -> str:
        """The tool that a model's spelling of a name means."""
        if self.only:
            return self.only
        name = raw.strip()
        tools = self.tools
        if name in tools if tools is not None else name.isidentifier():
            return name
        if self.answer_names and self.is_answer(name):
            return name
        found = resolve_name(name, tools, tolerant=self.lect.tolerant_names)
        if tools and found not in tools and self.policies.unknown_tool == "nearest" and len(found) <= LONGEST_NAME:
            close = difflib.get_close_matches(found, list(tools), n=1, cutoff=0.6)
            found = close[0] if close else found
        if found != name:
            note = f"The tool name {name[:80]!r} was read as {found!r}."
            diagnostics.append(Diagnostic("tool_name", note, max(start, 0), max(end, 0)))
        return found

    def name_id(self, raw: str) -> tuple[str, str | None]:
        """The name and the id in a text that is both."""
        return self.lect.name_id(raw)

    def is_answer(self, name: str) -> bool:
        """Whether this name marks the final answer."""
        return name.casefold() in self.answer_names

    # --- members --------------------------------------------------------------------------------------------------

    def key(self, raw: str) -> str:
        """The key of a member as it is meant."""
        return self.lect.member_key(raw)

    def is_text(self, name: str, key: str, kind: str | None) -> bool:
        """Whether a member's value is its text, whatever that is."""
        known = self._texts.get((name, key, kind))
        if known is None:
            tool = None if self.tools is None else self.tools.get(name)
            known = self.lect.is_text(key, kind, tool, self.policies)
            if len(self._texts) < MEMBERS_KNOWN:
                self._texts[name, key, kind] = known
        return known

    def member(
        self, name: str, key: str, kind: str | None, text: str, start: int, end: int, diagnostics: list[Diagnostic]
    ) -> Any:
        """The value of a member that is no mere text."""
        if nesting_beyond(text, min(self.max_nesting, DEEPEST)):
            note = f"The argument {key!r:.80} is nested too deeply{'' if kind == 'value' else '; it was left a text'}."
            diagnostics.append(Diagnostic("limit", note, max(start, 0), max(end, 0)))
            return MISSING if kind == "value" else text
        tool = None if self.tools is None else self.tools.get(name)
        value, fault = self.lect.read_member(key, kind, text, tool, self.policies)
        if fault is not None:
            diagnostics.append(Diagnostic("types", fault, max(start, 0), max(end, 0)))
        return value

    # --- calls ----------------------------------------------------------------------------------------------------

    def call(
        self,
        name: str,
        form: int,
        raw: Any,
        value: Any,
        call_id: str | None,
        start: int,
        end: int,
        ending: int,
        diagnostics: list[Diagnostic],
    ) -> Call:
        """The finished call, with whatever is wrong with it as its status, its error and a diagnostic."""
        name = name or self.only
        if form == NO_ARGUMENTS and ending < CUT:
            raw = self.empty
        fair = self.any_name or name.isidentifier() or self.lect.is_name(name)
        if self.bare and fair and name and ending < CUT and raw.__class__ is str:  # the hot path
            size = len(raw)
            if form == JSON and ending == CLOSED and value is not MISSING:
                if size <= self.max_size and (size <= self.max_nesting or not nesting_beyond(raw, self.max_nesting)):
                    read, error = self.read_json(name, value, None)
                    if error is None:
                        return Call(name, read, raw, call_id, start, end)
            elif form == TEXT and size <= self.max_size:
                arguments, status, error = self.read_text(name, raw, None, self.policies, ending == OPEN)
                if error is None:
                    return Call(name, arguments, raw, call_id, start, end)
        tool = None if self.tools is None else self.tools.get(name)
        if ending == CUT:
            diagnostics.append(Diagnostic("truncated", "The message ends in the middle of a call.", start, end))
            error = "Your message was cut off in the middle of a call, so the call did not run. Send it again, shorter."
            return Call(name, None, raw, call_id, start, end, "truncated", error)
        arguments, status, error = self._arguments(name, form, raw, value, tool, ending, diagnostics)
        if error is not None and status == "complete":
            diagnostics.append(Diagnostic("types", error, start, end))
            error = None
        if error is None:
            error = self._fault(name, arguments, tool) if fair else self.lect.no_name(name)
            if error is not None:
                status = "invalid"
        if status == "complete":
            if tool is not None and tool.takes_nothing and arguments == {} and not says_nothing(raw):
                note = f"The input of {name!r} was passed over: the tool takes none."
                diagnostics.append(Diagnostic("skipped", note, start, end))
            return Call(name, arguments, raw, call_id, start, end)
        if status == "repaired":
            diagnostics.append(Diagnostic("repaired", f"The arguments of {name!r} were repaired.", start, end))
        else:
            raw = raw if raw.__class__ is str else raw.value
            misnamed = not fair and error == self.lect.no_name(name)
            fault = "missing_name" if misnamed else self._kind_of_fault(name, form, raw, arguments, tool, ending, error)
            diagnostics.append(Diagnostic(fault, error or "", start, end))
        return Call(name, arguments, raw, call_id, start, end, status, error)

    def _arguments(
        self, name: str, form: int, raw: Any, value: Any, tool: Tool | None, ending: int, diagnostics: list[Diagnostic]
    ) -> Arguments:
        lect = self.lect
        if longer(raw, self.max_size):
            return None, "invalid", (
                f"The arguments of {name!r} are longer than {self.max_size} characters. Send less."
            )  # fmt: skip
        if ending == BROKEN:
            return self._broken(name, form, raw)
        if form == NO_ARGUMENTS:
            return lect.no_arguments(name, tool)
        if form == MEMBERS:
            return value, "complete", None
        if form != JSON:
            return lect.read_text(name, raw, tool, self.policies, ending == OPEN)
        status: Status = "complete"
        if nesting_beyond(raw, self.policies.max_nesting):
            return None, "invalid", too_deep(name)
        if value is MISSING:
            value, problem = decode(raw)
            if problem is not None:
                value = self._repaired(raw, diagnostics)
                if value is MISSING:
                    return None, "invalid", malformed(name, problem)
                status = "repaired"
        read, error = lect.read_json(name, value, tool)
        return read, "invalid" if error else status, error

    def _broken(self, name: str, form: int, raw: str) -> Arguments:
        if self.policies.malformed == "repair" and form == JSON and name:
            value, problem = decode(raw)
            if problem is None and isinstance(value, (dict, str)):
                return value, "repaired", None
        error = self.lect.broken_call(name)
        return None, "invalid", error

    def broken(
        self, raw: str, start: int, end: int, diagnostics: list[Diagnostic]
    ) -> tuple[str, str, dict[str, Any]] | None:
        """A malformed call object, mended if the policy says so: its name, its arguments' text, its arguments."""
        value = self._repaired(raw, diagnostics)
        keys = {role: key for key, role in self.lect.grammar_keys.items()}
        if not isinstance(value, dict) or not isinstance(value.get(keys.get("name", "name")), str):
            return None
        arguments = value.get(keys.get("arguments", "arguments"), {})
        if not isinstance(arguments, (dict, str)):
            return None
        diagnostics.append(Diagnostic("repaired", "A malformed call object was repaired.", max(start, 0), max(end, 0)))
        return value[keys["name"]], dumps(arguments), arguments  # type: ignore[return-value]

    def _repaired(self, raw: str, diagnostics: list[Diagnostic]) -> Any:
        if self.policies.malformed != "repair":
            return MISSING
        return self.mender.mend(raw, self.lect.repair, self.max_nesting, diagnostics)

    def _fault(self, name: str, arguments: Any, tool: Tool | None) -> str | None:
        if not name:
            return self.lect.missing_name()
        if tool is None:
            if self.tools is not None and self.policies.unknown_tool == "reject":
                return unknown_tool(name, self.tools)
            return None
        return self.lect.validate(tool, arguments)

    def _kind_of_fault(
        self, name: str, form: int, raw: str, arguments: Any, tool: Tool | None, ending: int, error: str | None
    ) -> Reason:
        if len(raw) > self.max_size or error == too_deep(name):
            return "limit"
        if not name:
            return "malformed_arguments" if raw and arguments is None else "missing_name"
        if form == NO_ARGUMENTS and ending != BROKEN and arguments is None:
            return "missing_arguments"
        text = raw.strip()
        if ending == BROKEN or (arguments is None and (form == JSON or text[:1] == "{") and decode(text)[0] is MISSING):
            return "malformed_arguments"
        if tool is None and self.tools is not None and self.policies.unknown_tool == "reject":
            return "unknown_tool"
        return "invalid_arguments"

    def answer(self, form: int, raw: str, value: Any) -> Any:
        """The final answer inside a call of an answer's name."""
        if form != JSON:
            return raw
        if value is MISSING:
            value, problem = decode(raw)
            if problem is not None:
                return MISSING
        return value


def resolve_name(name: str, tools: Toolbox | None, *, tolerant: bool) -> str:
    """The known tool that ``name`` means: exactly, in another case, in brackets or back-ticks, or as "Use x"."""
    candidates = [name]
    text = name
    tolerant = tolerant and len(name) <= ORNATE
    for _ in range(3 if tolerant else 0):
        inside = _unwrapped(text)
        if inside:
            text = inside
        elif tools is not None:
            text = _FILLER.sub("", text, count=1).strip()
        candidates.append(text)
    if tolerant and (match := _CALLED.match(text)) is not None:
        candidates.append(match[1])
    if tools is None:
        return candidates[-1] or name
    for candidate in candidates:
        if candidate in tools:
            return candidate
        if fold(candidate) in tools.folded:
            return tools.folded[fold(candidate)]
        if fold(candidate) in tools.renamed:
            return tools.renamed[fold(candidate)]
    return name


def _unwrapped(text: str) -> str:
    """What stands inside of a pair of brackets, quotes, back-ticks or asterisks around a name; "" without one."""
    ends = text[:1] + text[-1:]
    if len(text) < 3 or ends not in _PAIRS:
        return ""
    return (text.strip(text[0]) if text[0] in "`*" else text[1:-1]).strip()


def decode(raw: str) -> tuple[Any, str | None]:
    """(the JSON value, None) or (MISSING, what is wrong with it)."""
    try:
        value, end = DECODER.raw_decode(raw, _start(raw))
    except (ValueError, RecursionError) as error:
        return MISSING, json_fault(error)
    rest = raw[end:].strip()
    if rest:
        return MISSING, f"there is something behind it: {rest[:20]!r}"
    return value, None


def _start(raw: str) -> int:
    return len(raw) - len(raw.lstrip(" \t\r\n"))


def malformed(name: str, problem: str) -> str:
    """The correction for arguments that are not JSON."""
    if problem in NUMBER_FAULTS:
        return f"The arguments of {name!r} can't be read: {problem}. Send the call again with a smaller one."
    return f"The arguments of {name!r} are not valid JSON: {problem}. Send the call again with valid JSON."


def too_deep(name: str) -> str:
    """The correction for arguments beyond ``max_nesting``."""
    return f"The arguments of {name!r} are nested too deeply. Send a flatter object."


def unknown_tool(name: str, tools: Toolbox) -> str:
    """The correction for a tool that was not offered."""
    known = ", ".join(tools) or "none"
    return f"There is no tool {name!r}. The tools are: {known}."


def says_nothing(raw: str) -> bool:
    """Whether an input, quoted and fenced as it may be, means no arguments."""
    return len(raw) < PLAIN and raw.strip(_AROUND).removeprefix("json").strip(_AROUND).casefold() in NOTHING


def nesting_beyond(raw: str, limit: int) -> bool:
    """Whether brackets in JSON text nest deeper than ``limit``; linear, and nearly free for text with few brackets."""
    found, at = 0, -1
    for bracket in "{[":  # ``find`` looks at a megabyte in a tenth of the time that ``count`` takes
        while found <= limit and (at := raw.find(bracket, at + 1)) >= 0:
            found += 1
    if found <= limit:
        return False
    depth = 0
    for match in _BRACKETS.finditer(raw):
        char = match[0]
        if char in "{[":
            depth += 1
            if depth > limit:
                return True
        elif char in "}]":
            depth -= 1
    return False
