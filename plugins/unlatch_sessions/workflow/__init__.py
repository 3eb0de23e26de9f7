"""Workflow markup: reading, checking, showing and writing it, and codifying a session into it.

Two dialects of Crucible (github.com/Mootikins/crucible): `crucible-1`, its proposal of December
2025, and `crucible-2026`, its present one.
"""
