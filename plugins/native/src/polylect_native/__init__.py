"""The native family: the tongues that models were trained on, one lect for each of fifty formats."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from polylect import LectSpec, hookimpl

from . import calls, json_arrays, json_blocks, named_json, tags, typed_tags

if TYPE_CHECKING:
    from ._chat_template import ChatTemplate, Rendered
    from ._response_template import from_response_template

BODIES = (json_blocks, json_arrays, named_json, tags, typed_tags, calls)


@hookimpl
def polylect_lects() -> list[LectSpec]:
    """The lects of this family."""
    return [lect for body in BODIES for lect in body.LECTS]


_HOMES = {
    "ChatTemplate": "_chat_template",
    "Rendered": "_chat_template",
    "from_response_template": "_response_template",
}
"""Names by the module that has them, loaded when first asked for."""


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f".{_HOMES[name]}", __name__), name)


__all__ = ["ChatTemplate", "Rendered", "from_response_template", "polylect_lects"]
