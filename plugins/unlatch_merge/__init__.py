"""Merge two versions of an increment's files by the meaning of their fields, also for git."""
