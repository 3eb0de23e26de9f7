"""The commands of efforts, for `unlatch --help` and completion; it imports nothing else of them."""

from unlatch.cli.table import Entry, Reach

EFFORT = Entry(
    "effort",
    "",
    "Conclude, find and reopen conversations",
    Reach.LOCAL,
    commands={
        "open": "change",
        "close": "change",
        "reopen": "change",
        "switch": "change",
        "expand": "change",
        "collapse": "change",
        "link": "link",
        "list": "read",
        "show": "read",
        "search": "read",
        "verify": "check",
        "export": "check",
        "chat": "chat",
        "demo": "chat",
    },
    package="unlatch_efforts.cli",
    topic="efforts",
)
