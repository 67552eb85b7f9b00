"""The JSON text of arguments that came as keys and values, long parts of which are written when they are first read.

Who reads a whole message wants the arguments; their text is for logs and histories. To write a long one takes longer
than to read the message that it stands in.
"""

from __future__ import annotations

from enum import Enum
from json.encoder import encode_basestring as quote_json
from typing import Any, TypeAlias

from .._json import dumps
from ._quoting import inside

LATER = 1024
"""From this many characters on, a text is quoted when that is asked for."""
WIDEST = 6
"""Characters that one character takes at most between the quotes of a JSON string."""


class Spelling(Enum):
    """JSON text in alternating pieces: what is written already, and texts to be quoted.

    An ``Enum``, though without members: of all objects that msgspec does not know it asks these alone for their value
    when it writes them. So a call that holds one has its one JSON form, whoever encodes, copies or pickles it.
    """

    pieces: list[str]
    text: str | None

    @property
    def most(self) -> int:
        """How many characters the text has at most."""
        return sum(map(len, self.pieces[::2])) + WIDEST * sum(map(len, self.pieces[1::2]))

    def __repr__(self) -> str:
        return repr(self.value)

    def __reduce_ex__(self, protocol: object) -> tuple[Any, ...]:
        return str, (self.value,)


def _value(self: Spelling) -> str:
    text = self.text
    if text is None:
        text = self.text = "".join([inside(x) if i % 2 else x for i, x in enumerate(self.pieces)])
    return text


# An Enum takes no property of these names in its body; `_value_` is the one that msgspec asks for.
type.__setattr__(Spelling, "_value_", property(_value))
type.__setattr__(Spelling, "value", property(_value))

Spelt: TypeAlias = str | Spelling


def spelt(members: dict[str, Any]) -> Spelt:
    """The JSON text of arguments, as a stream tells it: at once, but for long texts."""
    so_far, pieces, before = "", list[str](), "{"
    for key, value in members.items():
        so_far += f"{before}{quote_json(key)}: "
        before = ", "
        if value.__class__ is not str:
            so_far += dumps(value)
        elif len(value) < LATER:
            so_far += f'"{inside(value)}"'
        else:
            pieces += so_far + '"', value
            so_far = '"'
    so_far += "}"
    if not pieces:
        return so_far
    made = object.__new__(Spelling)
    made.pieces, made.text = [*pieces, so_far], None
    return made


def longer(raw: Spelt, limit: int) -> bool:
    """Whether a text has more than ``limit`` characters; it is written only where that is in doubt."""
    if raw.__class__ is str:
        return len(raw) > limit
    return raw.most > limit and len(raw.value) > limit  # type: ignore[union-attr]
