"""The commands of this package, for help and completion; it imports no other module of it."""

from unlatch.cli.table import Entry, Reach

_PACKAGE = "unlatch_audit.cli"
REPORT = Entry(
    "report",
    "report",
    "Report on the reopens of all increments",
    Reach.READS,
    package=_PACKAGE,
    topic="increments",
)
VERIFY = Entry(
    "verify",
    "history_verify:verify",
    "Compare the history with the trackers",
    Reach.READS,
    package=_PACKAGE,
)
