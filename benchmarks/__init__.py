"""What unlatch costs: requests, and time beside what cannot be avoided; `python -m benchmarks`."""
