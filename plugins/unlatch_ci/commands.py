"""The commands of this package, as data."""

from unlatch.cli.table import Entry, Reach

APPLY = Entry(
    "apply",
    "apply",
    "Apply a saved plan",
    Reach.WRITES,
    package="unlatch_ci",
    topic="core",
)
INGEST = Entry(
    "ingest",
    "ingest",
    "Process a webhook event",
    Reach.WRITES,
    package="unlatch_ci",
    topic="trackers",
)
