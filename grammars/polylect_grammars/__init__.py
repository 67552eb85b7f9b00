"""The grammar files of polylect's lects: package data, read through ``importlib.resources``."""
