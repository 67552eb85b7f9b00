"""Agents: the loop, its drivers, and what is seen of a run."""
