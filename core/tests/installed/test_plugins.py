"""Installed plugins: found in order, isolated when they are broken, and named when they are in conflict."""

from __future__ import annotations

from typing import Any

import pytest

from polylect._registry import KNOWN

from .site import INSTALLED, Site


def test_plugins_are_loaded_in_sorted_order(site: Site) -> None:
    for name, point in (("zeta", "beta"), ("alpha", "omega"), ("mid", "Alpha")):
        site.install_lect(name, "7.7", point)
    looked = site.look("omega", "beta", "Alpha")
    names = list(looked["plugins"])
    assert [x for x in names if x.endswith("7.7")] == ["Alpha of mid 7.7", "beta of zeta 7.7", "omega of alpha 7.7"]
    assert names == sorted(names)
    assert looked["lects"] == sorted([*INSTALLED, "Alpha", "beta", "omega"])
    assert looked["lect"] == {"omega": "<lect omega>", "beta": "<lect beta>", "Alpha": "<lect Alpha>"}
    assert looked["warnings"] == []


BROKEN = {
    "raises": ("raise RuntimeError('no licence')", "RuntimeError: no licence"),
    "imports": ("import nowhere_at_all", "ModuleNotFoundError: No module named 'nowhere_at_all'"),
    "syntax": ("def (", "SyntaxError: "),
    "recursion": ("def f(): f()\nf()", "RecursionError: "),
    "own_error": ("class Odd(Exception):\n    def __str__(self): return 'odd'\nraise Odd", "Odd: odd"),
}
LOST = {
    "no_module": ("nowhere_at_all", "ModuleNotFoundError: No module named 'nowhere_at_all'"),
    "no_attribute": ("good_module:nothing", "AttributeError: module 'good_module' has no attribute 'nothing'"),
}


@pytest.fixture(scope="module")
def among_broken_ones(wide_site: Site) -> dict[str, Any]:
    """What is found where one plugin is sound, and all others are broken."""
    wide_site.install_lect("good", "1.0", "good", "zzz")
    for name, (source, _) in BROKEN.items():
        wide_site.install(name, "2.0", {name: f"{name}_module"}, **{f"{name}_module": source})
    for name, (target, _) in LOST.items():
        wide_site.install(name, "2.0", {name: target})
    return wide_site.look("zzz", "react")


@pytest.mark.parametrize("name", [*BROKEN, *LOST])
def test_a_plugin_that_does_not_load_is_reported_and_warned_of(among_broken_ones: dict[str, Any], name: str) -> None:
    error = among_broken_ones["plugins"][f"{name} of {name} 2.0"]
    assert error.startswith((BROKEN | LOST)[name][1])
    assert f"polylect plugin {name!r} of {name} is broken: {error}" in among_broken_ones["warnings"]


def test_a_plugin_that_does_not_load_leaves_the_others_alone(among_broken_ones: dict[str, Any]) -> None:
    assert among_broken_ones["lects"] == sorted([*INSTALLED, "zzz"])
    assert among_broken_ones["lect"] == {"zzz": "<lect zzz>", "react": "<lect react>"}
    assert len(among_broken_ones["warnings"]) == len(BROKEN) + len(LOST)


def test_a_plugin_that_exits_is_isolated_as_well(site: Site) -> None:
    site.install("broken", "2.0", {"broken": "broken_module"}, broken_module="import sys; sys.exit('no licence')")
    site.install_lect("good", "1.0", "zzz")
    looked = site.look("zzz")
    assert looked["plugins"]["broken of broken 2.0"] == "SystemExit: no licence"
    assert looked["lects"] == sorted([*INSTALLED, "zzz"])


def test_warnings_that_are_errors_do_not_hide_the_other_lects(site: Site) -> None:
    site.install("broken", "2.0", {"broken": "broken_module"}, broken_module="raise RuntimeError('no licence')")
    site.install_lect("good", "1.0", "zzz")
    found = site.run(
        """
        try:
            polylect.lects()
        except UserWarning:
            pass
        found = {"lects": [x.name for x in polylect.lects()], "plugins": [x.name for x in polylect.plugins()]}
        """,
        *("-W", "error::UserWarning"),
    )
    assert found["lects"] == sorted([*INSTALLED, "zzz"])
    assert "broken" in found["plugins"]


def test_two_distributions_of_one_entry_point_name_are_named_with_their_versions(site: Site) -> None:
    site.install_lect("first", "1.1", "twin", lect="one")
    site.install_lect("second", "1.2", "twin", lect="two")
    looked = site.look("one", "two", "twin")
    assert looked["plugins"]["twin of first 1.1"] is None
    error = looked["plugins"]["twin of second 1.2"]
    assert all(word in error for word in ("'twin'", "first", "1.1", "second", "1.2"))
    assert len(looked["warnings"]) == 1
    assert looked["lect"]["one"] == "<lect one>"
    assert looked["lect"]["two"].startswith("LectError: There is no lect 'two'.")
    assert looked["lect"]["two"].endswith(f" A plugin that is broken may bring it: 'twin' of second: {error}")
    assert looked["lect"]["twin"] == f"PluginError: The lect 'twin' can't be had: {error}"


def test_a_lect_called_like_the_plugin_that_two_distributions_claim_is_neithers(site: Site) -> None:
    for name in ("first", "second", "third"):
        site.install_lect(name, "1.0", "done")
    looked = site.look("done", "Done", "react")
    told = "third 1.0 and second 1.0 and first 1.0 all claim the plugin name 'done'. Uninstall one."
    for name in ("done", "Done"):
        assert looked["lect"][name] == f"PluginError: The lect 'done' can't be had: {told}"
    assert looked["lect"]["react"] == "<lect react>"
    assert len(looked["warnings"]) == 2


def test_a_plugin_name_of_this_project_is_not_lost_to_another_distribution(site: Site) -> None:
    site.install_lect("aaa", "1.0", "react", lect="mine")
    looked = site.look("react", "react_bracket", "react_docstore", "mine")
    assert "aaa 1.0 and polylect-react " in looked["plugins"]["react of aaa 1.0"]
    assert looked["lect"]["react"].startswith("PluginError: ")
    assert "aaa 1.0 and polylect-react " in looked["lect"]["react"]
    assert looked["lect"]["react_bracket"] == "<lect react_bracket>"
    assert looked["lect"]["react_docstore"] == "<lect docstore>"
    assert "'react' of aaa" in looked["lect"]["mine"]


def test_a_lect_that_is_not_there_is_told_with_the_broken_plugins(site: Site) -> None:
    for name in ("alpha", "beta", "gamma", "mine"):
        site.install(name, "1.0", {name: f"{name}_module"}, **{f"{name}_module": f"raise RuntimeError('no {name}')"})
    looked = site.look("mine")
    assert looked["lect"]["mine"].endswith(
        " A plugin that is broken may bring it: 'mine' of mine: RuntimeError: no mine; "
        "'alpha' of alpha: RuntimeError: no alpha; 'beta' of beta: RuntimeError: no beta; "
        "and 1 more, see polylect.plugins()."
    )


def test_two_plugins_of_one_lect_are_named_both(site: Site) -> None:
    site.install_lect("first", "1.1", "one", lect="same")
    site.install_lect("second", "1.2", "two", lect="same")
    looked = site.look("same", "Same")
    error = looked["plugins"]["two of second 1.2"]
    assert error.startswith("second and first both bring a lect named 'same'. Uninstall one")
    assert looked["brings"]["one"] == ["same"]
    assert looked["lect"] == dict.fromkeys(("same", "Same"), f"PluginError: The lect 'same' can't be had: {error}")
    assert len(looked["warnings"]) == 1
    assert error in looked["warnings"][0]


def test_three_plugins_of_one_lect_are_all_named(site: Site) -> None:
    for name in ("first", "second", "third"):
        site.install_lect(name, "1.0", name, lect="same")
    assert "third and second and first all bring a lect named 'same'." in site.look("same")["lect"]["same"]


FAMILY = """
import polylect


def made(name):
    return lambda: type("Own", (polylect.TextLect,), {"name": name, "grammar_file": "start: TEXT?\\nTEXT: /[a-z]+/"})()


@polylect.hookimpl
def polylect_lects():
    return [polylect.LectSpec(name, "T", "own", made(name), (f"{name}_alias",)) for name in NAMES]
"""


@pytest.mark.parametrize("stranger", ["aaa", "zealot"])
def test_only_the_name_that_two_plugins_claim_is_contested(site: Site, stranger: str) -> None:
    source = FAMILY.replace("NAMES", repr(("mine", "react", "yours")))
    site.install(stranger, "1.0", {stranger: "stranger_module"}, stranger_module=source)
    names = ("mine", "react", "yours", "mine_alias", "react_bracket", "react_docstore", "json_blob", "tool_calls")
    looked = site.look(*names)
    assert looked["lects"] == sorted([*INSTALLED, "mine", "yours"])
    first, second = sorted((stranger, "polylect-react"))
    (error,) = [x for x in looked["plugins"].values() if x]
    assert error.startswith(f"{second} and {first} both bring a lect named 'react'.")
    (warned,) = looked["warnings"]
    assert error in warned
    said = dict(looked["lect"])
    assert said.pop("react") == f"PluginError: The lect 'react' can't be had: {error}"
    assert [x for x in said.values() if "Error" in x] == []


def test_who_has_a_name_that_two_claim_may_take_it_over(site: Site) -> None:
    site.install_lect("zealot", "1.0", "zealot", "react")
    found = site.run(
        """
        from polylect_react._react import React
        mine = polylect.lects() and polylect.register(React, override=True)
        found = {"mine": polylect.lect("react") is mine}
        polylect.unregister("react")
        found["gone"] = answer(lambda: polylect.lect("react"))
        """
    )
    assert found["mine"]
    assert "Error: " in found["gone"]


@pytest.mark.parametrize(
    ("lect", "aliases", "more"),
    [
        ("react", (), []),
        ("structured_chat", (), []),
        ("mine", ("react",), ["mine"]),
        ("mine", ("openai",), ["mine"]),
    ],
)
@pytest.mark.parametrize("stranger", ["aaa", "zealot"])
def test_a_plugin_does_not_take_a_name_or_an_alias_from_another(
    site: Site, stranger: str, lect: str, aliases: tuple[str, ...], more: list[str]
) -> None:
    site.install_lect(stranger, "1.0", stranger, lect, aliases)
    looked = site.look("react", "json_blob", "openai", "structured_chat", *more, "react_bracket", "tool_calls")
    taken = (lect, *aliases)[-1]
    (error,) = [x for x in looked["plugins"].values() if x]
    if stranger == "zealot":
        assert looked["plugins"]["zealot of zealot 1.0"].startswith("zealot and polylect-")
    assert stranger in error
    assert f"both bring a lect named '{taken}'" in error
    assert looked["lect"].pop(taken) == f"PluginError: The lect '{taken}' can't be had: {error}"
    usual = {"openai": "tool_calls", "structured_chat": "json_blob"}
    assert looked["lect"] == {name: f"<lect {usual.get(name, name)}>" for name in looked["lect"]}
    if stranger == "zealot":
        assert looked["lects"] == sorted([*INSTALLED, *more])


def test_a_second_plugin_of_the_same_kind_of_names_is_welcome(site: Site) -> None:
    site.install_lect("first", "1.1", "one", lect="one", aliases=("uno", "eins"))
    site.install_lect("second", "1.2", "two", lect="two", aliases=("due", "zwei"))
    looked = site.look("uno", "zwei", "One", " two ", "u-no")
    assert looked["warnings"] == []
    assert looked["lect"]["uno"] == looked["lect"]["One"] == "<lect one>"
    assert looked["lect"]["zwei"] == looked["lect"][" two "] == "<lect two>"
    assert looked["lect"]["u-no"].startswith("LectError")


def test_a_bundled_lect_whose_plugin_is_broken_is_not_said_to_be_missing(site: Site) -> None:
    site.install("polylect-react", "9.9", {"react": "broken_module"}, broken_module="raise RuntimeError('no licence')")
    looked = site.look("react", "react_bracket", "json_blob")
    for name in ("react", "react_bracket"):
        assert looked["lect"][name].startswith("PluginError: ")
        assert "no licence" in looked["lect"][name]
        assert "pip install" not in looked["lect"][name]
    assert looked["lect"]["json_blob"] == "<lect json_blob>"


def test_a_bundled_lect_that_is_not_installed_is_named_with_the_install_line(site: Site) -> None:
    site.install("polylect-react", "9.9", {})
    looked = site.look("react", "reakt", "react-bracket", "json_blob")
    left = [name for name in INSTALLED if KNOWN.get(name) != "polylect-react"]
    assert looked["lects"] == left
    run = "Run: pip install polylect-react (in a checkout: pip install ./grammars ./plugins/react)."
    missing = f"LectError: The lect '{{}}' is not installed. {run}"
    assert looked["lect"]["react"] == missing.format("react")
    assert looked["lect"]["react-bracket"] == missing.format("react_bracket")
    assert looked["lect"]["reakt"] == (
        f"LectError: There is no lect 'reakt'. Did you mean 'react'? {run} Installed: {', '.join(left)}."
    )
