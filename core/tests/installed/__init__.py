"""Plugins as strangers install them: real distributions in a folder, read by a Python of their own."""
