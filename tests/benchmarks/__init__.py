"""Benchmarks: ratios measured in one run, printed, never passed or failed. Run one with ``python -m tests.benchmarks.X``."""
