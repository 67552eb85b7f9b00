"""The laws as tests: a class to inherit from."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, ClassVar

from ._check import LAWS
from ._run import EXAMPLES

if TYPE_CHECKING:
    from .._lect import Lect

VARIABLE = "POLYLECT_EXAMPLES"


class LectLaws:
    """All laws as tests of one lect.

    Pytest finds them in a subclass::

        class TestMine(LectLaws):
            lect = "mine"

    Attributes:
        lect: the lect, or its name.
        examples: examples per law; the environment variable ``POLYLECT_EXAMPLES``, if set, is stronger.
        seed: a number that makes the examples the same again; None for new ones each time.
        tools: tools that calls shall name; the kit's own and none at all, if None.
    """

    lect: ClassVar[Lect | str]
    examples: ClassVar[int] = EXAMPLES
    seed: ClassVar[int | None] = None
    tools: ClassVar[Any] = None

    def hold(self, number: int) -> None:
        """Try one law, by its number.

        Raises:
            AssertionError: it does not hold.
        """
        law = next(law for law in LAWS if law.number == number)
        law.check(self.lect, examples=examples(self.examples), seed=self.seed, tools=self.tools)

    def test_law_1_round_trip(self) -> None:
        """parse(format(reply)) == reply, or a refusal."""
        self.hold(1)

    def test_law_2_any_cut(self) -> None:
        """A stream says what the whole says, however it is cut."""
        self.hold(2)

    def test_law_3_finality(self) -> None:
        """What was emitted is never taken back."""
        self.hold(3)

    def test_law_4_nothing_lost(self) -> None:
        """Spans tile the input; reasoning and content are verbatim."""
        self.hold(4)

    def test_law_5_stop_safety(self) -> None:
        """A cut at a stop string decides the same."""
        self.hold(5)

    def test_law_6_injection(self) -> None:
        """No text becomes structure."""
        self.hold(6)

    def test_law_7_total(self) -> None:
        """Any input gives a reply or a ParseError."""
        self.hold(7)

    def test_law_8_linear(self) -> None:
        """Twice the input takes at most about twice the time."""
        self.hold(8)

    def test_law_10_translation(self) -> None:
        """To another lect and back, a reply is the same."""
        self.hold(10)


def examples(default: int) -> int:
    """How many examples per law: what ``POLYLECT_EXAMPLES`` says, else ``default``."""
    return int(os.environ.get(VARIABLE) or default)
