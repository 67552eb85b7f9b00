"""Tongues whose calls are the entries of a JSON array."""

from __future__ import annotations

from .._spec import spec

LECTS = (
    spec(
        "mistral_v3_array",
        'Mistral v3: [TOOL_CALLS] [{"name": …, "arguments": …}]',
        "json_arrays._mistral:MistralV3Array",
        models=(
            "Mistral-7B-Instruct-v0.3", "Mistral-7B-v0.3", "Mixtral", "Mistral-Nemo", "Mistral-Small-Instruct-2409",
            "Mistral-Small-2409", "Mistral-Large-Instruct-2407", "Ministral-8B",
        ),
    ),
    spec(
        "granite3",
        'Granite 3: <|tool_call|>[{"name": …, "arguments": …}]',
        "json_arrays._granite:Granite3",
        models=("granite-3.0", "granite-3.1", "granite-3.2", "granite-3.3"),
    ),
    spec(
        "jamba",
        'Jamba: <tool_calls>[{"name": …, "arguments": …}]</tool_calls>',
        "json_arrays._tool_calls:Jamba",
        models=("AI21-Jamba", "Jamba"),
    ),
    spec(
        "hunyuan_a13b",
        'Hunyuan A13B: <tool_calls>[{"name": …, "arguments": …}]</tool_calls>',
        "json_arrays._tool_calls:HunyuanA13B",
        models=("Hunyuan-A13B",),
    ),
    spec(
        "phi4_mini_functools",
        'Phi-4-mini, Firefunction: functools[{"name": …, "arguments": …}]',
        "json_arrays._functools:Phi4MiniFunctools",
        models=("Phi-4-mini", "firefunction-v2", "llama-3-firefunction-v2"),
    ),
    spec(
        "xlam",
        'xLAM-2: [{"name": …, "arguments": …}]',
        "json_arrays._xlam:Xlam",
        models=("xLAM-2", "Llama-xLAM-2"),
    ),
    spec(
        "nemotron_v2",
        'Nemotron Nano v2: <TOOLCALL>[{"name": …, "arguments": …}]</TOOLCALL>',
        "json_arrays._nemotron:NemotronV2",
        models=(
            "NVIDIA-Nemotron-Nano-9B-v2",
            "NVIDIA-Nemotron-Nano-12B-v2",
            "Nemotron-Nano-v2",
            "Llama-3.3-Nemotron-Super-49B-v1.5",
        ),
    ),
    spec(
        "apertus",
        "Apertus: <|tools_prefix|>[{name: arguments}]<|tools_suffix|>",
        "json_arrays._apertus:Apertus",
        models=("Apertus",),
    ),
    spec(
        "cohere_command",
        'Cohere Command: <|START_ACTION|>[{"tool_call_id": …, "tool_name": …, "parameters": …}]<|END_ACTION|>',
        "json_arrays._cohere:CohereCommand",
        models=(
            "c4ai-command-r7b", "command-r7b", "c4ai-command-a", "command-a", "North-Mini", "Cohere2MoE",
        ),
    ),
    spec(
        "command_r_plus",
        'Command R and R+: Action: ```json [{"tool_name": …, "parameters": …}]```',
        "json_arrays._cohere:CommandRPlus",
        models=("c4ai-command-r-v01", "c4ai-command-r-plus", "c4ai-command-r-08-2024", "command-r"),
    ),
    spec(
        "apriel",
        'Apriel: <tool_calls>[{"name": …, "arguments": …}]</tool_calls>',
        "json_arrays._tool_calls:Apriel",
        models=("Apriel-1.5", "Apriel-1.6"),
    ),
)  # fmt: skip

__all__ = ["LECTS"]
