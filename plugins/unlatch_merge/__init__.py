"""Merge two versions of an increment's files by the meaning of their fields, also for git.

It also joins two records of one item, where an earlier version made the other one.
"""
