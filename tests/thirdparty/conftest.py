"""The sample plugin has tests of its own, for whoever installs it; ``tests/test_thirdparty.py`` tries it uninstalled."""

collect_ignore = ["polylect_done"]
