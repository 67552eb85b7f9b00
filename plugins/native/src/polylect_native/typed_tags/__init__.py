"""Tongues whose arguments are tags that tell their type, or pairs of keys and values."""

from __future__ import annotations

from .._spec import spec

LECTS = (
    spec(
        "glm45",
        "GLM-4.5: <tool_call>NAME, lines of <arg_key>…</arg_key> and <arg_value>…</arg_value>, </tool_call>",
        "typed_tags._glm:Glm45",
        models=("GLM-4.5", "GLM-4.6", "Ling-3"),
    ),
    spec(
        "glm47",
        "GLM-4.7: <tool_call>NAME<arg_key>…</arg_key><arg_value>…</arg_value></tool_call>",
        "typed_tags._glm:Glm47",
        models=("GLM-4.7", "GLM-5", "Laguna", "Spark-2.5", "Spark2.5", "IQuest"),
    ),
    spec(
        "deepseek_dsml_v32",
        'DeepSeek-V3.2: <｜DSML｜invoke name="NAME"> with <｜DSML｜parameter name="…" string="…">',
        "typed_tags._dsml:DsmlV32",
        models=("DeepSeek-V3.2",),
    ),
    spec(
        "deepseek_dsml_v4",
        'DeepSeek-V4: <｜DSML｜tool_calls> with <｜DSML｜invoke name="NAME">',
        "typed_tags._dsml:DsmlV4",
        aliases=("deepseek_dsml_v41",),
        models=("DeepSeek-V4", "GigaChat-3.5", "GigaChat3.5"),
    ),
    spec(
        "kimi_k3_xtml",
        'Kimi-K3: <|open|>call tool="NAME" index="1"<|sep|> with <|open|>argument key="…" type="…"<|sep|>',
        "typed_tags._kimi_k3:KimiK3",
        models=("Kimi-K3",),
    ),
    spec(
        "hy_v3",
        "Hy3: <tool_call:opensource>NAME<tool_sep:opensource> with <arg_key:opensource> and <arg_value:opensource>",
        "typed_tags._hy_v3:HyV3",
        models=("Hy3", "Hunyuan-Hy3"),
    ),
    spec(
        "k2_horizon_ifm",
        "K2 Horizon: <ifm|tool_call>NAME<ifm|arg_key>…</ifm|arg_key><ifm|arg_value>…</ifm|arg_value>",
        "typed_tags._k2_horizon:K2Horizon",
        models=("K2-Horizon",),
    ),
)

__all__ = ["LECTS"]
