"""The proof of the native family.

- ``test_canitoolcall.py``: a neutral suite of 469 recorded and rendered outputs, through the suite's own checks.
  One family: ``timeout 300 python -m pytest -q -n 0 tests/native/test_canitoolcall.py -k qwen3-xml``;
  our line: ``python -m tests.native.score``.
- ``test_matrix.py``: every native lect x every case x every way to cut a stream.
- ``test_bugs.py``: faults that users of other parsers reported, by kind.
- ``test_bad_input.py``: the table of ``docs/native-bad-input.md``.
"""
