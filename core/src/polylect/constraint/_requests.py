"""The fields of a server's request that carry a constraint, and what that server does not see to.

Sources: vLLM, "Structured Outputs"; SGLang, "Structured Outputs"; llama.cpp, ``tools/server/README.md``; the OpenAI API
reference, "Chat completions", "Responses" and the guide "Function calling", section "Custom tools"; Ollama, "API";
the Anthropic API reference, "Messages".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

from .._errors import ConstraintError, ToolError, nearest
from .._strict import strict_schema
from ._engines import NEEDED, WHOLE

if TYPE_CHECKING:
    from ._constraint import Constraint

SERVERS: Mapping[str, tuple[str, ...]] = {
    "anthropic": ("json_schema",),
    "llama.cpp": ("gbnf", "llguidance", "json_schema"),
    "ollama": ("json_schema",),
    "openai": ("openai_custom_tool", "regex", "json_schema"),
    "openai_responses": ("openai_custom_tool", "regex", "json_schema"),
    "sglang": ("xgrammar", "structural_tag", "llguidance", "regex", "json_schema"),
    "vllm": ("xgrammar", "structural_tag", "llguidance", "regex", "json_schema"),
}
"""The targets that each server takes, the one to use first."""
PREFIXED = "%llguidance {}\n"
"""What llama.cpp and SGLang tell a grammar for llguidance by."""
MAX_STOPS = 4
"""Stop strings that OpenAI's API takes."""
_EXTRA = "With OpenAI's SDK {} goes into extra_body=."
_NO_TOOLS = "Send no tools beside it: the lect tells them in the prompt, and the server would add rules of its own."
_THOUGHTS = "A server with a reasoning parser lets the model think first: the constraint begins behind the thoughts."
_HIDDEN = (
    "Where a marker is a token of its own in the model's vocabulary, skip_special_tokens must be false, or the server "
    "leaves it out of the text."
)
_BEGUN = "The constraint begins behind the prefix: the prompt must end with it, as /v1/completions takes one."
_SCHEMA = "What the schema says of lengths, numbers and patterns is up to the server: {}."


class Request(NamedTuple):
    """What goes into a request to a server.

    Attributes:
        fields: to be merged into the body of the request.
        notes: what this server can't enforce, and what must be seen to beside the fields; a sentence each.
    """

    fields: dict[str, Any]
    notes: tuple[str, ...] = ()


def request(constraint: Constraint, server: str) -> Request:
    """The fields for a server; see :meth:`Constraint.request`.

    Raises:
        ConstraintError: the server takes no constraint in this language; or the engine does not take it.
    """
    check_server(server, constraint.target)
    constraint.check()
    made = _MAKERS[server](constraint)
    if constraint.target in NEEDED and find_spec(NEEDED[constraint.target]) is None:
        library = NEEDED[constraint.target]
        note = f"Nobody has looked at the constraint: for that, install {library} (pip install {library})."
        made = made._replace(notes=(*made.notes, note))
    return made


def check_server(server: str, target: str) -> None:
    """Check that a server takes a target.

    Raises:
        ConstraintError: it does not, or there is no such server.
    """
    taken = usual_targets(server)
    if target in taken:
        return
    known = taken[0] if len(taken) == 1 else f"{taken[0]} (the one to use), {', '.join(taken[1:])}"
    raise ConstraintError(
        f"{server} takes no constraint for the target {target!r:.80}. It takes: {known}. Make it with "
        f"target={taken[0]!r}."
    )


def usual_targets(server: str) -> tuple[str, ...]:
    """The targets that a server takes, the one to use first.

    Raises:
        ConstraintError: there is no such server.
    """
    if server not in SERVERS:
        raise ConstraintError(
            f"There is no server {server!r:.80}.{nearest(server, SERVERS)} Servers: {', '.join(SERVERS)}."
        )
    return SERVERS[server]


def _stop(constraint: Constraint) -> dict[str, Any]:
    return {"stop": list(constraint.stops)} if constraint.stops else {}


def _shown(constraint: Constraint, notes: list[str]) -> dict[str, Any]:
    """Where the text ends, and that nothing of it is hidden; what else there is to that is added to the notes."""
    if constraint.target != "json_schema":
        notes += [_BEGUN] if constraint.prefix else []
        notes += [] if constraint.special else [_HIDDEN]
    return {**_stop(constraint), **({"skip_special_tokens": False} if constraint.special else {})}


def _text(constraint: Constraint) -> str:
    """The constraint as text."""
    return constraint.text


def _named(constraint: Constraint) -> str:
    """A name for the turn, as OpenAI's API takes it."""
    return f"{constraint.lect}_turn"[:64]


# --- servers of open models -------------------------------------------------------------------------------------


def _vllm(constraint: Constraint) -> Request:
    key = {"regex": "regex", "json_schema": "json", "structural_tag": "structural_tag"}.get(
        constraint.target, "grammar"
    )
    value = constraint.value if key == "json" else _text(constraint)
    notes = [_EXTRA.format("structured_outputs"), _NO_TOOLS, _THOUGHTS]
    if constraint.target == "llguidance":
        notes.insert(0, "Start the server with --structured-outputs-config.backend guidance.")
    elif constraint.target == "structural_tag":
        notes.insert(0, "Structural tags are xgrammar's: the backend must be xgrammar, or auto.")
    elif key == "json":
        notes.append(_SCHEMA.format("xgrammar passes over some keywords in silence, guidance refuses them"))
    return Request({"structured_outputs": {key: value}, **_shown(constraint, notes)}, tuple(notes))


def _sglang(constraint: Constraint) -> Request:
    notes = [_NO_TOOLS, _THOUGHTS]
    fields: dict[str, Any]
    if constraint.target == "structural_tag":
        fields = {"response_format": constraint.value}
        notes.insert(0, "Structural tags are xgrammar's: the server's --grammar-backend must be xgrammar.")
    elif constraint.target == "json_schema":
        fields = {"response_format": _response_format(constraint)}
        notes.append(_SCHEMA.format("xgrammar passes over some keywords in silence"))
    elif constraint.target == "regex":
        fields = {"regex": _text(constraint)}
        notes.insert(0, _EXTRA.format("regex"))
    else:
        lark = constraint.target == "llguidance"
        fields = {"ebnf": f"{PREFIXED if lark else ''}{_text(constraint)}"}
        backend = "llguidance" if lark else "xgrammar"
        notes[:0] = [f"The server's --grammar-backend must be {backend}.", _EXTRA.format("ebnf")]
    notes.append("The server's own /generate takes the same in sampling_params, a schema as text under json_schema.")
    return Request({**fields, **_shown(constraint, notes)}, tuple(notes))


def _llama_cpp(constraint: Constraint) -> Request:
    notes = ["Send no tools beside it: the server refuses a grammar of one's own with tools.", _THOUGHTS]
    if constraint.target == "json_schema":
        fields: dict[str, Any] = {"json_schema": constraint.value}
        notes[0] = _NO_TOOLS
        notes.append(_SCHEMA.format("llama.cpp passes over some keywords in silence"))
    elif constraint.target == "llguidance":
        fields = {"grammar": f"{PREFIXED}{_text(constraint)}"}
        notes.insert(0, "The server must be built with LLAMA_LLGUIDANCE=ON.")
    else:
        fields = {"grammar": _text(constraint)}
    notes.insert(0, _EXTRA.format(next(iter(fields))))
    notes += [_BEGUN] if constraint.prefix else []
    return Request({**fields, **_stop(constraint)}, tuple(notes))


def _ollama(constraint: Constraint) -> Request:
    fields: dict[str, Any] = {"format": constraint.value}
    if constraint.stops:
        fields["options"] = {"stop": list(constraint.stops)}
    notes = (
        "These are fields of Ollama's own /api/chat and /api/generate; behind /v1 the schema is a response_format.",
        _NO_TOOLS,
        _SCHEMA.format("llama.cpp, which Ollama runs, passes over some keywords in silence"),
    )
    return Request(fields, notes)


# --- OpenAI and Anthropic ---------------------------------------------------------------------------------------


def _response_format(constraint: Constraint) -> dict[str, Any]:
    return {
        "type": "json_schema",
        "json_schema": {"name": _named(constraint), "schema": constraint.value, "strict": _is_strict(constraint.value)},
    }


def _is_strict(schema: Any) -> bool:
    """Whether OpenAI's strict mode takes a schema as it is."""
    if schema.get("type") != "object" or "anyOf" in schema:
        return False
    try:
        return bool(strict_schema(schema, "the turn") == schema)
    except ToolError:
        return False


def _grammar(constraint: Constraint) -> dict[str, str]:
    if len(_text(constraint)) > WHOLE:
        raise ConstraintError(
            f"OpenAI takes no grammar of more than {WHOLE:,} characters, and this one has {len(_text(constraint)):,}. "
            "Make it with target='openai_custom_tool', which keeps to that."
        )
    return {"syntax": "regex" if constraint.target == "regex" else "lark", "definition": _text(constraint)}


def _tool_notes(constraint: Constraint, where: str) -> tuple[str, ...]:
    begun = f"It has no prefix: read it with parse(input, prefix={constraint.prefix!r})."
    return (
        *((begun,) if constraint.prefix else ()),
        f"The turn comes as the input of a call, {where}: that is what {constraint.lect} reads.",
        "Custom tools need a model that takes them: GPT-5 or later.",
        "The API refuses a grammar that is too complex, with an error.",
        "Reasoning comes before the call, and is not constrained.",
    )


def _told(constraint: Constraint) -> str:
    return f"Takes your whole next turn, written in the format {constraint.lect}. Every turn goes here."


def _openai(constraint: Constraint) -> Request:
    if constraint.target == "json_schema":
        return Request(
            {"response_format": _response_format(constraint), **_few_stops(constraint)}, _schema_notes(constraint)
        )
    name = _named(constraint)
    form = {"type": "grammar", "grammar": _grammar(constraint)}
    tool = {"type": "custom", "custom": {"name": name, "description": _told(constraint), "format": form}}
    fields = {
        "tools": [tool],
        "tool_choice": {"type": "custom", "custom": {"name": name}},
        "parallel_tool_calls": False,
    }
    return Request(fields, _tool_notes(constraint, "message.tool_calls[0].custom.input"))


def _openai_responses(constraint: Constraint) -> Request:
    if constraint.target == "json_schema":
        made = _response_format(constraint)
        text = {"format": {"type": "json_schema", **made["json_schema"]}}
        stops = ("This API takes no stop strings.",) if constraint.stops else ()
        return Request({"text": text}, (*_schema_notes(constraint), *stops))
    name = _named(constraint)
    form = {"type": "grammar", **_grammar(constraint)}
    tool = {"type": "custom", "name": name, "description": _told(constraint), "format": form}
    fields = {"tools": [tool], "tool_choice": {"type": "custom", "name": name}, "parallel_tool_calls": False}
    return Request(fields, _tool_notes(constraint, "the input of the output item custom_tool_call"))


def _few_stops(constraint: Constraint) -> dict[str, Any]:
    return {"stop": list(constraint.stops[:MAX_STOPS])} if constraint.stops else {}


def _schema_notes(constraint: Constraint) -> tuple[str, ...]:
    if _is_strict(constraint.value):
        return ("A refusal comes as text under message.refusal, which is not constrained.",)
    return (
        "The schema does not fit OpenAI's strict mode (an object at the top, all members required, nothing but them), "
        "so it is sent with strict=false: then the model is told of it, and nothing enforces it.",
    )


def _anthropic(constraint: Constraint) -> Request:
    fields: dict[str, Any] = {"output_config": {"format": {"type": "json_schema", "schema": constraint.value}}}
    stops = [stop for stop in constraint.stops if stop.strip()]
    if stops:
        fields["stop_sequences"] = stops
    notes = (
        "The API takes no lengths, no bounds of numbers, no recursion and few patterns in a schema, and says so.",
        "A refusal, or a reply that reaches max_tokens, need not follow the schema.",
        "The turn can't be begun for the model: messages must end with the user's.",
    )
    return Request(fields, notes)


_MAKERS: Mapping[str, Callable[[Constraint], Request]] = {
    "anthropic": _anthropic,
    "llama.cpp": _llama_cpp,
    "ollama": _ollama,
    "openai": _openai,
    "openai_responses": _openai_responses,
    "sglang": _sglang,
    "vllm": _vllm,
}

__all__ = ["SERVERS", "Request", "check_server", "request", "usual_targets"]
