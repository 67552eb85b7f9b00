"""Text of models and tools made harmless: nothing in it that a terminal would obey, or that turns text around."""

from __future__ import annotations

import re

# Controls (C0 but tab and line feed, DEL, C1), other line ends, direction overrides, and surrogates, which UTF-8 cannot
# spell.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def safe(text: str) -> str:
    """Text with everything that a terminal would obey spelt out: an escape character becomes ``\\x1b``.

    Tabs and line feeds stay.
    """
    return _UNSAFE.sub(lambda found: ascii(found[0])[1:-1], text)
