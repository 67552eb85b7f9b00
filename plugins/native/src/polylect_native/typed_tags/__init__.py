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
)

__all__ = ["LECTS"]
