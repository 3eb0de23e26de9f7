"""Coding agents: their transcripts, imports of these, hooks, and installing skills and settings.

The entry points of `unlatch.commands` name it. It imports what sessions publish (the text of a
session, the store), and sessions know nothing of it. Only the user's own files and state say what
is trusted and installed; a repository's files never do.
"""
