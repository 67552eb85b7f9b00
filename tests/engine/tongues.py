"""The tongues that the engine is tried on: the bundled grammars, and those of this folder, with messages in each.

They are plain: names and arguments stay as they are written, so that what the engine reads can be seen.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import polylect
from polylect import TextLect
from polylect.grammar import Grammar

from .reference import SHARED, Reference

OWN = Path(__file__).parent / "grammars"


class Tongue:
    """A grammar as a lect of its own, stock lark over the same file, and examples."""

    def __init__(
        self,
        file: str,
        *examples: str,
        lead: str = "",
        stops: tuple[str, ...] = (),
        notation: bool = False,
        **facts: Any,
    ) -> None:
        self.path = OWN / file if (OWN / file).is_file() else SHARED / file
        self.name = self.path.stem
        self.lead, self.examples = lead, examples
        body: dict[str, Any] = {"grammar_file": self.path, "lead": lead, "stops": stops, "name": self.name, **facts}
        if notation:  # strings are streamed as what they stand for, other values stay as they are written
            body |= {
                "typed_members": True,
                "strict_calls": True,
                "is_text": lambda lect, key, kind, tool, policies: kind == "string",
            }
        self.lect: TextLect = type("Plain", (TextLect,), body)()

    def __repr__(self) -> str:
        return self.name

    @property
    def grammar(self) -> Grammar:
        """The compiled grammar."""
        return self.lect.grammar

    @cached_property
    def reference(self) -> Reference:
        """Stock lark over the grammar."""
        return Reference(self.path, self.lead, self.grammar.tables.texts)


def bundled(name: str, *more: str) -> Tongue:
    """A bundled tongue of text, by its lect's examples and some more."""
    lect = polylect.lect(name)
    assert isinstance(lect, TextLect)
    return Tongue(str(lect.grammar_file), *map(str, lect.examples), *more, lead=lect.lead, stops=lect.stops)


REACT = bundled(
    "react",
    "Question: who wrote it?\nThought: look\nAction: search\nAction Input: it\nObservation: found\nThought: so",
    "**Thought:** bold\n**Action:** search\n**Action Input:** Oslo\n",
    "Action 1: a Action Input: b\nAction:\nlong name\nAction Input:\nThought：wide\nFinal Answer: x\nFinal Answer: y",
    "***Thought:*** so\n##  Action: a\n### Action Input: b",
    "Thought: <think>\ninner\n</think>\nAction: now",
    "I think\n<think>a</think>so\nAction: a\nAction Input: b\nObservation",
)
BRACKET = bundled(
    "react_bracket",
    "Question: q\nThought 1: a\nAction 1: Search[a [b] c]\nObservation 1: d\nThought 2: e\nAction 2: Finish[f]",
    "Action: look\nAction: look up[]\n\nand more\nAction:\nsearch[x] \n\tgo on",
)
CONVERSATION = bundled(
    "conversational",
    "New input: who wrote it?\nThought: Do I need a tool?\nAction: search\nAction Input: it\nObservation: found",
    "**AI:** bold\nHuman: and?\nAI: more\n\nNew input: so",
    "Action 1: a Action Input: b\nAI：wide\nHuman 2:\nAI:",
)
SELF_ASK = bundled(
    "self_ask",
    "Question: q\nAre followup questions needed here? Yes.\nFollow-up question: a\nIntermediate answer: b\nFollowup: c",
    "**Follow up 1:** a\n\nFollow up:\nThe final answer is：x\nSo, the final answer is: y\nQuestion: z",
    "Well\n<think>a</think>so\nAre follow up questions needed: <think>b</think>\nFollow up: a\nIntermediate answer",
)
BLOB = bundled(
    "json_blob",
    'Thought: t\nAction:\n```\n{"action": "a", "action_input": [1, "]"]}\n```\nObservation: b\nThought: c',
    '{"action_input": {"k": "v"}, "action": "a"}\nMore: ```js\nno\n```\nthen [{"action": "b"}, {"action": "c"}] and',
)
BLOB_LABELS = bundled(
    "react_json",
    'Question: q\nThought 1: a\nAction 1:\n```json\n{"action": "b", "action_input": "c"}\n```\nObservation 1: d\n'
    "**Thought:** e\n**Final Answer:** f\nFinal Answer: g",
    '<think>a</think>Thought: b [{"action": "c"}, {"action": "d"}] e\nAction: {"action": "f"}Final Answer：g\n'
    'Action: {"action": "h"}\nFinal Answer: i {"action": "j"}\nQuestion: k\nThought: l',
    'I look. {"action": "a"}Observation: b\n```\n{"action": "c"}\n``` and\nFinal Answer: d\nObservation',
)
BLOB_CHAT = bundled(
    "json_chat",
    'Sure:\n```json\n{"action": "a", "action_input": [1]}\n```\nObservation: b\nThought: c',
    '<think>a</think>{"action_input": {"k": "v"}, "action": "b"}Thought: c',
)
TAGS = bundled(
    "xml_tags",
    "<tool>a</tool><tool_input></tool_input><tool>b</tool>\n \n"
    "<observation>c</observation>d<final_answer></final_answer>",
    "< TOOL >a</ tool ><tool_input>x < y</tool_input> tail\n",
    "<tool>a<tool_input>x</tool_input>\n</tool>\n<tool>b\n<tool_input></tool_input> so </tool>"
    "<tool><tool_input>y</tool_input><final_answer>z</final_answer>",
)
ARGUMENTS = Tongue(
    "tool_calls.lark",
    '{"city": "Oslo", "days": [1, 2.5e3, null, {"a": "}\\""}]}',
    ' "text" ',
    "-12.5e+3",
    " true\n",
    "\t",
)
BLOCK = Tongue(
    "block.lark",
    'Let me see.\n<tool_call>{"name": "search", "arguments": {"query": "Oslo"}}</tool_call>',
    '<think>\nTwo.\n</think>\n\n<tool_call>\n{"name": "a", "arguments": {"x": [1, {"y": "}"}]}}\n</tool_call>\n'
    '<tool_call>{"arguments": {"s": "</tool_call> \\"q\\" \\\\"}, "name": "b"}</tool_call>then <tool_calls> so',
    'a<think></think>b<tool_call>{"name": "c", "more": 1, "arguments": {}, "name": "d"}</tool_call>',
    "Only prose, a < b.",
)
LONGCAT = Tongue(
    "longcat.lark",
    '<cat_think>hm</cat_think>\n<cat_call>{"tool": "a", "arguments": {"k": "v"}}</cat_call>',
    'See <tool_call> and\n<cat_call>\n{"arguments": "s", "tool": "b", "name": 1}\n</cat_call>\n',
)
PARAMETERS = Tongue(
    "parameters.lark",
    "I look.\n<tool_call>\n<function=search>\n<parameter=query>\nOslo\n</parameter>\n"
    "<parameter=days>\n3\n</parameter>\n</function>\n</tool_call>",
    "<tool_call><function=a></function></tool_call>\n<tool_call><function=b>"
    '<parameter=k>x </parameter> y\n\n</parameter></function></tool_call> and "so"',
    '<tool_call>\n<function=c>\n<parameter=code>\nif a < b:\n\tprint("</function>")\n</parameter>\n'
    "</function>\n</tool_call>",
)
CHANNELS = Tongue(
    "channels.lark",
    "<|channel|>analysis<|message|>I look.<|end|><|start|>assistant<|channel|>commentary to=functions.search"
    '<|constrain|>json<|message|>{"query": "Oslo <|call|>"}<|call|>',
    "<|channel|>final<|message|>It rains.<|return|>",
    "<|channel|>analysis<|message|><|end|><|channel|>commentary to=functions.run<|message|>print(1)<|call|>"
    "<|start|>assistant<|channel|>final<|message|>a<|end|><|channel|>final<|message|><|return|>",
    stops=("<|return|>", "<|call|>"),
)
ARRAY = Tongue(
    "array.lark",
    '[TOOL_CALLS] [{"name": "search", "arguments": {"query": "Oslo"}, "id": "abc123"}]',
    'I look.[TOOL_CALLS][{"id": "1", "name": "a", "arguments": {}}, {"arguments": {"s": "]"}, "name": "b"}] and so on '
    '[TOOL_CALLS]\n[\n{"name": "c", "arguments": [1]}\n]',
)
NAMED = Tongue(
    "named.lark",
    '[CALL]search[ARGS]{"query": "Oslo"}',
    'I look. [CALL]a[ID]call_1[ARGS] {"s": "[CALL]"}[CALL]b [ARGS]{}then [x] and [CALL]c[ID]2[ARGS]{"n": {"m": []}}',
)
PAIRS = Tongue(
    "pairs.lark",
    "<call>search\n<key>query</key>\n<value>Oslo</value>\n<key>days</key><value>3</value>\n</call>",
    'So:\n<call>a</call> then <call>b<key>"k\\</key><value>line\n\t"two" \u2028</value></call>\n'
    "<answer>It\n<call>rains.",
    "<answer>",
)
SCRIPTS = Tongue(
    "scripts.lark",
    "Так. Мысль: надо искать【动作】поиск«ввод»Осло【动作】время",
    "МЫСЛЬ:да<ответ>Дождь, 是的 < и всё",
)
WIDER = Tongue(
    "wider.lark",
    "one<a>two</a>><a</a>three<a>*four!!</a>",
    "<a><al</a><a><alike</a><a><any>all < <a> the rest</a>",
    "<a>*x\n!!!</a>!<a><all>",
)

PYTHON = Tongue(
    "pythonic.lark",
    "One moment.\n[get_weather(city='Paris', days=3, opt={'k': [1, True, None]}), now()]<|eot|>",
    '[f(a=\'it\\\'s\', b="say \\"hi\\"\\n\\u00e9", c=\'d\' \'e\' """f"g""" , d=\'\'\n)] and [g( x = (1, -2.5e3,), )]',
    "See [a](b) and a[0] <|python_start|>[f(a='[now()]', b=[{}, [[]]], c='), (')]<|python_end|>",
    "[f(a='\\x41\\101\\q\\ud83d\\ude00 \\\nb')] so",
    notation=True,
    list_end="]",
)
OBJECT = Tongue(
    "gemma4.lark",
    '<|channel>thought\nI look.\n<channel|>So <|tool_call>call:get_weather{city:<|"|>Paris<|"|>,days:3,opt:{k:[1,true,'
    'null, <|"|>a]<|"|> ]} }<tool_call|><|tool_call>call:now{}<tool_call|> and',
    '<|tool_call>call:f{a: <|"|>"\n<|tool_call>call:now{}<tool_call|> \\n <|<|"|> , <|"|>b c<|"|>:<|"|><|"|>, '
    "key with space:-1.5e-05}<tool_call|><turn|>",
    "<|tool_call>call:f(a='b')<tool_call|>",
    notation=True,
)
ELEMENTS = Tongue(
    "minimax_m3.lark",
    *(
        text.replace("@", "]<]minimax[>[")
        for text in (
            '<mm:think>I look.</mm:think>So@<tool_call>\n@<invoke name="get_weather">@<city>Pa"ris @</city>@<opt>@<k>'
            '@<item>1@</item>@<item>]<]@</item>@</k>@</opt>@</invoke>\n@<invoke name="now">@</invoke>\n@</tool_call>',
            '@<tool_call>@<invoke name="f">@<a>@<a>x@</a> @</a>@<b>@</b>@</invoke>@</tool_call>and[e~[',
        )
    ),
    notation=True,
)

SHIPPED = (
    REACT,
    BRACKET,
    CONVERSATION,
    SELF_ASK,
    BLOB,
    BLOB_LABELS,
    BLOB_CHAT,
    TAGS,
    ARGUMENTS,
    PYTHON,
    OBJECT,
    ELEMENTS,
)
TONGUES = (*SHIPPED, BLOCK, LONGCAT, PARAMETERS, CHANNELS, ARRAY, NAMED, PAIRS, SCRIPTS, WIDER)
