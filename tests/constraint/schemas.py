"""Random JSON Schemas, and random values of them."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from typing import Any

WORDS = ("a", "Oslo", "12", "true", "null", "x y", "é", "<", '"', "\\", "it's", "[1]", "{}", "", "None", "\n", "1.5")
PATTERNS = (
    r"^[a-z]+$", r"^a[b-d]*$", r"ab", r"^x", r"y$", r"^(\d{4})-(\d{2})$", r"^[^<>\"]{2,4}$", r"^(?:a|bc|d\s)+$",
    r"^[A-Z]{2,}\w*$", r"^.$", r"^\S+@\S+$",
)  # fmt: skip
FLAT = ("string", "string", "integer", "number", "boolean", "null", "enum", "const", "types", "any")
NESTED = ("array", "object", "anyOf", "oneOf", "allOf", "ref", "map", "tuple", "set")
KEYS = ("city", "days", "opt", "item", "q", "n_1")


class Maker:
    """Makes schemas; ``features`` names what they may hold."""

    def __init__(self, rng: random.Random, *, simple_keys: bool = True) -> None:
        self.rng, self.simple_keys = rng, simple_keys
        self.defs: dict[str, Any] = {}

    def tool(self) -> dict[str, Any]:
        """The parameters of a tool."""
        rng = self.rng
        recursive = rng.random() < 0.2
        if recursive:
            self.defs["node"] = {
                "type": "object",
                "properties": {"v": self.schema(0), "next": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]},
                               "kids": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
                "required": ["v"],
            }  # fmt: skip
        made = self.object(2)
        if self.defs:
            made["$defs"] = self.defs
        return made

    def object(self, depth: int) -> dict[str, Any]:
        rng = self.rng
        names = rng.sample(KEYS, rng.randint(0 if depth < 2 else 1, 4))
        made: dict[str, Any] = {"type": "object", "properties": {name: self.schema(depth - 1) for name in names}}
        required = [name for name in names if rng.random() < 0.4]
        if required:
            made["required"] = required
        if rng.random() < 0.3:
            made["additionalProperties"] = rng.random() < 0.3
        return made

    def schema(self, depth: int) -> dict[str, Any]:
        rng = self.rng
        kind = rng.choice(FLAT + NESTED if depth > 0 else FLAT)
        made: dict[str, Any] = getattr(self, f"_{kind}")(depth)
        return made

    def _string(self, depth: int) -> dict[str, Any]:
        rng, made = self.rng, {"type": "string"}
        if rng.random() < 0.3:
            return {**made, "pattern": rng.choice(PATTERNS)}
        if rng.random() < 0.3:
            made["minLength"] = rng.randint(0, 3)  # type: ignore[assignment]
        if rng.random() < 0.3:
            made["maxLength"] = rng.randint(3, 6)  # type: ignore[assignment]
        return made

    def _integer(self, depth: int) -> dict[str, Any]:
        return {"type": "integer", **self._bounds()}

    def _bounds(self) -> dict[str, Any]:
        rng = self.rng
        made: dict[str, Any] = {}
        low = rng.choice((-1000, -7, 0, 1, 5, 99, 0.5, 12.25))
        if rng.random() < 0.4:
            made[rng.choice(("minimum", "exclusiveMinimum"))] = low
        if rng.random() < 0.4:
            made[rng.choice(("maximum", "exclusiveMaximum"))] = low + rng.choice((2, 10, 123, 100000, 3.75))
        return made

    def _number(self, depth: int) -> dict[str, Any]:
        return {"type": "number", **self._bounds()}

    def _boolean(self, depth: int) -> dict[str, Any]:
        return {"type": "boolean"}

    def _null(self, depth: int) -> dict[str, Any]:
        return {"type": "null"}

    def _any(self, depth: int) -> dict[str, Any]:
        return {"description": "anything"}

    def _enum(self, depth: int) -> dict[str, Any]:
        some: list[Any] = list(self.rng.sample(WORDS, 3))
        if self.rng.random() < 0.3:
            some += [3, None, True]
        return {"enum": some, **({"type": "string"} if self.rng.random() < 0.5 else {})}

    def _const(self, depth: int) -> dict[str, Any]:
        return {"const": self.rng.choice((*WORDS, 5, False, None, [1, "a"], {"k": 1}))}

    def _types(self, depth: int) -> dict[str, Any]:
        made = {"type": self.rng.sample(("string", "integer", "null", "boolean", "number"), 2)}
        if self.rng.random() < 0.4:
            made["minLength"] = 2  # type: ignore[assignment]
        if self.rng.random() < 0.4:
            made["minimum"] = 3  # type: ignore[assignment]
        return made

    def _array(self, depth: int) -> dict[str, Any]:
        made: dict[str, Any] = {"type": "array", "items": self.schema(depth - 1)}
        if self.rng.random() < 0.3:
            made["minItems"] = self.rng.randint(0, 2)
        if self.rng.random() < 0.3:
            made["maxItems"] = self.rng.randint(2, 4)
        return made

    def _tuple(self, depth: int) -> dict[str, Any]:
        made: dict[str, Any] = {"type": "array", "prefixItems": [self.schema(depth - 1) for _ in range(2)]}
        if self.rng.random() < 0.5:
            made["items"] = self.rng.choice((False, {"type": "integer"}))
        if self.rng.random() < 0.5:
            made["minItems"] = self.rng.randint(1, 2)
        return made

    def _set(self, depth: int) -> dict[str, Any]:
        return {"type": "array", "items": self._enum(depth), "uniqueItems": True}

    def _map(self, depth: int) -> dict[str, Any]:
        return {"type": "object", "additionalProperties": self.schema(depth - 1)}

    def _object(self, depth: int) -> dict[str, Any]:
        return self.object(depth)

    def _anyOf(self, depth: int) -> dict[str, Any]:  # noqa: N802
        return {"anyOf": [self.schema(depth - 1) for _ in range(self.rng.randint(2, 3))]}

    def _oneOf(self, depth: int) -> dict[str, Any]:  # noqa: N802
        kinds = [{"type": "string"}, self._integer(0), {"type": "null"}, {"type": "boolean"}]
        if self.rng.random() < 0.5:
            return {"oneOf": self.rng.sample(kinds, 2)}
        options = []
        for name in ("cat", "dog"):
            made = self.object(1)
            made["properties"] = {"kind": {"const": name}, **made["properties"]}
            made["required"] = ["kind"]
            options.append(made)
        return {"oneOf": options}

    def _allOf(self, depth: int) -> dict[str, Any]:  # noqa: N802
        if self.rng.random() < 0.5:
            return {"allOf": [self.object(depth - 1), self.object(depth - 1)]}
        return {"allOf": [{"type": "string", "minLength": 1}, {"maxLength": 4}]}

    def _ref(self, depth: int) -> dict[str, Any]:
        if "node" in self.defs:
            return {"$ref": "#/$defs/node"}
        name = f"d{len(self.defs)}"
        self.defs[name] = {}
        self.defs[name] = self.schema(depth - 1)
        return {"$ref": f"#/$defs/{name}", "description": "elsewhere"}


_TEXTS = ("", "a", "abc", "Oslo", "it's", "12", "true", "x<y", "é中😀", "a\nb", '"q"', "\\", "\x01", "\x7f", "null")


def random_value(schema: Any, root: Mapping[str, Any], rng: random.Random, depth: int = 4) -> Any:
    """A value that may be valid: whoever takes it checks it."""
    if not isinstance(schema, Mapping):
        return None
    if "$ref" in schema:
        found: Any = root
        for step in schema["$ref"][2:].split("/"):
            found = found[step]
        return random_value(found, root, rng, depth)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return rng.choice(schema["enum"])
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return random_value(rng.choice(schema[key]), root, rng, depth)
    if "allOf" in schema:
        found = [random_value(part, root, rng, depth) for part in schema["allOf"]]
        if all(isinstance(x, dict) for x in found):
            return {key: x for part in found for key, x in part.items()}
        return "abc"
    kinds = schema.get("type", "string")
    kind = rng.choice(kinds) if isinstance(kinds, list) else kinds
    if kind == "string":
        if "pattern" in schema:
            texts = ("ab", "a", "abcd", "x", "xy", "2024-12", "ABc", "zz", "a@b", "bcd ")
            some = [x for x in texts if re.search(schema["pattern"], x)]
            return rng.choice(some or ["ab"])
        return rng.choice(_TEXTS)
    if kind == "integer":
        return rng.choice((0, 1, 3, 7, -5, 100, 12345, 2**40, 13))
    if kind == "number":
        return rng.choice((0, 1.5, 0.1 + 0.2, 1e-7, -2.25, 1e22, 7, 13.0, 100.5))
    if kind == "boolean":
        return rng.random() < 0.5
    if kind == "null":
        return None
    if kind == "array":
        first = [random_value(x, root, rng, depth - 1) for x in schema.get("prefixItems", ())]
        rest = schema.get("items")
        more = rng.randint(0, 2) if isinstance(rest, Mapping) and depth > 0 else 0
        made = [*first, *(random_value(rest, root, rng, depth - 1) for _ in range(more))]
        return made
    named = schema.get("properties") or {}
    required = schema.get("required", ())
    return {
        key: random_value(x, root, rng, depth - 1)
        for key, x in named.items()
        if key in required or (depth > 0 and rng.random() < 0.6)
    }
