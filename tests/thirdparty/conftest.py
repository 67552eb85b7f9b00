"""The sample plugin's own tests are for whoever installs it; ``tests/test_thirdparty.py`` tries it uninstalled."""

collect_ignore = ["polylect_done"]
