from __future__ import annotations

import json
import random
import time
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from polylect._errors import ConstraintError
from polylect.constraint._match import Matcher
from polylect.constraint._notations import JsonText
from polylect.constraint._rules import Rules
from polylect.constraint._sample import Sampler
from polylect.constraint._schema import json_node, value
from polylect.constraint._tree import Layout, Tree

from .schemas import Maker, random_value

LAYOUTS = (Layout(), Layout(",", ":"), Layout(",", ": ", "  "), Layout(",", ": ", "    "))


def tree_of(schema: Any, root: Any = None, layout: Layout = LAYOUTS[0]) -> tuple[Tree, Rules]:
    rules = Rules()
    node = json_node(schema, schema if root is None else root, layout, rules, where="tool")
    rules.rules["start"] = node
    return Tree(rules.rules), rules


def written(given: Any, layout: Layout) -> str:
    return json.dumps(given, ensure_ascii=False, indent=layout.indent or None, separators=(layout.item, layout.key))


@pytest.mark.parametrize("first", range(0, 400, 25))
def test_texts_of_random_schemas_are_valid(first: int) -> None:
    for seed in range(first, first + 25):
        _valid(seed)


def _valid(seed: int) -> None:
    rng = random.Random(seed)
    schema = Maker(rng).tool()
    layout = rng.choice(LAYOUTS)
    try:
        tree, rules = tree_of(schema, layout=layout)
    except ConstraintError:
        return
    check = Draft202012Validator(schema)
    sampler = Sampler(tree)
    for _ in range(15):
        text = sampler.sample(rng, 40)
        found = json.loads(text)
        assert not list(check.iter_errors(found)), (schema, text)
    matcher = Matcher(tree)
    for _ in range(15):
        made = random_value(schema, schema, rng)
        if not check.is_valid(made) or "allOf" in str(schema):  # there the members are in no certain order
            continue
        text = written(made, layout)
        if not matcher.matches(text):
            assert rules.reasons, (schema, text)


KNOWN: tuple[tuple[Any, list[str], list[str]], ...] = (
    ({"type": "integer", "minimum": 5, "maximum": 21}, ["5", "9", "10", "21"], ["4", "22", "05", "-5", "5.0", "100"]),
    ({"type": "integer", "exclusiveMinimum": -3, "exclusiveMaximum": 3}, ["-2", "0", "2"], ["-3", "3", "-0"]),
    ({"type": "integer", "multipleOf": 5}, ["0", "5", "-10", "12345"], ["1", "12"]),
    ({"type": "integer", "multipleOf": 7, "minimum": 0, "maximum": 30}, ["0", "7", "28"], ["35", "8"]),
    ({"type": "number", "minimum": 0, "maximum": 1}, ["0", "1", "0.5", "1.0", "0.999999"], ["1.1", "-0.1", "2"]),
    ({"type": "number", "exclusiveMinimum": 0}, ["0.1", "1", "123456.5", "0.000001"], ["0", "0.0", "-1"]),
    ({"type": "number"}, ["0", "-1.5", "1e-07", "1e+22", "0.30000000000000004", "1.5e+300"], ["1e400", "01", "1e309"]),
    ({"type": "string", "minLength": 2, "maxLength": 3}, ['"ab"', '"\\n\\"\\\\"'], ['"a"', '"abcd"']),
    ({"type": "string"}, ['""', '"é\\u0001\x7f"', '"\\/"'], ['"\\u00e9"', '"\n"', '"a" ']),
    ({"type": "string", "pattern": "^a+$", "maxLength": 3}, ['"a"', '"aaa"'], ['"aaaa"', '""', '"b"']),
    ({"type": "string", "pattern": "b"}, ['"abc"', '"b"', '"\\nb"'], ['"ac"']),
    ({"type": "string", "pattern": "^a.b$|^c"}, ['"a\\tb"', '"cxx"'], ['"xa-b"']),
    ({"const": {"a": [1, None]}}, ['{"a": [1, null]}'], ['{"a":[1,null]}']),
    ({"enum": ["a", 1, None], "type": ["string", "null"]}, ['"a"', "null"], ["1"]),
    ({"type": ["integer", "null"]}, ["1", "null"], ["1.5"]),
    ({"type": "object", "properties": {"a": {}, "b": {"type": "null"}}, "additionalProperties": False},
     ["{}", '{"a": [1, {"x": ""}]}', '{"b": null}', '{"a": 1, "b": null}'], ['{"b": null, "a": 1}', '{"c": 1}']),
    ({"type": "object", "properties": {"a": {}}, "minProperties": 1}, ['{"a": 1}'], ["{}"]),
    ({"type": "object", "additionalProperties": {"type": "integer"}}, ["{}", '{"x": 1, "y": 2}'], ['{"x": ""}']),
    ({"type": "array", "items": {"enum": ["a", "b"]}, "uniqueItems": True}, ["[]", '["b"]', '["a", "b"]'],
     ['["a", "a"]']),
    ({"type": "array", "prefixItems": [{"type": "integer"}], "items": False}, ["[]", "[1]"], ["[1, 2]", '["a"]']),
    ({"oneOf": [{"type": "string"}, {"type": "integer"}]}, ['"a"', "1"], ["null"]),
    ({"allOf": [{"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
                {"properties": {"a": {"minimum": 3}, "b": {}}}]}, ['{"a": 3}', '{"a": 4, "b": 1}'], ['{"a": 2}', "{}"]),
)  # fmt: skip


@pytest.mark.parametrize(("schema", "allowed", "refused"), KNOWN)
def test_what_a_schema_allows(schema: Any, allowed: list[str], refused: list[str]) -> None:
    matcher = Matcher(tree_of(schema)[0])
    assert [text for text in allowed if not matcher.matches(text)] == []
    assert [text for text in refused if matcher.matches(text)] == []


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        ({"not": {"type": "string"}}, "'not'"),
        ({"if": {}, "then": {}}, "'if'"),
        ({"type": "array", "uniqueItems": True}, "'uniqueItems'"),
        ({"type": "array", "contains": {}}, "'contains'"),
        ({"type": "object", "patternProperties": {"a": {}}}, "'patternProperties'"),
        ({"type": "object", "propertyNames": {}}, "'propertyNames'"),
        ({"type": "object", "dependentRequired": {}}, "'dependentRequired'"),
        ({"type": "object", "unevaluatedProperties": False}, "'unevaluatedProperties'"),
        ({"type": "number", "multipleOf": 0.1}, "'multipleOf'"),
        ({"type": "integer", "multipleOf": 7}, "'multipleOf'"),
        ({"oneOf": [{"type": "integer"}, {"type": "number"}]}, "'oneOf'"),
        ({"type": "string", "pattern": "(?=a)b"}, "'pattern'"),
        ({"type": "string", "pattern": r"(a)\1"}, "'pattern'"),
        ({"$ref": "#/nowhere"}, "#/nowhere"),
        ({"allOf": [{"pattern": "a", "type": "string"}, {"pattern": "b"}]}, "'pattern'"),
    ],
)
def test_refused_with_its_place(schema: Any, told: str) -> None:
    outer = {"type": "object", "properties": {"a": {"type": "array", "items": schema}}}
    with pytest.raises(ConstraintError) as info:
        tree_of(outer, root=outer)
    assert "tool.a.items" in str(info.value)
    assert told in str(info.value)


def test_optional_members_cost_what_they_are() -> None:
    def size(count: int) -> int:
        schema = {"type": "object", "properties": {f"k{n}": {"type": "object", "properties": {"a": {}, "b": {}}}
                                                   for n in range(count)}}  # fmt: skip
        tree, _ = tree_of(schema)
        return len(repr(tree._replace(rules={key: getattr(x, "node", x) for key, x in tree.rules.items()})))

    assert size(40) < 5 * size(10)


@pytest.mark.parametrize(
    "members",
    [
        {"next": {"$ref": "#/$defs/n"}},
        {"next": {"type": "array", "items": {"$ref": "#/$defs/n"}, "minItems": 1}},
        {"next": {"anyOf": [{"$ref": "#/$defs/n"}, {"enum": []}]}},
    ],
)
def test_what_never_ends_is_refused(members: Any) -> None:
    node = {"type": "object", "properties": members, "required": ["next"]}
    schema = {"type": "object", "properties": {"a": {"$ref": "#/$defs/n"}}, "$defs": {"n": node}}
    with pytest.raises(ConstraintError, match="needs itself"):
        tree_of(schema)


def test_none_of_a_kind() -> None:
    assert value({"type": "string"}, {}, JsonText(), Rules(), where="x", kinds=frozenset({"integer"})) is None


if __name__ == "__main__":
    schema = {
        "type": "object",
        "properties": {
            "query": {"type": "string", "minLength": 1}, "n": {"type": "integer", "minimum": 1, "maximum": 50},
            "units": {"enum": ["metric", "imperial"]}, "tags": {"type": "array", "items": {"type": "string"}},
            "where": {"type": "object", "properties": {"lat": {"type": "number", "minimum": -90, "maximum": 90},
                                                       "lon": {"type": "number"}}, "required": ["lat", "lon"]},
            "mail": {"type": "string", "pattern": "^[^@]+@[^@]+$"},
        },
        "required": ["query"],
    }  # fmt: skip
    for _ in range(3):
        begin = time.perf_counter()
        rules = Rules()
        for number in range(20):
            copy = json.loads(json.dumps(schema))
            json_node(copy, copy, Layout(), rules, where=f"tool{number}")
        print(f"{1e3 * (time.perf_counter() - begin):.1f} ms, {len(rules.rules)} rules")
