"""Briefings: what is known of an increment, from its own files and the work that belongs to it."""
