"""The commands of this package, for help and completion; it imports no other module of it."""

from unlatch.cli.table import Entry, Reach

_PACKAGE = "unlatch_agents.cli"
AGENTS = Entry(
    "agents",
    "",
    "Install in coding agents, and serve their hooks",
    Reach.LOCAL,
    commands={
        "install": "install",
        "uninstall": "install",
        "list": "install",
        "trust": "trust",
        "hook": "hook",
    },
    package=_PACKAGE,
    topic="agents",
)
IMPORT = Entry(
    "import",
    "imports:import_session",
    "Make sessions from transcripts of coding agents",
    Reach.LOCAL,
    package=_PACKAGE,
)
