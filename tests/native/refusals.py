"""What native lects can't say, by cases of the matrix: they refuse it, with a reason."""

from __future__ import annotations

from collections.abc import Callable

REFUSED: dict[str, dict[str, set[str]]] = {
    "two": {
        "has no place for several calls": {
            "gigachat3", "gigachat31",
        },
    },
    "same tool twice": {
        "has no place for several calls": {
            "gigachat3", "gigachat31",
        },
    },
    "no arguments, then some": {
        "has no place for several calls": {
            "gigachat3", "gigachat31",
        },
    },
    "text before": {
        "has no place for content with calls": {
            "gigachat3",
        },
    },
    "reasoning": {
        "has no place for reasoning": {
            "command_r_plus", "functionary_v31", "functionary_v32", "functiongemma", "gigachat3", "gigachat31",
            "granite_20b_fc", "jamba", "llama3_json", "mistral_v3_array", "phi4_mini_functools", "pythonic",
        },
    },
    "own call": {
        "would read back as": {
            "claude_style_xml", "deepseek_dsml_v32", "deepseek_dsml_v4", "dots", "functiongemma", "gemma4", "glm45",
            "glm47", "hy_v3", "k2_horizon_ifm", "kimi_k3_xtml", "mimo", "minimax_m2", "muse_atem", "qwen3_coder_xml",
            "seed_oss", "step3",
        },
    },
    "own stops": {
        "the model's server stops there": {
            "claude_style_xml", "deepseek_dsml_v32", "deepseek_dsml_v4", "dots", "functiongemma", "gemma4",
            "gigachat3", "gigachat31", "glm45", "glm47", "granite_20b_fc", "hermes", "hy_v3", "inkling", "internlm2",
            "k2_horizon_ifm", "kimi_k3_xtml", "lfm2", "llama3_json", "longcat", "mimo", "minicpm5", "minimax_m1",
            "minimax_m2", "minimax_m3", "muse_atem", "olmo3", "pythonic", "qwen3_coder_xml", "seed_oss", "step3",
        },
    },
}  # fmt: skip
"""Cases, each with parts of reasons and the lects that refuse it for them; all others must say it."""

PLAIN_PIECES: dict[str, Callable[[list[str]], str]] = {}
"""How texts and calls follow each other, in lects where it is not one directly behind the other."""


def refusal(case: str, lect: str) -> str | None:
    """A part of the reason for which a lect refuses a case; None where it must say it."""
    return next((reason for reason, lects in REFUSED.get(case, {}).items() if lect in lects), None)
