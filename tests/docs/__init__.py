"""The documentation, run: every block of code, every command, every table."""
