"""The benchmarks: every performance bar of the project, measured as a ratio against its peer in the same run."""
