"""``python -m polylect.cli`` is the command ``polylect``."""

from __future__ import annotations

from . import main

if __name__ == "__main__":
    main(prog_name="polylect")
