"""How a body's package announces its lects."""

from __future__ import annotations

from polylect import LectSpec


def spec(name: str, title: str, load: str, *, aliases: tuple[str, ...] = (), models: tuple[str, ...] = ()) -> LectSpec:
    """A lect of this family; ``load`` is ``"body._module:Class"`` below this package."""
    return LectSpec(name, title, "native", f"polylect_native.{load}", aliases, models)
