"""The commands as data, which `unlatch --help` shows without loading one, and common options."""

from enum import StrEnum

from unlatch.values import dataclass


class Reach(StrEnum):
    """The reach of a command: this machine, or trackers, too."""

    LOCAL = "(local)"
    READS = "(reads trackers)"
    WRITES = "(writes trackers)"


@dataclass(frozen=True, slots=True)
class Entry:
    """A command.

    Args:
        module: the module below `unlatch.cli.commands` with the command `run` or, if its options
            depend on the plugins or on the name, the function `command`; another name has a colon.
    """

    name: str
    module: str
    help: str
    reach: Reach

    @property
    def own_help(self) -> str:
        return f"{self.help}. {self.reach}"

    @property
    def line(self) -> str:
        return f"{self.help} {self.reach}"


_LOCAL, _READS, _WRITES = Reach.LOCAL, Reach.READS, Reach.WRITES
_ATTENTION = "Show increments that need attention, or items"
_HISTORY = "Show the history of an increment, or verify it"
_REPORT = "Report on the reopens of all increments"
_SYNC = "Deliver pending updates and sync with the trackers"

# Each command has one topic of `unlatch help`, in the order of the help.
TOPICS = {
    "core": (
        Entry("reopen", "items.reopen", "Reopen items, or the same as resume", _WRITES),
        Entry("resume", "work.resume", "Reopen an increment and its items", _WRITES),
        Entry("close", "items.close", "Close items", _WRITES),
        Entry("complete", "work.finish", "Complete an increment and close its items", _WRITES),
        Entry("undo", "work.finish", "Undo the last reopen", _WRITES),
        Entry("status", "overview.status", _ATTENTION, _READS),
        Entry("history", "overview.history", _HISTORY, _READS),
        Entry("sync", "trackers.sync", _SYNC, _WRITES),
    ),
    "increments": (
        Entry("new", "work.new", "Create an increment", _READS),
        Entry("start", "work.moves", "Make an increment active", _LOCAL),
        Entry("pause", "work.moves", "Pause an active increment", _LOCAL),
        Entry("review", "work.moves", "Move an increment to review", _LOCAL),
        Entry("backlog", "work.moves", "Move an increment to the backlog", _LOCAL),
        Entry("abandon", "work.finish", "Abandon an increment and close its items", _WRITES),
        Entry("list", "overview.list", "List the increments", _LOCAL),
        Entry("show", "overview.show", "Show an increment and its items", _READS),
        Entry("report", "overview.report", _REPORT, _READS),
        Entry("search", "overview.search", "Find work of all kinds by words", _LOCAL),
    ),
    "trackers": (
        Entry("link", "trackers.link", "Link items to an increment", _WRITES),
        Entry("unlink", "trackers.link:unlink", "Unlink an item", _LOCAL),
        Entry("ingest", "trackers.sync:ingest", "Process a webhook event", _WRITES),
    ),
    "agents": (
        Entry("mcp", "mcp.command", "Serve tools to a coding agent (MCP)", _WRITES),
        Entry("agents", "groups", "Install in coding agents, and serve their hooks", _LOCAL),
        Entry("workflow", "groups", "Check and show workflows of agents", _LOCAL),
    ),
    "efforts": (Entry("effort", "groups", "Conclude, find and reopen conversations", _LOCAL),),
    "sessions": (Entry("session", "groups", "Log, pause and resume agents' work", _LOCAL),),
    "runs": (Entry("run", "groups", "Carry out a plan with workers", _LOCAL),),
    "setup": (
        Entry("init", "setup.init", "Set up a project", _LOCAL),
        Entry("doctor", "setup.doctor", "Check files and configuration, and fix them", _READS),
        Entry("auth", "setup.auth", "Store tokens in the keyring", _LOCAL),
        Entry("config", "setup.config", "Show and change settings", _LOCAL),
        Entry("plugins", "setup.plugins", "List the tracker plugins, or write a new one", _LOCAL),
        Entry("completion", "setup.completion", "Print a shell completion script", _LOCAL),
        Entry("help", "setup.help", "Show help on a topic or a command", _LOCAL),
        Entry(
            "demo", "sandbox:demo", "Show a reopen on local stand-ins (no account needed)", _LOCAL
        ),
        Entry("sandbox", "sandbox:sandbox", "Serve local stand-ins for the three trackers", _LOCAL),
        Entry("migrate", "files.migrate", "Migrate a SpecWeave project to .unlatch", _LOCAL),
        Entry("merge", "files.merge", "Resolve git conflicts in an increment or session", _LOCAL),
        Entry(
            "merge-driver", "files.merge:driver", "Merge increments and sessions for git", _LOCAL
        ),
    ),
}
COMMANDS = {entry.name: entry for entries in TOPICS.values() for entry in entries}
# The commands and topics that `unlatch --help` shows.
FRONT = {
    "Reopen and complete": ("resume", "reopen", "close", "undo", "complete"),
    "Create and sync": ("new", "link", "sync"),
    "View": ("status", "list", "show", "history"),
    "Set up": ("init", "doctor"),
}
MORE = ("core", "increments", "trackers", "agents", "efforts", "sessions", "runs", "setup")
