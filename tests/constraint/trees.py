"""Trees of the shapes that tongues have, written by hand, with the delimiters of the real grammars."""

from __future__ import annotations

import functools
import json
from typing import Any

import polylect
from polylect.constraint._tree import EMPTY, Alt, Chars, Json, Layout, Lit, Node, Ref, Rep, Seq, Text, Tree

PLAIN = Chars(((0x20, 0x21), (0x23, 0x5B), (0x5D, 0xD7FF), (0xE000, 0x10FFFF)))
HEX = Chars(((48, 57), (97, 102)))
DIGIT, FIRST = Chars(((48, 57),)), Chars(((49, 57),))
ESCAPE = Seq((Lit("\\"), Alt((Chars(((34, 34), (92, 92), (98, 98), (102, 102), (110, 110), (114, 114), (116, 116))),
    Seq((Lit("u00"), Chars(((48, 49),)), HEX))))))  # fmt: skip
INTEGER = Seq((Rep(Lit("-"), 0, 1), Alt((Lit("0"), Seq((FIRST, Rep(DIGIT, 0, 17)))))))
VALUES: dict[str, Node] = {
    "string": Seq((Lit('"'), Ref("string-rest"))),
    "string-rest": Alt((Lit('"'), Seq((PLAIN, Ref("string-rest"))), Seq((ESCAPE, Ref("string-rest"))))),
    "integer": INTEGER,
    "strings": Seq((Lit("["), Alt((EMPTY, Seq((Ref("string"), Ref("strings-rest"))))), Lit("]"))),
    "strings-rest": Alt((EMPTY, Seq((Lit(", "), Ref("string"), Ref("strings-rest"))))),
}
SEARCH: dict[str, Any] = {
    "type": "object", "properties": {"query": {"type": "string"}, "days": {"type": "integer"},
    "tags": {"type": "array", "items": {"type": "string"}}}, "required": ["query"], "additionalProperties": False,
}  # fmt: skip
SUM: dict[str, Any] = {
    "type": "object", "properties": {"a": {"type": "integer"}, "unit": {"enum": ["c", "f"]}}, "required": ["a"],
    "additionalProperties": False,
}  # fmt: skip
TOOLS = {"get": SEARCH, "get_all": SUM}


def value(schema: dict[str, Any]) -> Node:
    """A value in JSON of the default layout."""
    if "enum" in schema:
        return Alt(tuple(Lit(json.dumps(one)) for one in schema["enum"]))
    if schema["type"] == "object":
        parts: list[Node] = [Lit("{")]
        for number, (key, inner) in enumerate(schema["properties"].items()):
            member = Seq((Lit(f'{", " if number else ""}"{key}": '), value(inner)))
            parts.append(member if key in schema["required"] else Rep(member, 0, 1))
        return Seq((*parts, Lit("}")))
    return Ref({"string": "string", "integer": "integer", "array": "strings"}[schema["type"]])


def arguments(schema: dict[str, Any]) -> Json:
    return Json(schema, Layout(), value(schema))


def delimiters(name: str, text: str) -> tuple[str, ...]:
    found: tuple[str, ...] = polylect.lect(name).grammar.tables.texts[text].delimiters  # type: ignore[attr-defined]
    return found


def many(tools: int) -> dict[str, dict[str, Any]]:
    return {f"tool_{number}": SEARCH if number % 2 else SUM for number in range(tools)}


def hermes(tools: dict[str, Any], most: int | None = None) -> Tree:
    content = Text(delimiters("hermes", "CONTENT"), most=most)
    rules: dict[str, Node] = {
        "start": Alt((Seq((content, Lit("\n<tool_call>\n"), Ref("call"))), Seq((content,)),
            Seq((Lit("<tool_call>\n"), Ref("call"))))),
        "call": Seq((Lit('{"name": "'), Ref("body"), Lit("}\n</tool_call>"), Ref("behind"))),
        "behind": Alt((EMPTY, Seq((Lit("\n<tool_call>\n"), Ref("call"))))),
        "body": Alt(tuple(Seq((Lit(f'{name}", "arguments": '), arguments(schema))) for name, schema in tools.items())),
    }  # fmt: skip
    return Tree({**rules, **VALUES})


def react(tools: dict[str, Any], most: int | None = None) -> Tree:
    thought = Text(delimiters("react", "THINKING"), heads=("<think>",), most=most)
    answer = Text(delimiters("react", "TEXT"), least=0, most=most)
    rules: dict[str, Node] = {
        "start": Seq((Lit("Thought: "), Ref("thought"))),
        "thought": Alt((Seq((thought, Lit("\nAction: "), Ref("call"))),
            Seq((thought, Lit("\nFinal Answer: "), Ref("answer"))))),
        "answer": answer,
        "call": Alt(tuple(Seq((Lit(f"{name}\nAction Input: "), arguments(schema), Ref("behind")))
            for name, schema in tools.items())),
        "behind": Alt((EMPTY, Seq((Lit("\nAction: "), Ref("call"))))),
    }  # fmt: skip
    return Tree({**rules, **VALUES})


def json_blob(tools: dict[str, Any], most: int | None = None) -> Tree:
    content = Text(delimiters("json_blob", "CONTENT"), most=most)
    calls = [Seq((Lit(f'{{\n  "action": "{name}",\n  "action_input": '), arguments(schema), Lit("\n}\n```")))
        for name, schema in tools.items()]  # fmt: skip
    text = Json({"type": "string"}, Layout(), Ref("string"))
    final = Seq((Lit('{\n  "action": "Final Answer",\n  "action_input": '), text, Lit("\n}\n```")))
    rules: dict[str, Node] = {
        "start": Alt((Seq((Lit("Thought: "), content, Lit("\nAction:\n```json\n"), Ref("blob"))),
            Seq((Lit("Action:\n```json\n"), Ref("blob"))))),
        "blob": Alt((*calls, final)),
    }  # fmt: skip
    return Tree({**rules, **VALUES})


def _typed(schema: dict[str, Any], text: Text, close: str) -> Node:
    if schema.get("type") == "string":
        return Alt((Seq((text, Lit(close))), Lit(close)))
    if "enum" in schema:
        return Seq((Alt(tuple(Lit(one) for one in schema["enum"])), Lit(close)))
    return Seq((arguments_of(schema), Lit(close)))


def arguments_of(schema: dict[str, Any]) -> Node:
    return Json(schema, Layout(), value(schema))


def _tags(tools: dict[str, Any], text: Text, member: str, close: str) -> dict[str, Node]:
    rules: dict[str, Node] = {}
    for name, schema in tools.items():
        parts: list[Node] = []
        for key, inner in schema["properties"].items():
            rule = f"{name.replace('_', '-')}-{key}"
            rules[rule] = _typed(inner, text, close)
            one = Seq((Lit(member.format(key)), Ref(rule)))
            parts.append(one if key in schema["required"] else Rep(one, 0, 1))
        rules[f"{name.replace('_', '-')}-members"] = Seq(tuple(parts))
    return rules


def qwen(tools: dict[str, Any], most: int | None = None) -> Tree:
    content = Text(delimiters("qwen3_coder_xml", "CONTENT"), most=most)
    inner = Text(delimiters("qwen3_coder_xml", "function_tags__VALUE"), most=most)
    calls = [Seq((Lit(f"<function={name}>\n"), Ref(f"{name.replace('_', '-')}-members"),
        Lit("</function>\n</tool_call>"), Ref("behind"))) for name in tools]  # fmt: skip
    rules: dict[str, Node] = {
        "start": Alt((Seq((content, Lit("\n<tool_call>\n"), Ref("call"))), Seq((content,)),
            Seq((Lit("<tool_call>\n"), Ref("call"))))),
        "call": Alt(tuple(calls)), "behind": Alt((EMPTY, Seq((Lit("\n<tool_call>\n"), Ref("call"))))),
    }  # fmt: skip
    return Tree({**rules, **_tags(tools, inner, "<parameter={}>\n", "\n</parameter>\n"), **VALUES})


def glm(tools: dict[str, Any], most: int | None = None) -> Tree:
    content = Text(delimiters("glm47", "CONTENT"), most=most)
    inner = Text(delimiters("glm47", "arg_pairs__VALUE_TEXT"), most=most)
    calls = [Seq((Lit(f"<tool_call>{name}"), Ref(f"{name.replace('_', '-')}-members"), Lit("</tool_call>"),
        Ref("behind"))) for name in tools]  # fmt: skip
    rules: dict[str, Node] = {
        "start": Alt((Seq((content, Ref("call"))), Seq((content,)), Ref("call"))),
        "call": Alt(tuple(calls)), "behind": Alt((EMPTY, Ref("call"))),
    }  # fmt: skip
    return Tree({**rules, **_tags(tools, inner, "<arg_key>{}</arg_key><arg_value>", "</arg_value>"), **VALUES})


def pythonic(tools: dict[str, Any], most: int | None = None) -> Tree:
    content = Text(delimiters("pythonic", "CONTENT"), most=most)
    calls: list[Node] = []
    for name, schema in tools.items():
        parts: list[Node] = []
        for number, (key, inner) in enumerate(schema["properties"].items()):
            one = Seq((Lit(f"{', ' if number else ''}{key}="), value(inner)))
            parts.append(one if key in schema["required"] else Rep(one, 0, 1))
        calls.append(Seq((Lit(f"{name}("), *parts, Lit(")"))))
    rules: dict[str, Node] = {
        "start": Alt((Seq((content, Lit("["), Ref("calls"))), Seq((content,)), Seq((Lit("["), Ref("calls"))))),
        "calls": Seq((Ref("call"), Alt((Lit("]"), Seq((Lit(", "), Ref("calls"))))))), "call": Alt(tuple(calls)),
    }  # fmt: skip
    return Tree({**rules, **VALUES})


def kimi(tools: dict[str, Any], most: int | None = None) -> Tree:
    content = Text(delimiters("kimi_k2", "CONTENT"), most=most)
    calls = [Seq((Lit(f"<|tool_call_begin|>functions.{name}:"), Rep(DIGIT, 1, 3), Lit("<|tool_call_argument_begin|>"),
        arguments(schema), Lit("<|tool_call_end|>"), Ref("behind"))) for name, schema in tools.items()]  # fmt: skip
    rules: dict[str, Node] = {
        "start": Alt((Seq((content, Lit("<|tool_calls_section_begin|>"), Ref("call"))), Seq((content,)),
            Seq((Lit("<|tool_calls_section_begin|>"), Ref("call"))))),
        "call": Alt(tuple(calls)), "behind": Alt((Lit("<|tool_calls_section_end|>"), Ref("call"))),
    }  # fmt: skip
    return Tree({**rules, **VALUES})


MAKERS = {
    "glm": glm,
    "hermes": hermes,
    "json_blob": json_blob,
    "kimi": kimi,
    "pythonic": pythonic,
    "qwen": qwen,
    "react": react,
}


@functools.cache
def tree(name: str, tools: int = 0, most: int | None = None) -> Tree:
    """The tree of this shape, for two tools or for so many."""
    return MAKERS[name](many(tools) if tools else TOOLS, most)
