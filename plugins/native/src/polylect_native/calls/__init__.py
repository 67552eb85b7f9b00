"""Tongues whose calls are a notation of their own: Python calls, Gemma's objects, elements named as the arguments."""

from __future__ import annotations

from .._spec import spec

LECTS = (
    spec(
        "pythonic",
        "Python calls: [name(key='value', …)]",
        "calls._pythonic:Pythonic",
        models=("Llama-4", "Llama-3.2-1B", "Llama-3.2-3B", "ToolACE", "gemma-3"),
    ),
    spec(
        "olmo3",
        "OLMo 3: <function_calls>name(key='value', …)</function_calls>",
        "calls._olmo3:Olmo3",
        models=("Olmo-3", "OLMo3"),
    ),
    spec(
        "lfm2",
        "LFM2: <|tool_call_start|>[name(key='value', …)]<|tool_call_end|>",
        "calls._lfm2:Lfm2",
        models=("LFM2", "LFM2.5"),
    ),
    spec("gemma4", "Gemma 4: <|tool_call>call:name{key:…}<tool_call|>", "calls._gemma4:Gemma4", models=("gemma-4",)),
    spec(
        "functiongemma",
        "FunctionGemma: <start_function_call>call:name{key:…}<end_function_call>",
        "calls._functiongemma:FunctionGemma",
        models=("functiongemma",),
    ),
    spec(
        "minimax_m3",
        "MiniMax M3: elements named as the arguments behind ]<]minimax[>[",
        "calls._minimax_m3:MinimaxM3",
        models=("MiniMax-M3",),
    ),
)

__all__ = ["LECTS"]
