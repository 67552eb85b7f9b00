"""A lect from a ``response_template``, the description of a model's turns that transformers keeps with a tokenizer.

Such a template has fields with the markers around them. What of it a lect has a place for becomes a grammar: the
reasoning, the content, and the calls as JSON objects or arrays, as JSON behind a name, as tags, as lines of keys and
values, or as a list of Python calls. Anything else is refused, with the reason.

Source: the page "Response Parsing" of the documentation of transformers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from polylect import Call, GrammarError, LectError, Reply, Toolbox
from polylect.plugin import dumps

from ._native import NativeLect
from ._template_parts import Calls, Named, Part, named, part, quoted, refuse
from .calls._body import PythonCalls
from .json_blocks._body import JsonBlock
from .tags._body import Tags

REASONING = ("thinking", "reasoning", "reasoning_content")
SPACE = r"[ \t\r\n]{0,8}"
_SPEC = {"version", "defaults", "fields", "start_anchor", "start_anchor_pattern"}
_FIELD = {"open", "open_pattern", "close", "close_pattern", "content", "content_args", "repeats", "join", "optional"}
_FIELD |= {"transform", "transform_each"}


class _NamedJson(NativeLect):
    """A call's name between markers, and its arguments as JSON behind it."""

    call_tags: tuple[str, str, str] = ("", "", "")

    def write_call(self, call: Call, tools: Toolbox | None) -> str:
        """The name and the JSON in their markers."""
        return f"{self.call_tags[0]}{call.name}{self.call_tags[1]}{dumps(call.arguments)}{self.call_tags[2]}"


class _TextTags(Tags):
    """Tags whose values are texts, where no schema says more."""

    def untyped(self, text: str) -> Any:
        """The text."""
        return text


def from_response_template(
    spec: Mapping[str, Any] | str | Path,
    *,
    name: str,
    title: str = "",
    models: tuple[str, ...] = (),
    results: tuple[str, str] = ("<tool_response>", "</tool_response>"),
) -> NativeLect:
    """A lect that reads and writes what a ``response_template`` describes; ``polylect.register`` makes it known.

    Args:
        spec: the template, a ``tokenizer_config.json`` that has one, or what that holds.
        name: the lect's name.
        title: a few words for people.
        models: how the names of the models begin that speak it.
        results: what stands around the result of a call; a template does not tell.

    Raises:
        LectError: it is no such template, or it says what a lect has no place for; the message says what.
    """
    fields = _fields(_spec(spec))
    reasoning = next((fields.pop(key) for key in REASONING if key in fields), None)
    content, calls = fields.pop("content", {}), fields.pop("tool_calls", None)
    if fields:
        refuse(f"the field {next(iter(fields))!r}", "a reply has reasoning, content and calls alone")
    if calls is None:
        refuse("the template", "it has no field tool_calls")
    facts: dict[str, Any] = {"name": name, "title": title or name, "models": tuple(models), "special": ()}
    rules, ends = _calls(Calls(calls), facts)
    rules += _results(results, ends, facts)
    rules += _frame(reasoning, content, ends, facts)
    facts["grammar_file"] = "\n".join(rules) + "\n"
    facts["examples"] = ()
    kind: Any = type("".join(x.title() for x in name.split("_")), (facts.pop("base"),), facts)
    try:
        lect: NativeLect = kind()
        _ = lect.grammar.tables  # compiled now, so that what is wrong is told here
        kind.examples = tuple(_examples(lect))
    except GrammarError as error:
        raise LectError(f"The response template can't be made a grammar: {error}") from error
    return lect


def _spec(spec: Any) -> Mapping[str, Any]:
    if isinstance(spec, (str, Path)):
        try:
            spec = json.loads(Path(spec).read_text("utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise LectError(f"The response template {str(spec)!r:.200} can't be read: {error}") from None
    if isinstance(spec, Mapping) and "fields" not in spec and "response_template" in spec:
        spec = spec["response_template"]
    if not isinstance(spec, Mapping) or not isinstance(spec.get("fields"), Mapping):
        raise LectError("A response template is a dict with the key 'fields'.")
    if spec.get("version", 1) != 1:
        refuse(f"the version {spec['version']!r}", "only 1 is known")
    for key in spec.keys() - _SPEC:
        refuse(f"the key {key!r}", "it is not known")
    for key, value in dict(spec.get("defaults") or {}).items():
        if key != "role" and value:
            refuse(f"the default of {key!r}", "a reply says what the model wrote")
    return spec


def _fields(spec: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    for name, field in spec["fields"].items():
        if not isinstance(field, Mapping):
            refuse(f"the field {name!r}", "it is no dict")
        for key in field.keys() - _FIELD:
            refuse(f"the key {key!r} of the field {name!r}", "it is not known")
    return dict(spec["fields"])


def _results(marks: tuple[str, str], ends: list[str], facts: dict[str, Any]) -> list[str]:
    """The rules of results of calls, and how they are written."""
    before, behind = marks
    ends.append("RESULT")
    facts["special"] += (before, behind)
    facts |= {"observation_prefix": f"\n{before}\n", "between": f"\n{behind}", "model_prefix": f"\n{behind}\n"}
    return [
        "observation: RESULT OBSERVED? END_RESULT",
        f"RESULT: /\\n?{quoted(before)}\\n?/",
        f"END_RESULT: /\\n?{quoted(behind)}\\n?/",
        r"OBSERVED: /(?:(?!/ END_RESULT /)[\s\S])+/",
    ]


def _frame(
    reasoning: Mapping[str, Any] | None, content: Mapping[str, Any], ends: list[str], facts: dict[str, Any]
) -> list[str]:
    """The rules around the calls: content, reasoning, the end of the message."""
    pieces, texts, rules = ["calls", "observation"], list(ends), []
    for name, field in (("the reasoning", reasoning), ("the content", content)):
        if field is not None and (field.get("content", "text") != "text" or "transform" in field):
            refuse(f"the content of {name}", "it is text")
    special = list(facts["special"])
    facts["think"] = None
    if reasoning is not None:
        opener, closer = part(reasoning, "open"), part(reasoning, "close")
        if opener is None or closer is None:
            refuse("the reasoning", "it needs a marker before and one behind it")
        rules += [
            "reasoning: THINK THOUGHTS? END_THINK",
            "reasoning_open: THINK THOUGHTS?",
            f"THINK: /\\n{{0,2}}{opener.pattern}\\n?/",
            f"END_THINK: /\\n?{closer.pattern}\\n{{0,2}}/",
            r"THOUGHTS: /(?:(?!/ END_THINK /)[\s\S])+/",
        ]
        pieces += ["reasoning", "reasoning_open calls"]
        texts.append("THINK")
        special += [opener.sample, closer.sample]
        facts["think"] = (f"{opener.sample}\n", f"\n{closer.sample}\n\n")
        facts["thinking"] = r"/(?:(?!/ END_THINK /|/ OPEN /)[\s\S])+/"
    opener, closer = part(content, "open"), part(content, "close")
    last = ""
    if opener is not None:
        rules.append(f"BEGIN: /{opener.pattern}/")
        pieces.append("BEGIN")
        texts.append("BEGIN")
        special.append(opener.sample)
    if closer is not None:
        rules.append(f"END: /{closer.pattern}[ \\n]{{0,4}}/")
        texts.append("END")
        special += closer.samples
        facts["stops"] = tuple(closer.samples)
        last = "" if opener is not None else " END?"
        pieces += [] if opener is None else ["END"]
    facts["special"] = tuple(dict.fromkeys(mark for mark in special if len(mark) > 1))
    facts["joint"] = facts.get("joint", "")
    written = "reasoning? content? calls*" if reasoning is not None else "content? calls*"
    return [
        f"start: content? (piece content?)*{last}",
        f"piece: {' | '.join(pieces)}",
        "content: CONTENT",
        f"written: {written}",
        rf"CONTENT: /(?:(?!/ {' /|/ '.join(texts)} /)[\s\S])+/",
        *rules,
    ]


def _calls(calls: Calls, facts: dict[str, Any]) -> tuple[list[str], list[str]]:
    """The rules of the calls, and the terminals that begin them; the facts that their writing needs."""
    make = {
        "json": _json_calls,
        "xml-inline": _tag_calls,
        "kv-lines": _line_calls,
        "python-call-list": _python_calls,
    }.get(calls.kind)
    if make is None:
        refuse(f"the content {calls.kind!r} of the calls", "it is json, xml-inline, kv-lines or python-call-list")
    return make(calls, facts), ["OPEN"]


def _edges(calls: Calls, facts: dict[str, Any]) -> tuple[Named, Part | None]:
    opener, closer = named(calls.field, calls.captured), part(calls.field, "close")
    facts["special"] = tuple(x for x in (opener.before.sample, *(closer.samples if closer else ())) if x)
    return opener, closer


def _json_calls(calls: Calls, facts: dict[str, Any]) -> list[str]:
    calls.only_args()
    opener, closer = _edges(calls, facts)
    end = [] if closer is None else [f"CLOSE: /{SPACE}{closer.pattern}/"]
    close = "" if closer is None else " CLOSE"
    start = f"OPEN: /\\n{{0,2}}{opener.before.pattern}{SPACE}/"
    around = opener.before.sample, closer.sample if closer else ""
    if calls.captured:
        facts |= {"base": _NamedJson, "call_tags": (around[0], opener.behind.sample, around[1])}
        return [
            "calls: call",
            f"call: OPEN name{' END_NAME' if opener.behind.pattern else ''} arguments{close}",
            "name: NAME",
            "arguments: json_object",
            f"OPEN: /\\n{{0,2}}{opener.before.pattern}/",
            *opener.terminals(SPACE),
            *end,
            "%import .json (json_object)",
        ]
    facts |= {"base": JsonBlock, "keys": calls.keys}
    if calls.each:
        facts |= {"opener": f"{around[0]}[", "closer": f"]{around[1]}", "joint": ", "}
        rules = [f"calls: OPEN LBRACKET _WS? call (_WS? COMMA _WS? call)* _WS? RBRACKET{close}", "call: json_call"]
    else:
        facts |= {"around": around}
        rules = [f"calls: call\ncall: OPEN json_call{close}"]
    pairs = zip(("NAME_KEY", "ARGUMENTS_KEY"), calls.keys, strict=True)
    keys = [f"%override {key}: {dumps(dumps(word))}" for key, word in pairs]
    imported = (
        "json_call, NAME_KEY, ARGUMENTS_KEY, LBRACKET, RBRACKET, COMMA, _WS"
        if calls.each
        else ("json_call, NAME_KEY, ARGUMENTS_KEY")
    )
    return [*rules, start, *end, f"%import .json_call ({imported})", *keys]


def _tag_calls(calls: Calls, facts: dict[str, Any]) -> list[str]:
    opener, closer = _edges(calls, facts)
    calls.only_args("tag_pattern", "value_parser")
    if not calls.captured or closer is None or not opener.behind.pattern:
        refuse("calls of tags", "they need a marker with the name in it, and one that closes them")
    member = named({"open_pattern": calls.args.get("tag_pattern")}, "key", "value")
    facts |= {
        "base": Tags if calls.values_are_json else _TextTags,
        "call_tags": (opener.before.sample, opener.behind.sample, closer.sample),
        "member_tags": (member.before.sample, member.behind.sample, member.after.sample),
    }
    follows = f"(?={SPACE}(?:{member.before.pattern}|{closer.pattern}|\\Z))"
    return [
        "calls: call",
        "call: members END_CALL",
        "members: OPEN name? END_NAME | valued END_VALUE",
        "valued: members MEMBER key? END_KEY value?",
        "name: NAME\nkey: KEY\nvalue: VALUE",
        f"OPEN: /\\n{{0,2}}{opener.before.pattern}/",
        *opener.terminals(""),
        f"MEMBER: /{SPACE}{member.before.pattern}/",
        f"END_KEY: /{member.behind.pattern}/",
        r"KEY: /(?:(?!/ END_KEY /)[\s\S])+/",
        f"END_VALUE: /{member.after.pattern}{follows}/",
        r"VALUE: /(?:(?!/ END_VALUE /)[\s\S])+/",
        f"END_CALL: /{SPACE}{closer.pattern}/",
    ]


def _line_calls(calls: Calls, facts: dict[str, Any]) -> list[str]:
    opener, closer = _edges(calls, facts)
    calls.only_args("line_sep", "kv_sep", "value_parser")
    line, between = (calls.args.get(key, usual) for key, usual in (("line_sep", "\n"), ("kv_sep", ":")))
    if not calls.captured or closer is None or not opener.behind.pattern or not line or not between:
        refuse("calls of lines", "they need a marker with the name in it, one that closes them, and separators")
    facts |= {
        "base": Tags if calls.values_are_json else _TextTags,
        "call_tags": (opener.before.sample, opener.behind.sample, closer.sample),
        "member_tags": ("", f"{between} ", line),
    }
    blanks = r"[ \t]{0,8}"
    return [
        "calls: call",
        "call: members END_CALL | valued END_CALL",
        "members: OPEN name? END_NAME | valued LINE",
        "valued: members key BETWEEN value?",
        "name: NAME\nkey: KEY\nvalue: VALUE",
        f"OPEN: /\\n{{0,2}}{opener.before.pattern}/",
        *opener.terminals(""),
        f"BETWEEN: /{blanks}{quoted(between)}{blanks}/",
        f"LINE: /{blanks}{quoted(line)}{SPACE}/",
        f"END_CALL: /{SPACE}{closer.pattern}/",
        r"KEY: /(?!/ END_CALL /)(?:(?!/ BETWEEN /|/ LINE /|/ END_CALL /)[\s\S])+/",
        r"VALUE: /(?:(?!/ LINE /|/ END_CALL /)[\s\S])+/",
    ]


def _python_calls(calls: Calls, facts: dict[str, Any]) -> list[str]:
    calls.only_args()
    opener, closer = _edges(calls, facts)
    if calls.captured:
        refuse("a name before a list of calls", "the calls name themselves")
    if closer is None:
        refuse("a list of calls", "it needs a marker behind it")
    facts |= {"base": PythonCalls, "opener": f"{opener.before.sample}[", "joint": ", "}
    facts["closer"] = f"]{closer.sample}"
    return [
        "calls: OPEN call_more* call",
        "call_more: name python_arguments NEXT",
        "call: name python_arguments CLOSE",
        "name: NAME",
        f"OPEN: /\\n{{0,2}}{opener.before.pattern}{SPACE}\\[{SPACE}/",
        f"NEXT: /{SPACE},{SPACE}(?=\\w)/",
        f"CLOSE: /{SPACE}(?:,{SPACE})?\\]{SPACE}{closer.pattern}/",
        r"NAME: /[\w.\-]+/",
        "%import .python_arguments (python_arguments)",
    ]


def _examples(lect: NativeLect) -> list[str]:
    calls = Call("get_weather", {"city": "Paris"}), Call("now", {})
    found = [lect.format(Reply(calls=calls[:1])), lect.format(Reply(content="One moment.", calls=calls))]
    if lect.think is not None:
        found.append(lect.format(Reply(reasoning="I look it up.", content="It rains.")))
    return found
