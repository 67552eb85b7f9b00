"""The lect ``done`` keeps the laws."""

from polylect.testing import LectLaws


class TestDone(LectLaws):
    lect = "done"
