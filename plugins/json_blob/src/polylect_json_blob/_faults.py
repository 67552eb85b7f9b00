"""Arguments against their schema, and JSON that is nearly JSON. The heavy libraries load on first use."""

from __future__ import annotations

from typing import Any

from polylect import Tool, ToolError
from polylect.plugin import MISSING, is_mended

SHOWN = 3
"""Faults named in one correction: enough to act on, short enough to read."""
KEPT = 64
_validators: dict[int, tuple[dict[str, Any], Any]] = {}


def schema_fault(tool: Tool, arguments: Any) -> str | None:
    """What is wrong with ``arguments`` by the tool's JSON Schema, as one sentence for the model; None if nothing.

    A text for a tool of one argument is that argument.

    Raises:
        ToolError: the schema itself is broken.
    """
    if isinstance(arguments, str):
        if len(tool.properties) == 1:
            arguments = {next(iter(tool.properties)): arguments}
        elif tool.properties or _faults(tool, arguments):
            known = f" with {', '.join(tool.properties)}" if tool.properties else ""
            return f"The tool {tool.name!r} takes an object{known}, not a text. Send the call again."
    faults = _faults(tool, arguments)
    if not faults:
        return None
    told = "; ".join(f"{fault.message[:200]} - at {fault.json_path}" for fault in faults[:SHOWN])
    more = f"; and {len(faults) - SHOWN} more" if len(faults) > SHOWN else ""
    return f"The arguments of {tool.name!r} do not fit: {told}{more}. Correct them and send the call again."


def _faults(tool: Tool, arguments: Any) -> list[Any]:
    """The errors that ``jsonschema`` finds, in the order of their paths."""
    validator = _validator(tool)
    from referencing.exceptions import Unresolvable

    try:
        return sorted(validator.iter_errors(arguments), key=lambda e: (e.json_path, e.message))
    except Unresolvable as error:
        problem = f"the reference {error.ref!r} leads nowhere"
    except RecursionError:
        problem = "a reference leads back to itself"
    raise ToolError(f"The schema of tool {tool.name!r} is broken: {problem}.")


def _validator(tool: Tool) -> Any:
    found = _validators.get(id(tool.parameters))
    if found is not None and found[0] is tool.parameters:
        return found[1]
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError
    from jsonschema.validators import validator_for
    from referencing.jsonschema import EMPTY_REGISTRY

    kind = validator_for(tool.parameters, default=Draft202012Validator)
    try:
        kind.check_schema(tool.parameters)
    except SchemaError as error:
        fault = f"{error.message} - at {error.json_path}"
        raise ToolError(f"The schema of tool {tool.name!r} is broken: {fault}") from error
    except RecursionError:
        raise ToolError(f"The schema of tool {tool.name!r} is nested too deeply.") from None
    validator = kind(tool.parameters, registry=EMPTY_REGISTRY)  # this one looks nothing up in the network
    if len(_validators) >= KEPT:
        _validators.clear()
    _validators[id(tool.parameters)] = tool.parameters, validator
    return validator


def repaired(raw: str) -> Any:
    """A value mended by ``json-repair``; MISSING when it made nothing of the text, or something that is not JSON."""
    import json_repair

    text = raw.lstrip()[:1] in ('"', "'")  # json-repair takes objects and lists only
    try:
        value: Any = json_repair.loads(f'{{"text": {raw}}}' if text else raw)
        if text:
            value = value["text"] if len(value) == 1 else ""
    except (ValueError, RecursionError, IndexError, KeyError, TypeError, AttributeError):
        return MISSING
    return value if value != "" and is_mended(value, raw) else MISSING
