"""Tongues whose calls have the name outside, and the arguments as JSON."""

from __future__ import annotations

from .._spec import spec

LECTS = (
    spec(
        "mistral_v11_args",
        "Mistral: [TOOL_CALLS]name[ARGS]{…}",
        "named_json._mistral_v11_args:MistralV11Args",
        models=(
            "Mistral-Small-3.1", "Mistral-Small-3.2", "Mistral-Small-4", "Mistral-Medium-3", "Mistral-Large-3",
            "Devstral", "Magistral", "Ministral-3-",
        ),
    ),
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
    spec(
        "kimi_k2",
        "Kimi K2: functions.name:0 and {…}",
        "named_json._kimi_k2:KimiK2",
        models=("Kimi-K2",),
    ),
    spec(
        "gpt_oss_harmony",
        "gpt-oss: channels and recipients of Harmony",
        "named_json._gpt_oss_harmony:GptOssHarmony",
        aliases=("harmony",),
        models=("gpt-oss",),
    ),
    spec(
        "functionary_v31",
        "Functionary 3.1: <function=name>{…}</function>",
        "named_json._functionary_v31:FunctionaryV31",
        models=("functionary-small-v3.1", "functionary-medium-v3.1"),
    ),
    spec(
        "functionary_v32",
        "Functionary 3.2: >>>name and {…}",
        "named_json._functionary_v32:FunctionaryV32",
        models=("functionary-small-v3.2", "functionary-medium-v3.2", "functionary-small-v3", "functionary-medium-v3"),
    ),
    spec(
        "solar_open",
        "Solar Open: id, name and {…} between tokens",
        "named_json._solar_open:SolarOpen",
        models=("Solar-Open",),
    ),
    spec(
        "plamo3",
        "PLaMo 3: name and {…} between tokens",
        "named_json._plamo3:Plamo3",
        models=("plamo-3", "PLaMo-3"),
    ),
)  # fmt: skip

__all__ = ["LECTS"]
