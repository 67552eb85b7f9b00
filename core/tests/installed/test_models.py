"""Models of installed plugins: found without being loaded, isolated when broken, named when they are in conflict."""

from __future__ import annotations

from typing import Any

import pytest

from .site import Site

MODEL = """
import polylect


def make(argument, **options):
    return lambda prompt: f"{NAME} {argument}"


NAME = NAMES[0]


@polylect.hookimpl
def polylect_models():
    return [polylect.ModelSpec(name, "T", RETURNS) for name in NAMES]
"""


def install(site: Site, distribution: str, point: str, *names: str, returns: str = "make") -> None:
    """A distribution that brings models of these names."""
    module = f"{distribution.replace('-', '_')}_module"
    source = MODEL.replace("RETURNS", returns).replace("NAMES", repr(names or (point,)))
    site.install(distribution, "1.0", {point: module}, **{module: source})


def look(site: Site, *names: str) -> dict[str, Any]:
    """The plugins, the models, the warnings, and what each model says."""
    return site.run(
        f"""
        found = {{
            "errors": {{x.name: x.error for x in polylect.plugins()}},
            "brings": {{x.name: list(x.models) for x in polylect.plugins()}},
            "models": {{x.name: x.distribution for x in polylect.models()}},
            "says": {{name: answer(lambda: polylect.model(name)("Hi")) for name in {names!r}}},
            "warnings": seen,
        }}
        """
    )


def test_a_model_of_a_plugin_is_found(site: Site) -> None:
    install(site, "mine", "mine", "mine", "other")
    looked = look(site, "mine", "mine:a:b", "Other")
    assert looked["brings"]["mine"] == ["mine", "other"]
    assert looked["models"].items() >= {"mine": "mine", "other": "mine", "scripted": "polylect-core"}.items()
    assert looked["says"] == {"mine": "mine None", "mine:a:b": "mine a:b", "Other": "mine None"}
    assert looked["warnings"] == []


def test_a_plugin_may_bring_lects_and_models(site: Site) -> None:
    source = """
    import polylect

    @polylect.hookimpl
    def polylect_lects():
        return [polylect.LectSpec("mine", "T", "own", lambda: polylect.lect("react"))]

    @polylect.hookimpl
    def polylect_models():
        yield polylect.ModelSpec("mine", "T", lambda argument: lambda prompt: "yes")
    """
    site.install("mine", "1.0", {"mine": "mine_module"}, mine_module=source)
    found = site.run(
        "found = {'lect': repr(polylect.lect('mine')), 'says': polylect.model('mine')('Hi'), 'warnings': seen}"
    )
    assert found == {"lect": "<lect react>", "says": "yes", "warnings": []}


def test_a_plugin_with_hooks_around_runs_says_so(site: Site) -> None:
    source = "import polylect\n\n@polylect.hookimpl\ndef polylect_after_run(state, result):\n    pass\n"
    site.install("mine", "1.0", {"mine": "mine_module"}, mine_module=source)
    install(site, "other", "other", "other")
    found = site.run("found = {'hooks': {x.name: list(x.hooks) for x in polylect.plugins()}}")
    assert found["hooks"]["mine"] == ["polylect_after_run"]
    assert found["hooks"]["other"] == []


def test_listing_models_loads_none(site: Site) -> None:
    install(site, "mine", "mine", returns="'nowhere_at_all:Model'")
    found = site.run(
        """
        names = [x.name for x in polylect.models()]
        heavy = ("openai", "anthropic", "xllamacpp", "pydantic", "anyio", "httpx", "httpx2", "asyncio")
        found = {"names": names, "heavy": [x for x in heavy if x in sys.modules]}
        found["private"] = [x for x in sys.modules if x.startswith("polylect_") and "._" in x.removesuffix("._spec")]
        """
    )
    assert "mine" in found["names"]
    assert found["heavy"] == found["private"] == []


def test_one_name_of_two_plugins_is_neithers(site: Site) -> None:
    install(site, "first", "one", "same", "mine")
    install(site, "second", "two", "same", "yours")
    looked = look(site, "same", "mine", "yours")
    error = "second and first both bring a model named 'same'. Uninstall one, or register yours with override=True."
    assert looked["errors"]["two"] == error
    assert looked["says"] == {
        "same": f"PluginError: The model 'same' can't be had: {error}", "mine": "same None", "yours": "same None",
    }  # fmt: skip
    (warned,) = looked["warnings"]
    assert warned == f"polylect plugin 'two' of second is in conflict: {error}"


def test_a_model_of_this_project_is_not_lost_to_another_distribution(site: Site) -> None:
    install(site, "aaa", "openai")
    install(site, "bbb", "bbb", "scripted")
    looked = look(site, "openai", "scripted")
    assert "aaa 1.0 and polylect-openai " in looked["says"]["openai"]
    assert looked["says"]["openai"].startswith("PluginError: The model 'openai' can't be had: ")
    assert "bbb and polylect-core both bring a model named 'scripted'" in looked["says"]["scripted"]


@pytest.mark.parametrize(
    ("returns", "told"),
    [
        ("5", "is loaded by a factory or 'module:attribute', not 5"),
        ("1 // 0", "ZeroDivisionError: "),
    ],
)
def test_rubbish_is_isolated_and_reported(site: Site, returns: str, told: str) -> None:
    install(site, "bad", "bad", returns=returns)
    install(site, "good", "good")
    looked = look(site, "good", "bad")
    assert told in looked["errors"]["bad"]
    assert looked["errors"]["good"] is None
    assert looked["says"]["good"] == "good None"
    assert looked["says"]["bad"].startswith("ModelError: There is no model 'bad'.")
    assert f"'bad' of bad: {looked['errors']['bad']}" in looked["says"]["bad"]


@pytest.mark.parametrize("rubbish", ["[5]", "5", "['a']", "[polylect.LectSpec('a', 'b', 'c', 'd')]"])
def test_what_is_no_list_of_models_is_reported(site: Site, rubbish: str) -> None:
    source = f"import polylect\n\n@polylect.hookimpl\ndef polylect_models():\n    return {rubbish}\n"
    site.install("bad", "1.0", {"bad": "bad_module"}, bad_module=source)
    looked = look(site)
    assert looked["errors"]["bad"]
    assert len(looked["warnings"]) == 1


def test_models_that_are_not_installed_are_named_with_the_install_line(site: Site) -> None:
    for name in ("openai", "anthropic", "local"):
        site.install(f"polylect-{name}", "9.9", {})
    looked = look(site, "openai:gpt", "anthropc", "local")
    assert looked["models"] == {"scripted": "polylect-core"}
    assert looked["says"] == {
        "openai:gpt": "ModelError: The model 'openai' is not installed. Run: pip install polylect-openai "
        "(in a checkout: pip install ./plugins/openai).",
        "anthropc": "ModelError: There is no model 'anthropc'. Did you mean 'anthropic'? Run: pip install "
        "polylect-anthropic (in a checkout: pip install ./plugins/anthropic). Installed: scripted.",
        "local": "ModelError: The model 'local' is not installed. Run: pip install polylect-local "
        "(in a checkout: pip install ./plugins/local).",
    }


def test_a_model_whose_plugin_is_broken_is_not_said_to_be_missing(site: Site) -> None:
    site.install(
        "polylect-openai", "9.9", {"openai": "broken_module"}, broken_module="raise RuntimeError('no licence')"
    )
    says = look(site, "openai:gpt")["says"]["openai:gpt"]
    assert says == "PluginError: The model 'openai' can't be had: polylect-openai is broken: RuntimeError: no licence"
