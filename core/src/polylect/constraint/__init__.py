"""Constraints: what makes an engine hold a model to a tongue, from the grammar that reads it and the tools' schemas.

A lect formats probes; the paths that these take through its tables are the outline of its turns (``_outline``), and
what stands in a call between the name and the values is its template (``_template``). Schemas become trees in a
notation (``_schema``), outline, templates and schemas together one tree (``_build``, ``_tree``), and each target has a
printer.
"""

from __future__ import annotations

from .._errors import ConstraintError
from ._constraint import TARGETS, Constraint, Exactness, Report, Target
from ._notations import ElementText, JsonText, Notation, PythonText, TokenText, TypedText, XmlText
from ._requests import SERVERS, Request, check_server

__all__ = [
    "SERVERS",
    "TARGETS",
    "Constraint",
    "ConstraintError",
    "ElementText",
    "Exactness",
    "JsonText",
    "Notation",
    "PythonText",
    "Report",
    "Request",
    "Target",
    "TokenText",
    "TypedText",
    "XmlText",
    "check_server",
]
