"""The one command: ``python tests/benchmarks/run.py [--markdown docs/benchmarks.md] [--only NAME] [--quick]``.

Exit codes: 0 every bar holds; 1 a bar fails; 2 something is not installed, or the command line is wrong.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
NAME = "polylect_benchmarks"


def main() -> int:
    """Load the folder as a package under a name of its own, wherever the command is run from, and run it.

    ``import tests.benchmarks`` would find any package called ``tests`` that some distribution left in site-packages.
    """
    spec = importlib.util.spec_from_file_location(NAME, HERE / "__init__.py", submodule_search_locations=[str(HERE)])
    if spec is None or spec.loader is None:
        raise ImportError(f"{HERE} cannot be loaded as a package.")
    sys.modules[NAME] = package = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(package)
    return int(importlib.import_module(f"{NAME}.cli").main())


if __name__ == "__main__":
    raise SystemExit(main())
