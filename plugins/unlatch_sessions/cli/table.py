"""The commands of sessions, for help and completion; it imports no other module of sessions."""

from unlatch.cli.table import Entry, Reach

SESSION = Entry(
    "session",
    "",
    "Log, pause and resume agents' work",
    Reach.LOCAL,
    commands={
        "start": "change",
        "log": "log",
        "pause": "change",
        "resume": "change",
        "complete": "change",
        "link": "link",
        "list": "read",
        "show": "read",
        "query": "query",
        "stats": "query",
        "publish": "publish",
        "codify": "codify",
        "learn": "learn",
    },
    package="unlatch_sessions.cli",
    topic="sessions",
)
WORKFLOW = Entry(
    "workflow",
    "",
    "Check and show workflows of agents",
    Reach.LOCAL,
    commands={"validate": "workflow", "show": "workflow"},
    package="unlatch_sessions.cli",
    topic="agents",
)
