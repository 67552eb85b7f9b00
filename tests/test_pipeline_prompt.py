"""Prompts: variables found, values that stay data, and errors that say what to write."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

import polylect
from polylect import Prompt, PromptError

CHAT: list[Any] = [
    ("system", "You are {who}."),
    "{chat_history}",
    {"role": "human", "content": "{input}", "name": "ada"},
    ("placeholder", "{agent_scratchpad}"),
]


def test_variables_are_found_in_their_order() -> None:
    assert Prompt("{b} {a} {b} {{c}} {d_1}").variables == ("b", "a", "d_1")
    assert Prompt("no variables").variables == ()
    assert Prompt(CHAT).variables == ("who", "chat_history", "input", "agent_scratchpad")
    assert Prompt(CHAT).placeholders == ("chat_history", "agent_scratchpad")


def test_format_of_a_text() -> None:
    assert Prompt("{a}-{b}-{a}").format(a="1", b="2") == "1-2-1"
    assert Prompt("{{{a}}} {{}}").format(a="x") == "{x} {}"
    assert Prompt("").format() == ""


def test_format_of_messages() -> None:
    told = Prompt(CHAT).format(who="Eve", input="hi", chat_history=[("ai", "yes?"), {"role": "user", "content": "no"}])
    assert told == [
        {"role": "system", "content": "You are Eve."},
        {"role": "assistant", "content": "yes?"},
        {"role": "user", "content": "no"},
        {"role": "user", "content": "hi", "name": "ada"},
    ]


def test_messages_keep_what_else_they_have() -> None:
    call = {"role": "assistant", "content": None, "tool_calls": [{"id": "a"}]}
    assert Prompt(["{m}"]).format(m=[call]) == [call]


def test_values_are_data() -> None:
    assert Prompt("{a} {b}").format(a="{b} {{c}} }{", b="\\{a}") == "{b} {{c}} }{ \\{a}"
    assert Prompt([("user", "{a}")]).format(a="{b}") == [{"role": "user", "content": "{b}"}]
    assert Prompt("{a} {b}").partial(a="{b}").format(b="2") == "{b} 2"


def test_values_that_are_no_text() -> None:
    class Loud(str):
        def __str__(self) -> str:
            return "LOUD"

    assert Prompt("{a} {b} {c}").format(a=3, b=["é", None], c=Loud("quiet")) == '3 ["é", null] quiet'


def test_partial() -> None:
    prompt = Prompt("{a} {b} {c}", prefix="T:").partial(b="2")
    assert prompt.variables == ("a", "c")
    assert dict(prompt.partials) == {"b": "2"}
    assert prompt.prefix == "T:"
    assert prompt.partial(a="1").format(c="3") == "1 2 3"
    history = Prompt(CHAT).partial(chat_history=[("user", "x")], who="w")
    assert history.placeholders == ("agent_scratchpad",)
    assert history.format(input="i") == [
        {"role": "system", "content": "You are w."},
        {"role": "user", "content": "x"},
        {"role": "user", "content": "i", "name": "ada"},
    ]


def test_literal() -> None:
    text = 'a {"b": {}} {{c}}'
    assert Prompt(Prompt.literal(text)).format() == text


def test_a_prompt_is_a_value() -> None:
    one = Prompt(CHAT, prefix="x").partial(who="w")
    other = Prompt(CHAT, prefix="x").partial(who="w")
    assert one == other
    assert hash(one) == hash(other)
    assert one != Prompt(CHAT, prefix="x")
    assert one != "x"
    assert pickle.loads(pickle.dumps(one)) == one
    assert copy.deepcopy(one) == one
    assert repr(Prompt("{a} {b}")) == "<prompt: text with {a}, {b}>"
    assert repr(Prompt([("user", "hi")])) == "<prompt: messages with no variables>"


make_prompt: Any = Prompt
"""Some arguments are wrong on purpose."""


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: make_prompt("{a} {b}").format(a="1"), "The prompt needs a value for {b}. Given: a."),
        (lambda: make_prompt("{question}").format(), "The prompt needs a value for {question}. Nothing was given."),
        (lambda: make_prompt("{a} {b}").format(a="1", b=None), "The prompt needs a value for {b}. Given: a."),
        (
            lambda: make_prompt("{question}").format(questoin="x"),
            "The prompt has no open variable {questoin}. Did you mean 'question'? Its variables: {question}.",
        ),
        (
            lambda: make_prompt("{question}").partial(quest="x"),
            "The prompt has no open variable {quest}. Did you mean 'question'? Its variables: {question}.",
        ),
        (
            lambda: make_prompt("{a} {b}").partial(a="x").format(a="y", b="z"),
            "The prompt has no open variable {a}. Its value is fixed already. Its variables: {b}.",
        ),
        (
            lambda: make_prompt("{a}", partials={"b": 1}),
            "The prompt has no {b}. Its variables: {a}.",
        ),
        (
            lambda: make_prompt("{agent_scratchpd} {tools}").require(["tools", "agent_scratchpad"]),
            "The prompt has no {agent_scratchpad}. Did you mean 'agent_scratchpd'? "
            "Its variables: {agent_scratchpd}, {tools}.",
        ),
        (
            lambda: make_prompt('Say {"a": 1}'),
            'This brace belongs to no variable. Write {{ where the text needs a brace.\nSay {"a": 1}\n    ^',
        ),
        (
            lambda: make_prompt("a }"),
            "This brace belongs to no variable. Write }} where the text needs a brace.\na }\n  ^",
        ),
        (lambda: make_prompt(3), "A prompt is a text or a list of messages, not int."),
        (lambda: make_prompt(b"x"), "A prompt is a text or a list of messages, not bytes."),
        (lambda: make_prompt({"role": "user"}), "A prompt is a text or a list of messages, not dict."),
        (
            lambda: make_prompt(["hello"]),
            "'hello' has no role. Write (role, text), or a variable alone: '{chat_history}'.",
        ),
        (
            lambda: make_prompt([("usr", "hello")]),
            "There is no role 'usr'. Did you mean 'user'? The roles: human, ai, system, developer, user, assistant, "
            "tool, function.",
        ),
        (
            lambda: make_prompt([("user", 3)]),
            "('user', 3) is no message. Write (role, text) or a dict with role and content.",
        ),
        (lambda: make_prompt([3]), "3 is no message. Write (role, text) or a dict with role and content."),
        (
            lambda: make_prompt([("placeholder", "chat_history")]),
            "A placeholder is one variable, such as '{chat_history}', not 'chat_history'.",
        ),
        (
            lambda: make_prompt(["{a}", ("user", "{a}")]),
            "{a} stands both in a text and in place of messages. Name one anew.",
        ),
        (lambda: make_prompt(["{a}"]).format(a="text"), "{a} takes a list of messages, not str."),
        (
            lambda: make_prompt(["{a}"]).format(a=["text"]),
            "{a}: 'text' is no message. Write (role, text) or a dict with role and content.",
        ),
        (
            lambda: make_prompt(["{a}"]).format(a=[{"content": "x"}]),
            "{a}: {'content': 'x'} is no message. Write (role, text) or a dict with role and content.",
        ),
    ],
)
def test_errors_say_what_to_write(make: Any, message: str) -> None:
    with pytest.raises(PromptError) as caught:
        make()
    assert str(caught.value) == message


def test_every_bundled_lect_has_a_prompt_of_its_own() -> None:
    for info in polylect.lects():
        prompt = polylect.lect(info.name).prompt
        assert prompt.variables[-1] == "agent_scratchpad", info.name
        assert "input" in prompt.variables, info.name
        assert ("tools" in prompt.variables) is not polylect.lect(info.name).messages, info.name


def test_a_lect_without_a_prompt_gets_a_plain_one() -> None:
    class Shout(polylect.Lect):
        name = "shout"
        hint = "Write {CAPITALS}."

    class Chat(Shout):
        messages = True

    told = Shout().prompt.format(tools="T", input="q", agent_scratchpad="s")
    assert isinstance(told, str)
    assert told.endswith("T\n\nWrite {CAPITALS}.\n\nQuestion: q\ns")
    assert Chat().prompt.variables == ("chat_history", "input", "agent_scratchpad")


def test_labels_that_are_switched_off_are_not_taught() -> None:
    made: Any = type(polylect.lect("react"))
    lect: polylect.Lect = made(labels={"thought": None, "action": "Tu {x}"})
    told = lect.prompt.format(tools="", tool_names="a", input="q", agent_scratchpad="s")
    assert isinstance(told, str)
    assert "Thought" not in told
    assert "\nTu {x}: the name of one tool, out of: a\n" in told
    assert told.endswith("\nQuestion: q\ns")
    assert lect.prompt.prefix == ""
