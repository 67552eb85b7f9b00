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
)

__all__ = ["LECTS"]
