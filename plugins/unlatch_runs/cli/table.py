"""The commands of runs, for `unlatch --help` and completion; it imports no other module of runs."""

from unlatch.cli.table import Entry, Reach

RUN = Entry(
    "run",
    "",
    "Carry out a plan with workers",
    Reach.LOCAL,
    commands={
        "start": "execute",
        "resume": "execute",
        "recover": "execute",
        "check": "plans",
        "agree": "plans",
        "list": "read",
        "status": "read",
        "events": "read",
        "watch": "read",
        "pause": "request",
        "stop": "request",
        "context": "request",
        "questions": "request",
        "answer": "request",
        "demo": "demo",
    },
    package="unlatch_runs.cli",
    topic="runs",
)
