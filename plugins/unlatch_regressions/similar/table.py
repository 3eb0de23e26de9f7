"""The command of this package, as data."""

from unlatch.cli.table import Entry, Reach

SIMILAR = Entry(
    "similar",
    "similar.command",
    "Show the finished work that a new issue may repeat",
    Reach.LOCAL,
    package="unlatch_regressions",
    topic="increments",
)
