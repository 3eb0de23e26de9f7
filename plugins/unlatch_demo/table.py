"""The commands of this package, for help and completion; it imports no other module of it."""

from unlatch.cli.table import Entry, Reach

DEMO = Entry(
    "demo",
    "command:demo",
    "Show a reopen on local stand-ins (no account needed)",
    Reach.LOCAL,
    package="unlatch_demo",
    topic="setup",
)
SANDBOX = Entry(
    "sandbox",
    "command:sandbox",
    "Serve local stand-ins for the three trackers",
    Reach.LOCAL,
    package="unlatch_demo",
    topic="setup",
)
