"""Every case of the suite ``canitoolcall``: strictly right whole, in all the suite's cuttings, and in ours.

One family: ``timeout 300 python -m pytest -q -n 0 tests/native/test_canitoolcall.py -k qwen3-xml``.
"""

from __future__ import annotations

import pytest
from canitoolcall.adapters.base import ReplayInput
from canitoolcall.fixtures import Fixture
from canitoolcall.results import Status

import polylect

from .adapter import PolylectAdapter, cutter_of, lect_name, options, reason
from .cutting import grouped
from .streams import differences
from .suite import CONTRADICTED, families, fixtures, judged

ADAPTER = PolylectAdapter()
SEEDS = range(6, 14)


def test_all_cases_are_there() -> None:
    assert len(fixtures()) >= 469


@pytest.mark.parametrize("fixture", fixtures(), ids=[fixture.id for fixture in fixtures()])
def test_case(fixture: Fixture) -> None:
    _, rows = judged(fixture, ADAPTER)
    if fixture.id in CONTRADICTED:
        assert {(row.check, row.status) for row in rows} == {("expected_match", Status.SOFT_PASS)}
        assert all("whitespace only" in str(row.detail) for row in rows)
        rows = []
    assert not rows, "\n" + "\n".join(f"{row.check} {row.strategy} {row.status.value}: {row.detail}" for row in rows)

    raw = ReplayInput.from_fixture(fixture, families()[fixture.family])
    lect = polylect.lect(lect_name(raw.model))
    tokens = cutter_of(raw.family)(raw.text)
    cuttings = {"characters": list(raw.text), "one": [raw.text], "tokens": tokens}
    cuttings |= {f"{most} tokens, seed {seed}": list(grouped(tokens, most, seed)) for seed in SEEDS for most in (3, 20)}
    cuttings |= {f"characters, seed {seed}": list(grouped(raw.text, 12, seed)) for seed in SEEDS}
    assert not differences(lect, raw.text, cuttings, reason(raw), **options(raw, fixture.tools))


BOTH = {"meta-llama/Llama-3.2-3B-Instruct": "pythonic"}
"""Models that speak two tongues, with the one that their name finds: here what the model's card recommends."""
SPOKEN = sorted({(model, lect_name(fixture.reference_model)) for fixture in fixtures() for model in fixture.models})


@pytest.mark.parametrize(("model", "name"), SPOKEN)
def test_a_models_name_finds_its_lect(model: str, name: str) -> None:
    assert polylect.lect(model.partition("/")[2]).name == BOTH.get(model, name)
