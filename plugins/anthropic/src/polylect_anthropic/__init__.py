"""The model ``anthropic``: Claude, and servers with Anthropic's API, asked by the official SDK."""

from __future__ import annotations

from polylect import ModelSpec, hookimpl


@hookimpl
def polylect_models() -> list[ModelSpec]:
    """The models of this distribution."""
    return [
        ModelSpec("anthropic", "Claude, by Anthropic's messages API", "polylect_anthropic._model:Anthropic"),
    ]


__all__ = ["polylect_models"]
