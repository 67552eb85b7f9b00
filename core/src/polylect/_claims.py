"""Names that plugins claim: who is named when two bring the same, and what is said of those broken or missing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ._registry import PluginInfo

REMEDY = "Uninstall one, or register yours with override=True."
BROKEN_TOLD = 3
"""Broken plugins that the error of an unknown name tells of: as many as one reads."""


class Contest(NamedTuple):
    """Who claims one name, and as what."""

    claimants: tuple[str, ...]
    claim: str

    def __str__(self) -> str:
        return f"{' and '.join(self.claimants)} {'both' if len(self.claimants) == 2 else 'all'} {self.claim}"


def contest(newcomer: str, owner: str, before: Contest | None, what: str) -> Contest:
    """The contest between one who brings ``what`` and the one who has it, or all who claimed it ``before``."""
    others = before.claimants if before is not None and owner in before.claimants else ()
    return Contest((newcomer, *(others or (owner,))), f"bring {what}. {REMEDY}")


def install_line(distribution: str, *beside: str) -> str:
    """How a distribution of this project is installed: by its name, or in a checkout by its folder.

    Args:
        distribution: its name.
        beside: the folders of a checkout that it needs.
    """
    folder = f"./plugins/{distribution.partition('-')[2].replace('-', '_')}"
    return f"Run: pip install {distribution} (in a checkout: pip install {' '.join((*beside, folder))})."


def may_bring(name: str, broken: Sequence[PluginInfo]) -> str:
    """A sentence about the broken plugins, those first that are called like what was asked for."""
    if not broken:
        return ""
    broken = sorted(broken, key=lambda x: name not in (x.name, x.distribution))
    told = "; ".join(f"{x.name!r} of {x.distribution}: {x.error}" for x in broken[:BROKEN_TOLD])
    more = f"; and {len(broken) - BROKEN_TOLD} more, see polylect.plugins()." if len(broken) > BROKEN_TOLD else ""
    return f" A plugin that is broken may bring it: {told}{more}"
