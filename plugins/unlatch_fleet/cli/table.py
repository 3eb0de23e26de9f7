"""The commands of the fleet, for help and completion; it imports no other module of the fleet."""

from unlatch.cli.table import Entry, Reach

FLEET = Entry(
    "fleet",
    "",
    "Sync many repositories",
    Reach.WRITES,
    commands={
        "sync": "sync",
        "check": "check",
        "init": "init",
        "add": "add",
        "node": "node",
        "status": "status",
        "retry": "steer",
        "pause": "steer",
        "drain": "steer",
        "serve": "serve",
    },
    package="unlatch_fleet.cli",
    topic="trackers",
)
