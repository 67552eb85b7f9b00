"""The lects of this project by the distribution that brings them, for the install line in errors."""

from __future__ import annotations

_NATIVE = (
    "hermes longcat qwen3_coder_xml seed_oss mimo llama3_json pythonic olmo3 lfm2 mistral_v3_array mistral_v11_args "
    "deepseek_v3 deepseek_v31 deepseek_dsml_v32 deepseek_dsml_v4 claude_style_xml kimi_k2 kimi_k3_xtml glm45 glm47 "
    "minimax_m1 minimax_m2 minimax_m3 gpt_oss_harmony granite3 granite_20b_fc jamba hunyuan_a13b hy_v3 step3 internlm2 "
    "phi4_mini_functools xlam gigachat3 functiongemma gemma4 cohere_command command_r_plus functionary_v31 "
    "functionary_v32 gigachat31 nemotron_v2 apertus dots minicpm5 apriel solar_open muse_atem inkling "
    "k2_horizon_ifm plamo3"
)
NATIVE = "polylect-native"
"""The distribution of the tongues that models were trained on: what an unknown model may speak."""
KNOWN = {
    "react": "polylect-react",
    "react_bracket": "polylect-react",
    "docstore": "polylect-react",
    "mrkl": "polylect-react",
    "conversational": "polylect-react",
    "self_ask": "polylect-react",
    "json_blob": "polylect-json-blob",
    "json_chat": "polylect-json-blob",
    "chat": "polylect-json-blob",
    "react_json": "polylect-json-blob",
    "xml_tags": "polylect-xml-tags",
    "tool_calls": "polylect-tool-calls",
    "openai_functions": "polylect-tool-calls",
    **dict.fromkeys(_NATIVE.split(), NATIVE),
}
"""Lects by distribution."""
GRAMMARS = "./grammars"
"""The folder of a checkout that every family of lects needs."""
