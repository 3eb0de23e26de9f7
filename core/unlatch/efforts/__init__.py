"""Efforts: parts of conversations with a model that can be concluded, found and reopened.

`unlatch effort` and programs with an embedded memory use it. It imports `worklog`, and no other
kind of work.
"""
