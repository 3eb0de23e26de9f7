"""The command of this package, for help and completion; it imports no other module of it."""

from unlatch.cli.table import Entry, Reach

MIGRATE = Entry(
    "migrate",
    "migrate",
    "Migrate a SpecWeave project to .unlatch",
    Reach.LOCAL,
    package="unlatch_specweave.cli",
    topic="setup",
)
