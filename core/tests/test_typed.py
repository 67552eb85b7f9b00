"""Text typed by schemas: every form of a schema, exact numbers, and what fits nothing."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from polylect.plugin import MISSING, entries, fitted, kinds, member, takes_only_text, typed

TEXT = {"type": "string"}
WHOLE = {"type": "integer"}
ROOT: dict[str, Any] = {
    "$defs": {
        "Word": TEXT,
        "Count": WHOLE,
        "Mode": {"enum": ["fast", "slow"]},
        "Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}, "size": {"$ref": "#/$defs/Count"}}},
        "Loop": {"anyOf": [{"$ref": "#/$defs/Loop"}, {"$ref": "#/$defs/Loop"}]},
    }
}


@pytest.mark.parametrize(
    ("schema", "text", "value"),
    [
        (TEXT, "02134", "02134"),
        (TEXT, "true", "true"),
        (TEXT, "5.0", "5.0"),
        (TEXT, "null", "null"),
        (TEXT, '{"a": 1}', '{"a": 1}'),
        (TEXT, " a\n", " a\n"),
        (WHOLE, "5", 5),
        (WHOLE, " 5\n", 5),
        (WHOLE, "5.0", 5),
        (WHOLE, "1e20", 10**20),
        (WHOLE, "1.5e1", 15),
        (WHOLE, "123456789012345678901234567890", 123456789012345678901234567890),
        (WHOLE, "-0.0", 0),
        (WHOLE, "5.5", MISSING),
        (WHOLE, "1e400", MISSING),
        (WHOLE, "1e-99999999999999999999", MISSING),
        (WHOLE, "9" * 5000, MISSING),
        (WHOLE, "007", MISSING),
        (WHOLE, "five", MISSING),
        (WHOLE, "true", MISSING),
        (WHOLE, "", MISSING),
        ({"type": "number"}, "5", 5),
        ({"type": "number"}, "5.25", 5.25),
        ({"type": "number"}, "9007199254740993", 9007199254740993),
        ({"type": "number"}, "NaN", MISSING),
        ({"type": "number"}, "1e999", MISSING),
        ({"type": "boolean"}, "true", True),
        ({"type": "boolean"}, "False", False),
        ({"type": "boolean"}, "yes", MISSING),
        ({"type": "boolean"}, "1", MISSING),
        ({"type": "null"}, "null", None),
        ({"type": "null"}, "None", None),
        ({"type": "array"}, "[1, true]", [1, True]),
        ({"type": "array"}, '["a\nb"]', ["a\nb"]),
        ({"type": "array"}, '{"a": 1}', MISSING),
        ({"type": "object"}, '{"a": [1]}', {"a": [1]}),
        ({"type": "object"}, '{"a": [1]', MISSING),
        ({"type": "object"}, '{"a": ' * 100_000, MISSING),
        ({"properties": {"a": TEXT}}, '{"a": "b"}', {"a": "b"}),
        ({"items": TEXT}, '["b"]', ["b"]),
        ({"type": ["string", "null"]}, "null", None),
        ({"type": ["string", "null"]}, "None", "None"),
        ({"type": ["string", "null"]}, "nul", "nul"),
        ({"type": ["null", "integer"]}, "null", None),
        ({"type": "integer", "nullable": True}, "null", None),
        ({"type": "string", "nullable": True}, "7", "7"),
        ({"type": ["string", "integer"]}, "7", 7),
        ({"type": ["string", "integer"]}, "x", "x"),
        ({"anyOf": [WHOLE, {"type": "null"}]}, "5", 5),
        ({"anyOf": [{"$ref": "#/$defs/Count"}, {"type": "array"}]}, "[5]", [5]),
        ({"oneOf": [{"type": "boolean"}, TEXT]}, "true", True),
        ({"oneOf": [{"type": "boolean"}, TEXT]}, "truth", "truth"),
        ({"allOf": [{"type": ["string", "integer"]}, {"type": ["integer", "null"]}]}, "5", 5),
        ({"allOf": [{"type": ["string", "integer"]}, {"type": ["integer", "null"]}]}, "x", MISSING),
        ({"allOf": [{"description": "a"}, WHOLE]}, "5", 5),
        ({"allOf": [{"type": "number"}, WHOLE]}, "5.5", MISSING),
        ({"$ref": "#/$defs/Word"}, "5", "5"),
        ({"$ref": "#/$defs/Count"}, "5", 5),
        ({"$ref": "#/$defs/Mode"}, "fast", "fast"),
        ({"$ref": "#/$defs/Mode"}, "other", "other"),
        ({"$ref": "#/$defs/Node"}, '{"next": {}}', {"next": {}}),
        ({"$ref": "#/$defs/Loop"}, "5", MISSING),
        ({"$ref": "#/$defs/Nowhere"}, "5", MISSING),
        ({"const": "5"}, "5", "5"),
        ({"const": 5}, "5", 5),
        ({"const": True}, "True", True),
        ({"const": None}, "null", None),
        ({"enum": ["1", "2"]}, "1", "1"),
        ({"enum": [1, 2]}, "2", 2),
        ({"enum": [1, 2]}, "3", 3),
        ({"enum": [1, 2]}, "x", MISSING),
        ({"enum": [1, True, "a", None, [2]]}, "true", True),
        ({"enum": [1, True, "a", None, [2]]}, "1", 1),
        ({"enum": [1, True, "a", None, [2]]}, "[2]", [2]),
        ({"enum": ["a", None]}, "null", None),
        ({"type": "integer", "enum": [1, "x"]}, "x", MISSING),
        ({"type": "string", "enum": ["true", "false"]}, "true", "true"),
        ({"anyOf": [{"enum": ["auto"]}, WHOLE]}, "auto", "auto"),
        ({"anyOf": [{"enum": ["auto"]}, WHOLE]}, "5", 5),
        ({}, "5", MISSING),
        (True, "5", MISSING),
        (None, "5", MISSING),
        ({"anyOf": [WHOLE, {}]}, "5", MISSING),
        ({"type": "frob"}, "5", MISSING),
    ],
)
def test_a_text_by_a_schema(schema: Any, text: str, value: Any) -> None:
    found = fitted(text, schema, ROOT)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("schema", "wanted"),
    [
        (TEXT, True),
        ({"$ref": "#/$defs/Word"}, True),
        ({"$ref": "#/$defs/Mode"}, True),
        ({"const": "a"}, True),
        ({"anyOf": [TEXT, {"enum": ["a"]}]}, True),
        ({"allOf": [TEXT, {"minLength": 1}]}, True),
        ({"allOf": [{"type": ["string", "null"]}, TEXT]}, True),
        ({"enum": ["a", 1]}, False),
        ({"type": ["string", "null"]}, False),
        ({"type": "string", "nullable": True}, False),
        ({"anyOf": [TEXT, {}]}, False),
        ({}, False),
        (None, False),
    ],
)
def test_only_text(schema: Any, wanted: bool) -> None:
    assert takes_only_text(schema, ROOT) is wanted


def test_types_are_told() -> None:
    assert kinds({"type": ["number", "null"]}, ROOT) == {"number", "null"}
    assert kinds({"enum": ["a", 1]}, ROOT) == {"string", "integer"}
    assert kinds({"anyOf": [WHOLE, {}]}, ROOT) == set()


def test_what_is_said_of_a_member_is_put_together() -> None:
    schema = {
        "properties": {"a": {"$ref": "#/$defs/Count"}},
        "anyOf": [{"properties": {"b": TEXT}}, {"properties": {"b": WHOLE}}, {"required": ["a"]}],
        "allOf": [{"properties": {"c": {"type": ["string", "integer"]}}}, {"properties": {"c": WHOLE}}],
        "additionalProperties": {"type": "boolean"},
    }
    said = {name: member(schema, name, ROOT) for name in "abcd"}
    assert fitted("5", said["a"], ROOT) == 5
    assert kinds(said["b"], ROOT) == {"string", "integer"}
    assert kinds(said["c"], ROOT) == {"integer"}
    assert kinds(said["d"], ROOT) == {"boolean"}
    assert member({"$ref": "#/$defs/Node"}, "size", ROOT) == {"$ref": "#/$defs/Count"}
    assert member({"$ref": "#/$defs/Loop"}, "size", ROOT) is None
    assert member({"properties": {"a": TEXT}}, "b", ROOT) is None
    assert entries({"anyOf": [{"type": "null"}, {"type": "array", "items": WHOLE}]}, ROOT) == WHOLE


def test_schemas_that_refer_to_themselves_many_times_are_looked_through_once() -> None:
    many = [{"$ref": f"#/$defs/{n}"} for n in range(40)]
    root = {"$defs": {str(n): {"anyOf": many, "properties": {"a": TEXT}} for n in range(40)}}
    assert kinds({"$ref": "#/$defs/0"}, root) in (set(), {"object"})
    assert member({"$ref": "#/$defs/0"}, "b", root) is None


leaves = st.sampled_from(
    [{"type": kind} for kind in ("string", "integer", "number", "boolean", "null", "array", "object")]
    + [{"type": ["integer", "null"]}, {"type": ["string", "boolean"]}, {"$ref": "#/$defs/Word"}]
    + [{"$ref": "#/$defs/Count"}, {"enum": ["a", 1, None]}, {"const": True}]
)
schemas = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(lambda some: {"anyOf": some}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda some: {"allOf": some}, st.lists(inner, min_size=1, max_size=2)),
    ),
    max_leaves=5,
)
scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()
)
values = st.one_of(scalars, st.lists(scalars, max_size=3), st.dictionaries(st.text(max_size=3), scalars, max_size=3))


def validator(schema: Any) -> Any:
    return jsonschema.Draft202012Validator({**ROOT, "allOf": [schema]})


@given(schemas, values)
def test_a_value_that_a_schema_allows_is_read_as_one_that_it_allows(schema: Any, value: Any) -> None:
    check = validator(schema)
    assume(check.is_valid(value))
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    found = fitted(text, schema, ROOT)
    if "string" in kinds(schema, ROOT):  # then its text may be taken for another value
        assert found is not MISSING
    else:
        assert found == value or float(found) == value  # as an integer, a number is what its digits say


@given(schemas, st.text(max_size=6) | values.map(json.dumps))
def test_what_is_read_is_of_a_type_that_the_schema_allows(schema: Any, text: str) -> None:
    found = fitted(text, schema, ROOT)
    assume(found is not MISSING)
    assume("enum" not in json.dumps(schema) and "const" not in json.dumps(schema))
    assert validator(schema).is_valid(found)


@given(st.text())
def test_a_text_stays_as_it_is_where_the_schema_says_text(text: str) -> None:
    assert typed(text, TEXT, ROOT) == text
