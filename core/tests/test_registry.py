"""Lects of one's own by ``register``: names, aliases, conflicts, and what is said of a lect that there is not."""

from __future__ import annotations

from typing import Any

import pytest

import polylect
from polylect import LectError, PluginError, _registry

BUNDLED = {
    **dict.fromkeys(("react", "react_bracket", "docstore", "mrkl", "conversational", "self_ask"), "polylect-react"),
    **dict.fromkeys(("json_blob", "json_chat", "chat", "react_json"), "polylect-json-blob"),
    **dict.fromkeys(("tool_calls", "openai_functions"), "polylect-tool-calls"),
    "xml_tags": "polylect-xml-tags",
}
INSTALLED = [info.name for info in polylect.lects()]
"""The bundled lects, and whatever else is installed beside them."""


class Own(polylect.TextLect):
    """All of a text is content."""

    name = "mine"
    title = "A tongue of one's own"
    family = "own"
    aliases = ("my_own", "my_model_7b")
    grammar_file = "start: content?\ncontent: TEXT\nTEXT: /[\\s\\S]+/\n"


def own(name: Any, aliases: Any = ()) -> polylect.TextLect:
    """A lect of that name."""
    made: polylect.TextLect = type("Own", (Own,), {"name": name, "aliases": aliases})()
    return made


@pytest.fixture(autouse=True)
def _own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test registers is forgotten."""
    monkeypatch.setattr(_registry, "registry", _registry.Registry())


def test_the_bundled_lects_are_listed_by_name() -> None:
    infos = polylect.lects()
    assert [info.name for info in infos] == sorted(info.name for info in infos)
    assert {info.name: info.distribution for info in infos}.items() >= BUNDLED.items()


@pytest.mark.parametrize("name", BUNDLED)
def test_a_lect_is_what_it_was_listed_as(name: str) -> None:
    (info,) = [info for info in polylect.lects() if info.name == name]
    lect = polylect.lect(name)
    assert (lect.name, lect.title, lect.family, lect.aliases) == (info.name, info.title, info.family, info.aliases)
    for alias in lect.aliases:
        assert polylect.lect(alias) is lect


def test_the_bundled_plugins_are_listed_with_their_lects() -> None:
    plugins = {x.distribution: x for x in polylect.plugins() if x.distribution in BUNDLED.values()}
    assert {name: x.distribution for x in plugins.values() for name in x.lects} == BUNDLED
    assert all(x.error is None for x in plugins.values())
    assert {x.version for x in plugins.values()} == {polylect.__version__}


@pytest.mark.parametrize("given", [Own, Own()])
def test_register_takes_a_lect_or_its_class_and_gives_the_lect_back(given: Any) -> None:
    lect = polylect.register(given)
    assert isinstance(lect, Own)
    for name in ("mine", "my_own", "my_model_7b"):
        assert polylect.lect(name) is lect
    (info,) = [x for x in polylect.lects() if x.name == "mine"]
    assert info == ("mine", "A tongue of one's own", "own", "polylect.register()", ("my_own", "my_model_7b"), ())
    assert lect.parse("Hello.").content == "Hello."


@pytest.mark.parametrize("spelling", ["react", "React", " REACT ", "react-bracket", "React-Bracket", "XML", "OpenAI"])
def test_a_name_is_found_in_any_case_with_dashes_and_blanks(spelling: str) -> None:
    found = {"xml": "xml_tags", "openai": "tool_calls"}
    name = spelling.strip().lower().replace("-", "_")
    assert polylect.lect(spelling).name == found.get(name, name)


@pytest.mark.parametrize(
    ("lect", "taken", "owner"),
    [
        (own("react"), "react", "polylect-react"),
        (own("structured_chat"), "structured_chat", "polylect-json-blob"),
        (own("other", ("react",)), "react", "polylect-react"),
        (own("other", ("openai",)), "openai", "polylect-tool-calls"),
    ],
)
def test_a_name_that_is_taken_is_told_with_its_owner(lect: polylect.Lect, taken: str, owner: str) -> None:
    before = polylect.lects()
    with pytest.raises(PluginError) as caught:
        polylect.register(lect)
    assert f"{owner} both bring a lect named {taken!r}" in str(caught.value)
    assert "override=True" in str(caught.value)
    assert polylect.lects() == before


def test_override_replaces_the_other() -> None:
    mine = own("react")
    assert polylect.register(mine, override=True) is mine
    assert polylect.lect("react") is mine
    assert [x.distribution for x in polylect.lects() if x.name == "react"] == ["polylect.register()"]
    newer = own("react")
    polylect.register(newer, override=True)
    assert polylect.lect("react") is newer


def test_override_may_take_an_alias() -> None:
    mine = own("mine", ("openai",))
    polylect.register(mine, override=True)
    assert polylect.lect("openai") is mine
    assert polylect.lect("tool_calls").name == "tool_calls"


def test_a_lect_that_is_unregistered_is_gone_with_its_aliases() -> None:
    polylect.register(Own)
    polylect.unregister("mine")
    for name in ("mine", "my_own"):
        with pytest.raises(LectError):
            polylect.lect(name)
    with pytest.raises(LectError, match="There is no lect 'mine'"):
        polylect.unregister("mine")
    polylect.register(own("my_own"))


@pytest.mark.parametrize("name", ["reakt", "xml", "", "mine"])
def test_what_is_not_there_cannot_be_unregistered(name: str) -> None:
    with pytest.raises(LectError) as caught:
        polylect.unregister(name)
    assert f"Did you mean {name!r}?" not in str(caught.value)
    assert [info.name for info in polylect.lects()] == INSTALLED


@pytest.mark.parametrize(
    "given",
    [
        None,
        5,
        "react",
        str,
        object(),
        polylect.TextLect,
        polylect.Lect(),
        own(""),
        own(5),
        own("mine", 5),
        own("mine", "x"),
    ],
)
def test_what_is_no_lect_with_a_name_is_not_registered(given: Any) -> None:
    with pytest.raises(PluginError):
        polylect.register(given)
    assert [info.name for info in polylect.lects()] == INSTALLED


def test_a_lect_that_fails_when_it_is_made_raises_as_it_is() -> None:
    class Fails(Own):
        def __init__(self) -> None:
            raise RuntimeError("no licence")

    with pytest.raises(RuntimeError, match="no licence"):
        polylect.register(Fails)


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("reakt", "react"),
        ("Reakt", "react"),
        ("react_braket", "react_bracket"),
        ("json blob", "json_blob"),
        ("jsonblob", "json_blob"),
        ("toolcalls", "tool_calls"),
        ("xmltags", "xml_tags"),
        ("structured_chats", "structured_chat"),
    ],
)
def test_an_unknown_lect_is_told_with_the_nearest(name: str, nearest: str) -> None:
    with pytest.raises(LectError) as caught:
        polylect.lect(name)
    installed = f"Installed: {', '.join(INSTALLED)}."
    assert str(caught.value) == f"There is no lect {name!r}. Did you mean {nearest!r}? {installed}"


@pytest.mark.parametrize("name", ["", "zulu", "nope", "\ud800", "\0", "a" * 100_000])
def test_a_lect_that_nothing_is_near_to_is_told_with_what_there_is(name: str) -> None:
    with pytest.raises(LectError) as caught:
        polylect.lect(name)
    assert str(caught.value).endswith(f" Installed: {', '.join(INSTALLED)}.")
    assert "Did you mean" not in str(caught.value)


@pytest.mark.parametrize("name", [None, 5, b"react", ["react"], polylect.lect])
def test_a_name_that_is_no_text_is_the_callers_error(name: Any) -> None:
    with pytest.raises(LectError, match="A lect's name is text, not "):
        polylect.lect(name)
    with pytest.raises(LectError):
        polylect.unregister(name)


def test_a_lect_says_what_it_is() -> None:
    assert repr(polylect.lect("react")) == "<lect react>"
