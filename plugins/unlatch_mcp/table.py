"""The command `mcp`, for help and completion; it imports no other module of this package."""

from unlatch.cli.table import Entry, Reach

MCP = Entry(
    "mcp",
    "command",
    "Serve tools to a coding agent (MCP)",
    Reach.WRITES,
    package="unlatch_mcp",
    topic="agents",
    is_last=True,
)
