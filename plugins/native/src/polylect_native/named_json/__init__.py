"""Tongues whose calls have the name outside, and the arguments as JSON."""

from __future__ import annotations

from .._spec import spec

LECTS = (
    spec(
        "deepseek_v3",
        "DeepSeek V3 and R1: arguments in a fence",
        "named_json._deepseek_v3:DeepSeekV3",
        models=("DeepSeek-V3", "DeepSeek-R1", "cogito-v2"),
    ),
    spec(
        "deepseek_v31",
        "DeepSeek V3.1: name<｜tool▁sep｜>{…}",
        "named_json._deepseek_v31:DeepSeekV31",
        models=("DeepSeek-V3.1", "DeepSeek-V3.2-Exp"),
    ),
)  # fmt: skip

__all__ = ["LECTS"]
