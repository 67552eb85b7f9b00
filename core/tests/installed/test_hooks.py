"""Hooks: misspelt, unmarked, or giving rubbish, they are told; and lects that do not load are the plugin's error."""

from __future__ import annotations

from typing import Any

import pytest

from .site import INSTALLED, Site, lect_source


def test_a_misspelt_hook_is_an_error_with_the_nearest(site: Site) -> None:
    source = lect_source("mine", "mine_module").replace("def polylect_lects", "def polylect_lect")
    site.install("mine", "1.0", {"mine": "mine_module"}, mine_module=source)
    looked = site.look("mine")
    told = "mine implements no known hook: 'polylect_lect'. Did you mean 'polylect_lects'?"
    assert looked["plugins"]["mine of mine 1.0"] == told
    assert len(looked["warnings"]) == 1


def test_a_hook_without_its_mark_is_an_error(site: Site) -> None:
    source = lect_source("mine", "mine_module").replace("@polylect.hookimpl\n", "")
    site.install("mine", "1.0", {"mine": "mine_module"}, mine_module=source)
    assert "hookimpl" in (site.look()["plugins"]["mine of mine 1.0"] or "no error")


def test_a_hook_that_asks_for_what_there_is_not_is_an_error(site: Site) -> None:
    source = lect_source("mine", "mine_module").replace("polylect_lects()", "polylect_lects(x)")
    site.install("mine", "1.0", {"mine": "mine_module"}, mine_module=source)
    assert "{'x'}" in site.look()["plugins"]["mine of mine 1.0"]


def test_an_object_may_be_the_plugin(site: Site) -> None:
    source = """
    import polylect

    class Plugin:
        @polylect.hookimpl
        def polylect_lects(self):
            yield polylect.LectSpec("mine", "T", "own", lambda: polylect.lect("react"))

    plugin = Plugin()
    """
    site.install("mine", "1.0", {"mine": "mine_module:plugin"}, mine_module=source)
    looked = site.look("mine")
    assert looked["brings"]["mine"] == ["mine"]
    assert looked["lect"]["mine"] == "<lect react>"


RUBBISH = {
    "a_number": "5",
    "no_specs": "['a']",
    "a_text": "'a'",
    "a_lect": "[Own()]",
    "no_list": "polylect.LectSpec('no_list', 'T', 'own', Own)",
    "a_mapping": "{'a_mapping': polylect.LectSpec('a_mapping', 'T', 'own', Own)}",
    "no_title": "[polylect.LectSpec('no_title', None, 'own', Own)]",
    "no_name": "[polylect.LectSpec('', 'T', 'own', Own)]",
    "no_aliases": "[polylect.LectSpec('no_aliases', 'T', 'own', Own, 'x')]",
    "twice": "[polylect.LectSpec('twice', 'T', 'own', Own)] * 2",
    "an_error": "(_ for _ in ()).throw(KeyError('x'))",
    "a_late_error": "(1 // 0 for _ in 'a')",
}
NOTHING = {"none": "None", "a_list": "[]", "a_tuple": "()", "an_iterator": "iter(())"}


@pytest.fixture(scope="module")
def among_rubbish(wide_site: Site) -> dict[str, Any]:
    """What is found where one hook gives a lect, some give nothing, and all others give rubbish."""
    wide_site.install_lect("good", "1.0", "good", "zzz")
    for name, returned in (RUBBISH | NOTHING).items():
        source = lect_source(name, f"{name}_module", returned)
        wide_site.install(name, "1.0", {name: f"{name}_module"}, **{f"{name}_module": source})
    return wide_site.look("zzz", *RUBBISH)


@pytest.mark.parametrize("name", RUBBISH)
def test_a_hook_that_gives_rubbish_is_isolated_and_reported(among_rubbish: dict[str, Any], name: str) -> None:
    error = among_rubbish["plugins"][f"{name} of {name} 1.0"]
    assert error, "it is broken"
    assert f"polylect plugin {name!r} of {name} is broken: {error}" in among_rubbish["warnings"]


def test_rubbish_leaves_the_other_plugins_alone(among_rubbish: dict[str, Any]) -> None:
    said = dict(among_rubbish["lect"])
    assert among_rubbish["lects"] == sorted([*INSTALLED, "zzz"])
    assert said.pop("zzz") == "<lect zzz>"
    assert [x for x in said.values() if not x.startswith("LectError: There is no lect ")] == []


def test_a_lect_whose_name_is_no_text_leaves_the_others_alone(site: Site) -> None:
    source = lect_source("mine", "mine_module", "[polylect.LectSpec(5, 'T', 'own', Own)]")
    site.install("mine", "1.0", {"mine": "mine_module"}, mine_module=source)
    looked = site.look("react")
    assert looked["plugins"]["mine of mine 1.0"], "it is broken"
    assert looked["lects"] == INSTALLED


@pytest.mark.parametrize("name", NOTHING)
def test_a_hook_may_bring_nothing(among_rubbish: dict[str, Any], name: str) -> None:
    assert among_rubbish["brings"][name] == []


LOADS = {
    "no_module": ("'nowhere_at_all:Own'", "ModuleNotFoundError: No module named 'nowhere_at_all'"),
    "no_attribute": (
        "'no_attribute_module:Own2'",
        "AttributeError: module 'no_attribute_module' has no attribute 'Own2'",
    ),
    "no_lect": ("lambda: 5", "'no_lect' loads as int, not as a Lect."),
    "raises": ("lambda: 1 // 0", "ZeroDivisionError: "),
    "no_callable": ("5", "'int' object is not callable"),
    "exits": ("'sys:exit'", "SystemExit"),
}


@pytest.fixture(scope="module")
def unloadable(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What is found where lects are announced that do not load."""
    site = Site(tmp_path_factory.mktemp("unloadable") / "site")
    for name, (load, _) in LOADS.items():
        source = lect_source(name, f"{name}_module", f"[polylect.LectSpec({name!r}, 'T', 'own', {load})]")
        site.install(name, "1.0", {name: f"{name}_module"}, **{f"{name}_module": source})
    return site.run(
        f"""
        found = {{"lects": [x.name for x in polylect.lects()]}}
        for name in {[*LOADS, "react"]!r}:
            try:
                found[name] = repr(polylect.lect(name))
            except BaseException as error:
                found[name] = f"{{type(error).__name__}}: {{error}}"
        try:
            found["detected"] = [x.lect for x in polylect.detect("Thought: x\\nAction: a\\nAction Input: b")]
        except BaseException as error:
            found["detected"] = repr(error)
        """
    )


@pytest.mark.parametrize("name", LOADS)
def test_a_lect_that_does_not_load_is_the_plugins_error(unloadable: dict[str, Any], name: str) -> None:
    assert unloadable[name].startswith("PluginError: ")
    assert LOADS[name][1] in unloadable[name]
    assert repr(name) in unloadable[name]


def test_a_lect_that_does_not_load_is_listed_and_leaves_the_others_alone(unloadable: dict[str, Any]) -> None:
    assert unloadable["lects"] == sorted([*INSTALLED, *LOADS])
    assert unloadable["react"] == "<lect react>"
    assert unloadable["detected"][0] == "react"
