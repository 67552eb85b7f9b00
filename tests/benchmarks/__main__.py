"""``python -m tests.benchmarks``: the same as ``python tests/benchmarks/run.py``."""

from __future__ import annotations

from .cli import main

if __name__ == "__main__":
    raise SystemExit(main())
