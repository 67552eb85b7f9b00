"""How values are written."""

from __future__ import annotations

from ._elements import ElementText, XmlText
from ._notation import Field, Notation, Seen
from ._quoted import JsonText, PythonText, TokenText
from ._raw import TypedText

__all__ = ["ElementText", "Field", "JsonText", "Notation", "PythonText", "Seen", "TokenText", "TypedText", "XmlText"]
