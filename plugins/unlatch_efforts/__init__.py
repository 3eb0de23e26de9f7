"""Efforts: parts of conversations with a model that can be concluded, found and reopened.

`unlatch effort` and programs with an embedded memory use it; `llm` has the chat models for all
kinds of work. It imports worklog, project, transport and errors; `kind` and `cli` import what joins
the kinds of work, and no other kind.
"""
