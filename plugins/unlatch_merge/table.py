"""The commands of this package, for help and completion; it imports no other module of it."""

from unlatch.cli.table import Entry, Reach

MERGE = Entry(
    "merge",
    "command",
    "Resolve git conflicts in an increment",
    Reach.LOCAL,
    package="unlatch_merge",
    topic="setup",
)
DRIVER = Entry(
    "merge-driver",
    "command:driver",
    "Merge increments for git",
    Reach.LOCAL,
    package="unlatch_merge",
    topic="setup",
)
