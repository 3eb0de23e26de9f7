"""Efforts: stretches of conversation with a model that are concluded, found again and reopened.

`unlatch effort` and programs that embed a memory use it. It stands on `worklog` and imports no
other kind of work.
"""
