"""Increments on disk: the only place that writes their files."""
