"""The law kit: what every lect promises, as checks that anybody can run on his own.

``check("mine")`` tries all laws on a lect and returns a table; ``class TestMine(LectLaws): lect = "mine"`` makes a test
of each law; the functions ``law_1_round_trip`` … try one. The Hypothesis strategies behind them (:func:`replies`,
:func:`texts`, :func:`steps`, :func:`tools`, :func:`cuts`) and the reader of golden cases (:func:`read_cases`,
:func:`run_case`) are public, so that plugins use what the bundled lects are tested with.

Needs Hypothesis: ``pip install hypothesis``.
"""

from __future__ import annotations

import importlib

try:
    importlib.import_module("hypothesis")
except ImportError as error:
    raise ImportError("polylect.testing needs Hypothesis. Install it with: pip install hypothesis") from error

from ._cases import Case, hidden, read_cases, visible
from ._check import LAWS, Law, Report, Row, check
from ._golden import run_case
from ._law_1_round_trip import law_1_round_trip
from ._law_2_any_cut import law_2_any_cut
from ._law_3_finality import law_3_finality
from ._law_4_nothing_lost import law_4_nothing_lost
from ._law_5_stop_safety import law_5_stop_safety
from ._law_6_injection import law_6_injection
from ._law_7_total import law_7_total
from ._law_8_linear import law_8_linear
from ._law_9_constraint import law_9_constraint
from ._law_10_translation import law_10_translation
from ._pytest import LectLaws
from ._replies import TOOLS
from ._run import Outcome
from ._strategies import cuts, replies, steps, texts, tools
from ._stream import Folded, Streamed, fold, stream

__all__ = [
    "LAWS",
    "TOOLS",
    "Case",
    "Folded",
    "Law",
    "LectLaws",
    "Outcome",
    "Report",
    "Row",
    "Streamed",
    "check",
    "cuts",
    "fold",
    "hidden",
    "law_1_round_trip",
    "law_2_any_cut",
    "law_3_finality",
    "law_4_nothing_lost",
    "law_5_stop_safety",
    "law_6_injection",
    "law_7_total",
    "law_8_linear",
    "law_9_constraint",
    "law_10_translation",
    "read_cases",
    "replies",
    "run_case",
    "steps",
    "stream",
    "texts",
    "tools",
    "visible",
]
