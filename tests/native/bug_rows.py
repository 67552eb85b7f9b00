"""Faults that users of other parsers reported, as messages of our own: the kind, a tongue, and the right reading.

``seen`` is where the kind was reported. The first row of a kind is nearest to the report; the others are its relatives.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Called = tuple[str, dict[str, Any]]
TEXT = {"type": "string"}
WHOLE = {"type": "integer"}


def tool(name: str, **properties: Any) -> dict[str, Any]:
    """A tool in the form of OpenAI."""
    return {
        "type": "function",
        "function": {"name": name, "parameters": {"type": "object", "properties": properties}},
    }


TOOLS = [
    tool("forecast", place=TEXT, hours=WHOLE),
    tool("clock"),
    tool("save", file=TEXT, text=TEXT),
    tool("find", words=TEXT, most=WHOLE),
    tool("shell", line=TEXT, reason=TEXT),
    tool("total", items={"type": "array", "items": WHOLE}),
    tool("parcel", code=TEXT, fragile=TEXT, weight=WHOLE, serial={"type": "number"}),
    tool("choose", why=TEXT, sure={"type": "boolean"}),
]


@dataclass(frozen=True)
class Row:
    """A message and its right reading."""

    kind: str
    lect: str
    text: str
    calls: tuple[Called, ...] = ()
    content: str = ""
    reasoning: str = ""
    seen: str = ""
    prefix: str = ""
    finish: str = "stop"
    policies: dict[str, Any] = field(default_factory=dict)


VLLM, SGLANG, OLLAMA = (
    f"https://github.com/{name}/issues/" for name in ("vllm-project/vllm", "sgl-project/sglang", "ollama/ollama")
)
LLAMA_CPP = "https://github.com/ggml-org/llama.cpp/issues/"


def invoke(name: str, *members: tuple[str, str]) -> str:
    """A call in MiniMax's tags."""
    inner = "".join(f'<parameter name="{key}">{value}</parameter>\n' for key, value in members)
    return f'<minimax:tool_call>\n<invoke name="{name}">\n{inner}</invoke>\n</minimax:tool_call>'


def qwen(name: str, *members: tuple[str, str]) -> str:
    """A call in the tags of Qwen's coders."""
    inner = "".join(f"<parameter={key}>\n{value}\n</parameter>\n" for key, value in members)
    return f"<tool_call>\n<function={name}>\n{inner}</function>\n</tool_call>"


def glm(name: str, *members: tuple[str, str]) -> str:
    """A call in the tags of GLM."""
    inner = "".join(f"<arg_key>{key}</arg_key><arg_value>{value}</arg_value>" for key, value in members)
    return f"<tool_call>{name}{inner}</tool_call>"


def hermes(body: str) -> str:
    """A call in a block of JSON."""
    return f"<tool_call>\n{body}\n</tool_call>"


def gemma(body: str) -> str:
    """A call of Gemma 4; ``"`` stands for its quotes."""
    return "<|tool_call>call:" + body.replace('"', '<|"|>') + "<tool_call|>"


def kimi(head: str, body: str) -> str:
    """A section with one call of Kimi K2."""
    return (
        f"<|tool_calls_section_begin|><|tool_call_begin|>{head}<|tool_call_argument_begin|>{body}"
        "<|tool_call_end|><|tool_calls_section_end|>"
    )


def dsml(body: str) -> str:
    """Calls of DeepSeek V4; ``@`` stands for its mark."""
    return f"<@tool_calls>\n{body}</@tool_calls>".replace("@", "｜DSML｜")


CLOCK: Called = ("clock", {})
GRAZ = ("forecast", {"place": "Graz"})
CODE = "for (;;) { a[i] = '}' }"
XML = "<parameter>\n  <b>x</b>\n</parameter>\n"
INDENTED = "    if x:\n        return 1"

ROWS: tuple[Row, ...] = (
    # The end of the arguments, or their middle, is lost in the stream.
    Row("arguments lost", "hermes", hermes('{"name": "forecast", "arguments": {"hours": 48}}'),
        (("forecast", {"hours": 48}),), seen=VLLM + "32152"),
    Row("arguments lost", "hermes", hermes('{"name": "forecast", "arguments": {"hours": "6", "place": "Pisa"}}'),
        (("forecast", {"hours": "6", "place": "Pisa"}),), seen=VLLM + "48702"),  # JSON is taken as it is written
    Row("arguments lost", "minimax_m2", invoke("shell", ("line", "du -s * | sort"), ("reason", "sizes")),
        (("shell", {"line": "du -s * | sort", "reason": "sizes"}),), seen=SGLANG + "23071"),
    Row("arguments lost", "glm47", glm("forecast", ("hours", "6"), ("place", "Pisa")),
        (("forecast", {"hours": 6, "place": "Pisa"}),)),
    # A marker that arrives in pieces.
    Row("marker in pieces", "minimax_m2", invoke("forecast", ("place", "Graz")), (GRAZ,), seen=SGLANG + "35564"),
    Row("marker in pieces", "deepseek_dsml_v4", "ahoy" + dsml('<@invoke name="clock">\n</@invoke>\n'), (CLOCK,), "ahoy",
        seen="https://github.com/lsdefine/GenericAgent/issues/804"),
    Row("marker in pieces", "mistral_v11_args", '[TOOL_CALLS]forecast[ARGS]{"place": "Graz"}', (GRAZ,),
        seen="https://github.com/raullenchai/Rapid-MLX/issues/579"),
    Row("marker in pieces", "kimi_k2", kimi("functions.forecast:0", '{"place": "Graz"}'), (GRAZ,)),
    # The text of a close marker inside an argument.
    Row("close in a text", "hermes",
        '<tool_call>{"name":"save","arguments":{"file":"n","text":"ends with </tool_call> here"}}</tool_call>',
        (("save", {"file": "n", "text": "ends with </tool_call> here"}),),
        seen="https://github.com/minpeter/ai-sdk-tool-call-middleware/issues/297"),
    Row("close in a text", "minimax_m2", invoke("save", ("file", "n.xml"), ("text", XML)),
        (("save", {"file": "n.xml", "text": XML}),), seen=VLLM + "44060"),
    Row("close in a text", "pythonic", '[find(words="so )] it goes")]', (("find", {"words": "so )] it goes"}),),
        seen="https://github.com/raullenchai/Rapid-MLX/issues/1591"),
    Row("close in a text", "qwen3_coder_xml", qwen("save", ("file", "n"), ("text", "a </parameter> b </function> c")),
        (("save", {"file": "n", "text": "a </parameter> b </function> c"}),)),
    Row("close in a text", "glm47", glm("save", ("file", "n"), ("text", "a </arg_value> b </tool_call> c")),
        (("save", {"file": "n", "text": "a </arg_value> b </tool_call> c"}),)),
    # Brackets inside texts.
    Row("brackets in a text", "llama3_json", f'{{"name": "save", "parameters": {{"file": "a.c", "text": "{CODE}"}}}}',
        (("save", {"file": "a.c", "text": CODE}),), seen=OLLAMA + "16937"),
    Row("brackets in a text", "phi4_mini_functools", 'functools[{"name": "total", "arguments": {"items": [4, 5]}}]',
        (("total", {"items": [4, 5]}),), seen=VLLM + "49028"),
    Row("brackets in a text", "pythonic", "[find(words='x), y(z', most=1)]",
        (("find", {"words": "x), y(z", "most": 1}),), seen="https://github.com/ml-explore/mlx-swift-lm/pull/152"),
    Row("brackets in a text", "gemma4", gemma(f'save{{file:"a.c",text:"{CODE}"}}'),
        (("save", {"file": "a.c", "text": CODE}),)),
    # What looks like another type.
    Row("types", "qwen3_coder_xml", qwen("parcel", ("code", "00420"), ("fragile", "false"), ("weight", "3.0")),
        (("parcel", {"code": "00420", "fragile": "false", "weight": 3}),),
        seen="https://github.com/lablup/mlxcel/issues/1336"),
    Row("types", "glm47", glm("parcel", ("serial", "9007199254740995")), (("parcel", {"serial": 9007199254740995}),),
        seen=VLLM + "55743"),
    Row("types", "glm47", glm("forecast", ("hours", "36")), (("forecast", {"hours": 36}),), seen=SGLANG + "35564"),
    Row("types", "seed_oss", "<seed:tool_call>\n<function=parcel>\n<parameter=code>1e5</parameter>\n"
        "<parameter=weight>7</parameter>\n</function>\n</seed:tool_call>", (("parcel", {"code": "1e5", "weight": 7}),)),
    # Unicode.
    Row("unicode", "llama3_json", '{"name": "forecast", "parameters": {"place": "Łódź 🌧"}}',
        (("forecast", {"place": "Łódź 🌧"}),), seen=VLLM + "13826"),
    Row("unicode", "hermes", hermes(r'{"name": "shell", "arguments": {"line": "dir C:\up"}}'),
        (("shell", {"line": r"dir C:\up"}),), seen="https://github.com/openclaw/openclaw/pull/88226",
        policies={"malformed": "repair"}),
    Row("unicode", "gemma4", gemma('forecast{place:"Łódź 🌧"}'), (("forecast", {"place": "Łódź 🌧"}),)),
    # Blanks that are data, and blanks that are layout.
    Row("blanks", "qwen3_coder_xml", qwen("save", ("file", INDENTED), ("text", "y")),
        (("save", {"file": INDENTED, "text": "y"}),), seen=LLAMA_CPP + "23535"),
    Row("blanks", "glm47", "Ready.  \n<tool_call>clock</tool_call>", (CLOCK,), "Ready.", seen=VLLM + "49412"),
    Row("blanks", "minimax_m2", invoke("save", ("file", " a "), ("text", "\n\ttab\n")),
        (("save", {"file": " a ", "text": "\n\ttab\n"}),)),
    # Calls without arguments.
    Row("no arguments", "glm47", "<tool_call>clock</tool_call>", (CLOCK,), seen=VLLM + "44326"),
    Row("no arguments", "hunyuan_a13b", '<tool_calls>[{"name": "clock", "arguments": {}}, '
        '{"name": "forecast", "arguments": {"place": "Graz"}}]</tool_calls>', (CLOCK, GRAZ), seen=VLLM + "47901"),
    Row("no arguments", "step3", "<｜tool_calls_begin｜>\n<｜tool_call_begin｜>function<｜tool_sep｜>"
        '<steptml:invoke name="clock"></steptml:invoke><｜tool_call_end｜>\n<｜tool_calls_end｜>', (CLOCK,),
        seen=SGLANG + "36695"),
    Row("no arguments", "qwen3_coder_xml", qwen("clock") + "\n" + qwen("forecast", ("place", "Graz")), (CLOCK, GRAZ)),
    # Where the reasoning ends.
    Row("reasoning", "qwen3_coder_xml", "<think>people write <tool_call> or <function=f> in prose</think>Yes.", (),
        "Yes.", "people write <tool_call> or <function=f> in prose",
        seen="https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/1592"),
    Row("reasoning", "hermes", "Time to look.</think>" + hermes('{"name": "clock", "arguments": {}}'), (CLOCK,), "",
        "Time to look.", seen=VLLM + "56113", prefix="<think>\n"),
    Row("reasoning", "glm47", "Time to look.</think><tool_call>clock</tool_call>", (CLOCK,), "", "Time to look.",
        prefix="<think>"),
    # Text around calls.
    Row("text around", "pythonic", 'I look it up. [forecast(place="Graz")]', (GRAZ,), "I look it up.",
        seen=VLLM + "22917"),
    Row("text around", "hermes", hermes('{"name": "clock", "arguments": {}}') + "\nThere it is.", (CLOCK,),
        "There it is.", seen=VLLM + "56263"),
    Row("text around", "minimax_m2", f"First.\n{invoke('clock')}\nLast.", (CLOCK,), "First.\nLast."),
    # Each call has a number of its own.
    Row("numbers of calls", "gemma4", gemma('forecast{place:"Graz"}') + gemma('forecast{place:"Linz"}'),
        (GRAZ, ("forecast", {"place": "Linz"})), seen=SGLANG + "25073"),
    Row("numbers of calls", "mistral_v11_args", '[TOOL_CALLS]forecast[ARGS]{"place":"Graz"}[TOOL_CALLS]clock[ARGS]{}',
        (GRAZ, CLOCK), seen="https://github.com/waybarrios/vllm-mlx/pull/631"),
    Row("numbers of calls", "xlam", '[{"name":"forecast","arguments":{"place":"Graz"}},'
        '{"name":"forecast","arguments":{"place":"Linz"}}]', (GRAZ, ("forecast", {"place": "Linz"})),
        seen="https://github.com/BerriAI/litellm/issues/33678"),
    # Several calls in one delta.
    Row("much in one delta", "hermes", hermes('{"name": "clock", "arguments": {}}') + "\n"
        + hermes('{"name": "forecast", "arguments": {"place": "Graz"}}'), (CLOCK, GRAZ), seen=SGLANG + "37634"),
    Row("much in one delta", "granite3", '<|tool_call|>[{"name": "clock", "arguments": {}}, '
        '{"name": "forecast", "arguments": {"place": "Graz"}}]', (CLOCK, GRAZ), seen=VLLM + "47907"),
    Row("much in one delta", "deepseek_dsml_v4", "One moment." + dsml(
        '<@invoke name="clock">\n</@invoke>\n<@invoke name="forecast">\n<@parameter name="place" string="true">Graz'
        "</@parameter>\n</@invoke>\n"), (CLOCK, GRAZ), "One moment."),
    # Cut short.
    Row("cut", "hermes", 'I look.\n<tool_call>\n{"name": "forecast", "arguments": {"place": "San Mar', (), "I look.",
        seen=SGLANG + "30480", finish="length"),
    Row("cut", "qwen3_coder_xml", "<tool_call>\n<function=forecast>\n<parameter=place>\nGr", (), seen=OLLAMA + "14834",
        finish="length"),
    Row("cut", "hermes", hermes('{"name": "clock", "arguments": {}}') + '\n<tool_call>\n{"name": "sa', (CLOCK,),
        seen=SGLANG + "30480", finish="length"),
    # A tool that was not offered.
    Row("unknown tool", "hermes", hermes('{"name": "Save this text", "arguments": {"text": "x"}}'),
        (("Save this text", {"text": "x"}),), seen=OLLAMA + "17274"),
    Row("unknown tool", "glm47", glm("savee", ("text", "x")), (("savee", {"text": "x"}),)),
    # Markers that are missing.
    Row("missing marker", "qwen3_coder_xml", "<function=forecast>\n<parameter=place>\nGraz\n</parameter>\n</function>\n"
        "</tool_call>", (GRAZ,), seen=OLLAMA + "17353"),
    Row("missing marker", "gemma4", '<|tool_call>call:find{words:Bern, Chur<|"|>,most:5}<tool_call|>',
        (("find", {"words": "Bern, Chur", "most": 5}),), seen=SGLANG + "39240"),
    # What is no call.
    Row("no call", "hermes", 'This is setup.json:\n```json\n{"name": "tiny", "version": "0.3"}\n```', (),
        'This is setup.json:\n```json\n{"name": "tiny", "version": "0.3"}\n```', seen=LLAMA_CPP + "18183"),
    Row("no call", "llama3_json", '{"heading": "no call", "n": 2}', (), '{"heading": "no call", "n": 2}',
        seen="https://github.com/smg-project/smg/pull/2271"),
    Row("no call", "pythonic", "[1] and [2](https://x.example) are links", (),
        "[1] and [2](https://x.example) are links"),
    # One family, several dialects.
    Row("dialects", "deepseek_v3", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>forecast\n"
        '```json\n{"place": "Graz"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>', (GRAZ,),
        seen="https://github.com/raullenchai/Rapid-MLX/pull/795"),
    Row("dialects", "gpt_oss_harmony", "<|start|>assistant to=functions.forecast<|channel|>commentary <|constrain|>json"
        '<|message|>{"place": "Graz"}<|call|>', (GRAZ,), seen=LLAMA_CPP + "15181"),
    Row("dialects", "mistral_v11_args", '[TOOL_CALLS]save{"file": "n", "text": "y"}',
        (("save", {"file": "n", "text": "y"}),), seen=VLLM + "30651"),
    Row("dialects", "kimi_k2", kimi("call_7f3e", '{"name": "forecast", "arguments": {"place": "Graz"}}'), (GRAZ,),
        seen=VLLM + "32146"),
    # Escapes that are data.
    Row("escapes", "qwen3_coder_xml", qwen("save", ("file", "n.html"), ("text", "&lt;b&gt; &amp;amp; &#10;")),
        (("save", {"file": "n.html", "text": "&lt;b&gt; &amp;amp; &#10;"}),),
        seen="https://github.com/smg-project/smg/issues/1888"),
    Row("escapes", "gemma4", '<|tool_call>call:choose{why:<|"|>he said "no"<|"|>,sure:false}<tool_call|>',
        (("choose", {"why": 'he said "no"', "sure": False}),), seen="https://github.com/xorbitsai/inference/pull/5242"),
    # Time and memory.
    Row("time", "glm47", "<tool_call>" + " " * 3000 + "x", (), seen=VLLM + "54678", finish="length"),
    Row("time", "qwen3_coder_xml", qwen("save", ("file", "n"), ("text", "one more line\n" * 60)),
        (("save", {"file": "n", "text": "one more line\n" * 60}),), seen=SGLANG + "27005"),
)  # fmt: skip
