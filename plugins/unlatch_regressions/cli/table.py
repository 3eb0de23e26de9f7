"""The command of this package, for help and completion; it imports no other module of it."""

from unlatch.cli.table import Entry, Reach

REGRESSIONS = Entry(
    "regressions",
    "regressions",
    "Find finished work that broke again, and reopen it",
    Reach.WRITES,
    package="unlatch_regressions.cli",
    topic="core",
)
