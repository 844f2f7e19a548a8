"""Benchmarks: ratios measured in one run, printed, never passed or failed: ``python -m tests.benchmarks.NAME``."""
