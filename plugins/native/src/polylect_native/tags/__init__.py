"""Tongues whose arguments are raw text in tags, typed by the tool's schema."""

from __future__ import annotations

from .._spec import spec

LECTS = (
    spec(
        "qwen3_coder_xml",
        "Qwen's XML: <tool_call><function=…><parameter=…>…</parameter></function></tool_call>",
        "tags._qwen3_coder_xml:Qwen3CoderXml",
        models=(
            "Qwen3-Coder", "Qwen3.5", "Qwen3.6", "Qwen3.8", "NVIDIA-Nemotron-3", "Nemotron-3", "granite-4.2",
            "Step-3.5", "Step-3.7", "Nanbeige", "MiniCPM-V",
        ),
    ),
    spec(
        "seed_oss",
        "Seed-OSS: <seed:tool_call><function=…><parameter=…>…</parameter></function></seed:tool_call>",
        "tags._seed_oss:SeedOss",
        models=("Seed-OSS", "ByteDance-Seed-OSS"),
    ),
    spec(
        "mimo",
        "MiMo: <tool_call><function=…><parameter=…>…</parameter></function></tool_call>, values verbatim",
        "tags._mimo:Mimo",
        models=("MiMo-7B", "MiMo-V2", "MiMo"),
    ),
    spec(
        "claude_style_xml",
        'Claude style: <function_calls><invoke name="…"><parameter name="…">…</parameter></invoke></function_calls>',
        "tags._invokes:ClaudeStyleXml",
    ),
    spec(
        "minimax_m2",
        'MiniMax-M2: <minimax:tool_call><invoke name="…"><parameter name="…">…</parameter></invoke>',
        "tags._invokes:MinimaxM2",
        models=("MiniMax-M2",),
    ),
    spec(
        "dots",
        'dots: <dots_function_call><invoke name="…"><parameter name="…">…</parameter></invoke></dots_function_call>',
        "tags._invokes:Dots",
        models=("dots.llm", "dots"),
    ),
    spec(
        "minicpm5",
        'MiniCPM5: <function name="…"><param name="…">…</param></function>',
        "tags._minicpm5:Minicpm5",
        models=("MiniCPM5",),
    ),
    spec(
        "step3",
        'Step-3: <｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="…">…</steptml:invoke>',
        "tags._step3:Step3",
        models=("Step-3", "step3"),
    ),
    spec(
        "muse_atem",
        'Muse: to=NAME<|message|><atem:function_calls><atem:invoke name="…">…</atem:invoke></atem:function_calls>',
        "tags._muse_atem:MuseAtem",
        models=("Muse", "Muse-Spark", "Muse-Glimmer"),
    ),
)  # fmt: skip

__all__ = ["LECTS"]
