"""Models of one's own by ``register_model``: names, arguments, options, and what is said when there is none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import polylect
from polylect import ModelError, PluginError, _models, _registry


class Own:
    """A model that says what it was made with."""

    def __init__(self, argument: str | None, *, size: int = 1, **options: Any) -> None:
        self.made = argument, size, options

    def __call__(self, prompt: Any) -> str:
        return f"{prompt} {self.made}"


def strict(argument: str | None, *, size: int, colour: str = "red") -> Own:
    return Own(argument, size=size, colour=colour)


@pytest.fixture(autouse=True)
def _own_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test registers is forgotten."""
    monkeypatch.setattr(_registry, "registry", _registry.Registry())


def test_models_are_listed_by_name_with_their_distribution() -> None:
    infos = polylect.models()
    assert [info.name for info in infos] == sorted(info.name for info in infos)
    assert ("scripted", "polylect-core") in {(info.name, info.distribution) for info in infos}
    assert {info.name: info.distribution for info in infos}.items() <= _models.KNOWN.items()
    assert all(info.title for info in infos)


@pytest.mark.parametrize(
    ("arguments", "made"),
    [
        (("mine",), None),
        (("mine:",), None),
        (("mine:a:b",), "a:b"),
        (("mine", "a:b"), "a:b"),
        ((" MINE:a",), "a"),
        (("Mine",), None),
    ],
)
def test_the_argument_stands_behind_the_first_colon(arguments: tuple[str, ...], made: str | None) -> None:
    polylect.register_model("mine", Own)
    assert polylect.model(*arguments, size=2, more="x").made == (made, 2, {"more": "x"})


def test_a_model_is_made_anew_each_time() -> None:
    polylect.register_model("mine", Own, title="My own")
    assert polylect.model("mine") is not polylect.model("mine")
    assert polylect.ModelInfo("mine", "My own", "polylect.register_model()") in polylect.models()


def test_a_factory_may_be_named() -> None:
    polylect.register_model("mine", "polylect._scripted:scripted")
    assert isinstance(polylect.model("mine", replies=["a"]), polylect.Scripted)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"size": 1, "color": "x"}, "takes no option 'color'. Did you mean 'colour'? Its options: size, colour."),
        ({}, "needs the option 'size'."),
    ],
)
def test_options_are_checked_before_the_model_is_made(options: dict[str, Any], told: str) -> None:
    polylect.register_model("mine", strict)
    with pytest.raises(ModelError) as caught:
        polylect.model("mine", **options)
    assert str(caught.value) == f"The model 'mine' of polylect.register_model() {told}"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("scriptd", "There is no model 'scriptd'. Did you mean 'scripted'? Installed: "),
        ("nothing:like:it", "There is no model 'nothing'. Installed: "),
        ("gpt-4o-mini", "There is no model 'gpt-4o-mini'. Installed: "),
        ("", "There is no model ''. Installed: "),
    ],
)
def test_a_model_that_there_is_not(name: str, told: str) -> None:
    with pytest.raises(ModelError) as caught:
        polylect.model(name)
    assert str(caught.value).startswith(told)


def test_a_bare_name_may_be_that_of_a_model_on_a_server() -> None:
    told = "What a server calls its model stands behind a colon: 'openai:gpt-4o-mini'."
    with pytest.raises(ModelError) as caught:
        polylect.model("gpt-4o-mini")
    assert told in str(caught.value)
    for other in ("scriptd", "nothing:like:it", " "):
        with pytest.raises(ModelError) as caught:
            polylect.model(other)
        assert "behind a colon" not in str(caught.value)


@pytest.mark.parametrize("name", [None, 5, b"scripted", Own(None)])
def test_a_name_is_text(name: Any) -> None:
    for ask in (polylect.model, polylect.unregister_model):
        with pytest.raises(ModelError, match="A model's name is text"):
            ask(name)


def test_there_is_one_argument_and_it_is_text() -> None:
    polylect.register_model("mine", Own)
    with pytest.raises(ModelError, match="has two arguments: 'a', and 'b'"):
        polylect.model("mine:a", "b")
    with pytest.raises(ModelError, match="argument is text, not int"):
        polylect.model("mine", 5)  # type: ignore[arg-type]


def test_a_name_that_is_taken_is_taken() -> None:
    polylect.register_model("mine", Own)
    for name in ("mine", "scripted"):
        with pytest.raises(PluginError, match=f"both bring a model named '{name}'"):
            polylect.register_model(name, strict)
    polylect.register_model("mine", strict, override=True)
    assert polylect.model("mine", size=3).made == (None, 3, {"colour": "red"})


def test_a_model_may_be_forgotten() -> None:
    polylect.register_model("mine", Own)
    polylect.unregister_model("mine")
    for ask in (polylect.model, polylect.unregister_model):
        with pytest.raises(ModelError, match="There is no model 'mine'"):
            ask("mine")


@pytest.mark.parametrize(
    ("name", "load", "told"),
    [
        ("", Own, "has a name and a title"),
        (5, Own, "has a name and a title"),
        ("a:b", Own, "what stands behind a colon is its argument"),
        ("mine", None, "by a factory or 'module:attribute', not None"),
        ("mine", 5, "by a factory or 'module:attribute', not 5"),
    ],
)
def test_what_is_registered_is_checked(name: Any, load: Any, told: str) -> None:
    with pytest.raises(PluginError, match=told):
        polylect.register_model(name, load)


def fails(argument: str | None) -> Any:
    raise RuntimeError("no licence")


@pytest.mark.parametrize(
    ("load", "told"),
    [
        ("nowhere_at_all:Own", "can't be made: ModuleNotFoundError: No module named 'nowhere_at_all'"),
        ("polylect._scripted:nothing", "can't be made: AttributeError: "),
        ("polylect:__version__", "announced with str, which makes no model"),
        (lambda argument: 5, "made as int, which can't be called"),
        (lambda argument: "text", "made as str, which can't be called"),
        (fails, "can't be made: RuntimeError: no licence"),
        ("sys:exit", "can't be made: SystemExit"),
    ],
)
def test_a_model_that_can_not_be_made_is_the_plugins_error(load: str | Callable[..., Any], told: str) -> None:
    polylect.register_model("mine", load)
    with pytest.raises(PluginError) as caught:
        polylect.model("mine")
    assert "'mine' " in str(caught.value)
    assert told in str(caught.value)


def test_the_models_own_errors_come_through() -> None:
    polylect.register_model("mine", lambda argument: polylect.model("scripted", replies="text"))
    with pytest.raises(ModelError, match="are a list, not str"):
        polylect.model("mine")


PLUGIN = """
import polylect

def make(argument, **options):
    return lambda prompt: f"{argument} {options}"

@polylect.hookimpl
def polylect_models():
    return [polylect.ModelSpec(name, "T", make) for name in NAMES]
"""


def test_a_plugin_file_may_bring_models(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(PLUGIN.replace("NAMES", "('mine', 'yours')"))
    polylect.load_plugin_file(file)
    assert polylect.model("mine:a", b=1)("Hi") == "a {'b': 1}"
    assert ("yours", str(file)) in {(info.name, info.distribution) for info in polylect.models()}


@pytest.mark.parametrize("names", ["('fine', 'scripted')", "('fine', 5)", "('fine', 'fine')", "('fine', 1 // 0)"])
def test_a_plugin_file_that_fails_leaves_nothing_behind(tmp_path: Path, names: str) -> None:
    before = polylect.models()
    file = tmp_path / "mine.py"
    file.write_text(f"{PLUGIN.replace('NAMES', names)}\npolylect.register_model('extra', make)\n")
    with pytest.raises(PluginError):
        polylect.load_plugin_file(file)
    assert polylect.models() == before
