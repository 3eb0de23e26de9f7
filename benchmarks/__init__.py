"""Measure requests and time against the minimum: `python -m benchmarks`."""
