"""The model ``openai``: any server that speaks OpenAI's API, asked by the official SDK."""

from __future__ import annotations

from polylect import ModelSpec, hookimpl


@hookimpl
def polylect_models() -> list[ModelSpec]:
    """The models of this distribution."""
    return [
        ModelSpec(
            "openai",
            "Any server with OpenAI's API: chat completions, text completions",
            "polylect_openai._model:OpenAI",
        ),
    ]


__all__ = ["polylect_models"]
