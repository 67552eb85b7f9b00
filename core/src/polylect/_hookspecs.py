"""The hooks that a plugin may implement. One entry-point group (``polylect``), hooks prefixed ``polylect_``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import msgspec
import pluggy

from ._lect import Lect

PROJECT = "polylect"
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)
"""Marks a plugin's implementation of a hook."""


class LectSpec(msgspec.Struct, frozen=True):
    """A lect as a plugin announces it: enough to list it without loading it.

    ``load`` makes the lect: a callable, or ``"module:attribute"`` naming one (or naming the lect itself).
    """

    name: str
    title: str
    family: str
    load: Callable[[], Lect] | str
    aliases: tuple[str, ...] = ()


class Specifications:
    """The hook specifications."""

    @hookspec
    def polylect_lects(self) -> Iterable[LectSpec] | Any:
        """The lects that this plugin brings. Import nothing heavy here: ``LectSpec.load`` is for that."""
