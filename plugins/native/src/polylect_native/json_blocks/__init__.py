"""Tongues whose calls are JSON objects between markers."""

from __future__ import annotations

from .._spec import spec

LECTS = (
    spec(
        "hermes",
        'Hermes: <tool_call>{"name": …, "arguments": …}</tool_call>',
        "json_blocks._hermes:Hermes",
        models=(
            "Hermes-2-Pro", "Hermes-3", "Qwen2.5", "QwQ", "Qwen3", "SmolLM3", "granite-4.0", "granite-4.1",
            "ERNIE-4.5", "Reka-Edge", "Bielik", "MiMo-VL",
        ),
    ),
    spec(
        "llama3_json",
        'Llama 3: {"name": …, "parameters": …}',
        "json_blocks._llama3_json:Llama3Json",
        models=("Llama-3", "Llama3", "Meta-Llama-3"),
    ),
)  # fmt: skip

__all__ = ["LECTS"]
