"""The model ``local``: llama.cpp in the process itself, without a server."""

from __future__ import annotations

from polylect import ModelSpec, hookimpl


@hookimpl
def polylect_models() -> list[ModelSpec]:
    """The models of this distribution."""
    return [
        ModelSpec("local", "A GGUF file, run by llama.cpp in this process", "polylect_local._model:Local"),
    ]


__all__ = ["polylect_models"]
