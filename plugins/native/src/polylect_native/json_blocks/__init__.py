"""Tongues whose calls are JSON objects between markers."""

from __future__ import annotations

from .._spec import spec

LECTS = (
    spec(
        "hermes",
        'Hermes: <tool_call>{"name": …, "arguments": …}</tool_call>',
        "json_blocks._hermes:Hermes",
        models=(
            "Hermes-2-Pro", "Hermes-3", "Hermes-4", "Qwen2.5", "QwQ", "Qwen3", "SmolLM3", "granite-4.0", "granite-4.1",
            "ERNIE-4.5", "Reka-Edge", "Bielik", "MiMo-VL",
        ),
    ),
    spec(
        "llama3_json",
        'Llama 3: {"name": …, "parameters": …}',
        "json_blocks._llama3_json:Llama3Json",
        models=("Llama-3", "Llama3", "Meta-Llama-3"),
    ),
    spec(
        "longcat",
        'LongCat: <longcat_tool_call>{"name": …, "arguments": …}</longcat_tool_call>',
        "json_blocks._longcat:Longcat",
        models=("LongCat",),
    ),
    spec(
        "minimax_m1",
        "MiniMax-M1: <tool_calls>, one JSON object a line, </tool_calls>",
        "json_blocks._minimax_m1:MinimaxM1",
        models=("MiniMax-M1", "MiniMax-Text-01"),
    ),
    spec(
        "internlm2",
        'InternLM2: <|action_start|><|plugin|>{"name": …, "parameters": …}<|action_end|>',
        "json_blocks._internlm2:Internlm2",
        models=("InternLM2", "InternLM2.5", "Intern-S1"),
    ),
    spec(
        "granite_20b_fc",
        'Granite 20B function calling: <function_call> {"name": …, "arguments": …}',
        "json_blocks._granite_20b_fc:Granite20bFc",
        models=("granite-20b-functioncalling",),
    ),
    spec(
        "gigachat3",
        'GigaChat 3: function call<|role_sep|>{"name": …, "arguments": …}',
        "json_blocks._gigachat3:Gigachat3",
        models=("GigaChat3", "GigaChat-3"),
    ),
    spec(
        "gigachat31",
        'GigaChat 3.1: <|function_call|>{"name": …, "arguments": …}',
        "json_blocks._gigachat3:Gigachat31",
        models=("GigaChat3.1", "GigaChat-3.1"),
    ),
    spec(
        "inkling",
        'Inkling: NAME<|content_invoke_tool_json|>{"name": …, "args": …}<|end_message|>',
        "json_blocks._inkling:Inkling",
        models=("Inkling",),
    ),
)  # fmt: skip

__all__ = ["LECTS"]
