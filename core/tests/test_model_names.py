"""Which lect a model speaks, by the model's name."""

from __future__ import annotations

import string
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

import polylect
from polylect import LectError, LectSpec, PluginError
from polylect._model_names import LONGEST, OWN, Claim, find_model, folded, nearest_model, segment, unknown_model
from polylect._registry import Registry

BEGINNINGS = {
    "herald": ("Herald-2-Pro", "Herald-3", "Quill2.5", "QuQ", "Quill3"),
    "quill_xml": ("Quill3-Coder", "Quill3.5"),
    "lama": ("Lama-3.1", "Lama-3.2", "Lama-4"),
    "deep_v3": ("Deep-V3", "Deep-R1"),
    "deep_v31": ("Deep-V3.1",),
    "acts": ("ActLM-2",),
    "order": ("Order-R",),
    "order_7b": ("Order-R7B",),
    "fc": ("stone-20b-functions",),
}
CLAIMS = [Claim(lect, "acme", x) for lect, every in BEGINNINGS.items() for x in every]


@pytest.mark.parametrize(
    ("name", "lect"),
    [
        ("Quill3-Coder-30B-A3B-Instruct", "quill_xml"),
        ("acme/Quill3-Coder-30B-A3B-Instruct-GGUF", "quill_xml"),
        ("hub.io/acme/quill3.coder:30b-q4_K_M", "quill_xml"),
        (r"C:\models\Quill3-0.6B-Q8_0.gguf", "herald"),
        ("quill3_coder_30b", "quill_xml"),
        ("QUILL3 CODER", "quill_xml"),
        ("Quill3.5-4B", "quill_xml"),
        ("Quill3-4B", "herald"),
        ("quill2.5-coder:7b", "herald"),
        ("Quill-3B", None),  # a size, not a version
        ("Quill-32B", None),
        ("Quill32", None),
        ("Meta-Lama-3.1-8B-Instruct", "lama"),  # a maker's name before it
        ("lama3.1:8b", "lama"),
        ("Lama-3_2-1B", "lama"),
        ("Lama-3-1B", None),
        ("Lama-31B", None),
        ("Acme-Herald-3-Lama-3.1-8B", "herald"),  # what begins first
        ("Deep-V3-0324", "deep_v3"),
        ("Deep-V3.1-Terminus", "deep_v31"),
        ("deepv3.1", "deep_v31"),
        ("Deep-R1-Distill-Quill3-32B", "deep_v3"),
        ("Lama-ActLM-2-8b-fc-r", "acts"),
        ("c4ai-order-r7b-12-2024", "order_7b"),
        ("c4ai-order-r-plus", "order"),
        ("stone-20b-functions", "fc"),
        ("quqx", None),  # a word that only begins so
        ("Quill", None),
        ("", None),
        ("acme/", None),
        ("\ud800", None),
    ],
)
def test_the_lect_of_a_model(name: str, lect: str | None) -> None:
    found = find_model(name, CLAIMS)
    assert (None if found is None else found.lect) == lect


SPELLED = st.sampled_from([(claim, x) for claim in CLAIMS for x in BEGINNINGS[claim.lect] if x == claim.beginning])


@given(SPELLED, st.sampled_from("-_. "), st.sampled_from([str.upper, str.lower, str.title]), st.booleans())
def test_case_joints_and_makers_make_no_difference(
    spelled: tuple[Claim, str], joint: str, case: object, maker: bool
) -> None:
    claim, beginning = spelled
    name = beginning
    for each in "-_. ":
        name = name.replace(each, joint)
    assert callable(case)
    name = ("some.one/" if maker else "") + case(name) + joint + "Instruct"
    found = find_model(name, CLAIMS)
    assert found is not None
    assert found.lect == claim.lect


@given(st.text(max_size=40), st.text(string.ascii_letters + string.digits + "-._/", max_size=40))
def test_any_name_is_found_or_not_and_the_nearest_is_one_that_is_known(strange: str, plain: str) -> None:
    for name in (strange, plain, f"{plain}/{strange}"):
        found = find_model(name, CLAIMS)
        text, places = folded(segment(name))
        assert places[-1] == len(text)
        assert found is None or folded(found.beginning)[0] in text
        near = nearest_model(name, CLAIMS)
        assert near == "" or any(repr(x.beginning) in near for x in CLAIMS)


def test_a_name_of_any_length_is_looked_at_from_its_end() -> None:
    assert find_model("x" * LONGEST * 10, CLAIMS) is None
    found = find_model("x/" * LONGEST + "Quill3-8B", CLAIMS)
    assert found is not None
    assert found.lect == "herald"


def test_equal_claims_of_one_distribution_go_to_the_first_and_the_others_are_told() -> None:
    claims = [Claim("one", "acme", "Quill-3"), Claim("two", "acme", "quill3"), Claim("one", "acme", "Quill 3")]
    found = find_model("Quill3-8B", claims)
    assert found is not None
    assert found == ("one", "Quill-3", ("two",))


def test_equal_claims_of_two_distributions_are_a_conflict() -> None:
    claims = [Claim("one", "acme", "Quill3"), Claim("two", "other", "Quill-3")]
    with pytest.raises(LectError, match=r"claimed by 'one' of acme and 'two' of other\. Name the lect\."):
        find_model("Quill3-8B", claims)
    longer = find_model("Quill3-8B", [*claims, Claim("three", "third", "Quill3-8B")])
    assert longer is not None
    assert longer.lect == "three"


def test_a_lect_of_ones_own_has_its_model_before_others() -> None:
    found = find_model("Quill3-8B", [*CLAIMS, Claim("mine", OWN, "Quill-3")])
    assert found is not None
    assert (found.lect, found.others) == ("mine", ())


def test_an_unknown_model_is_told_with_the_nearest() -> None:
    assert "Did you mean 'Quill3-Coder' (the lect 'quill_xml')?" in str(unknown_model("a/Qill3-Coder-30B", CLAIMS))
    assert "pip install polylect-native" in str(unknown_model("nothing-like-it", CLAIMS))
    assert "polylect lects --json" in str(unknown_model("nothing-like-it", []))


class Own(polylect.TextLect):
    name = "own_model"
    title = "A tongue of one's own"
    family = "own"
    grammar_file = "start: content?\ncontent: TEXT\nTEXT: /[\\s\\S]+/\n"
    models = ("Zebulon-7",)


class Derived(Own):
    name = "own_derived"


@pytest.fixture
def own() -> Iterator[polylect.Lect]:
    yield polylect.register(Own())
    polylect.unregister("own_model")


def test_a_registered_lect_is_found_by_its_models(own: polylect.Lect) -> None:
    assert polylect.lect("acme/zebulon_7-chat") is own
    assert next(x for x in polylect.lects() if x.name == "own_model").models == ("Zebulon-7",)
    assert not Derived.models


def test_the_names_of_lects_go_before_those_of_models(own: polylect.Lect) -> None:
    class Other(Own):
        name = "zebulon_7"

    other = polylect.register(Other())
    try:
        assert polylect.lect("zebulon-7") is other
        assert polylect.lect("acme/zebulon-7") is own
    finally:
        polylect.unregister("zebulon_7")


def test_an_unknown_name_that_is_like_a_models_is_told_so(own: polylect.Lect) -> None:
    with pytest.raises(LectError, match=r"no lect 'Zebuln-7'\. Did you mean 'Zebulon-7' \(the lect 'own_model'\)\?"):
        polylect.lect("Zebuln-7")


@pytest.mark.parametrize("models", ["Quill", (1,), ("",)])
def test_models_that_are_no_names_are_the_plugins_error(models: object) -> None:
    spec = LectSpec("x_models", "X", "x", "x:y", (), models)  # type: ignore[arg-type]

    class Plugin:
        @staticmethod
        @polylect.hookimpl
        def polylect_lects() -> list[LectSpec]:
            return [spec]

    with pytest.raises(PluginError, match="The models of 'x_models' are a tuple of names"):
        Registry().add_plugin(Plugin, "x", "x")
