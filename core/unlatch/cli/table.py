"""The commands as data, which `unlatch --help` shows without loading one, and common options."""

from enum import StrEnum
from pathlib import Path

from unlatch.values import dataclass


@dataclass(frozen=True, slots=True)
class Globals:
    """Options that every command has, given before the command's name."""

    root: Path | None = None
    debug: bool = False
    max_wait: float = 60.0
    trace_http: Path | None = None
    no_pager: bool = False


class Reach(StrEnum):
    """The reach of a command: this machine, or trackers, too."""

    LOCAL = "(local)"
    READS = "(reads trackers)"
    WRITES = "(writes trackers)"


class Program(StrEnum):
    """A program that a command may start."""

    GIT = "git"
    TOKEN = "the vendor's program that prints a token (gh, az)"  # noqa: S105
    TASKS = "tasks_command of the user's configuration"
    EDITOR = "the user's editor"
    BROWSER = "the user's browser, for --web"
    PAGER = "the user's pager, at a terminal"
    UNLATCH = "unlatch"
    AGENT = "the program of --exec"
    WORKER = "the programs of a run (--worker, --auditor, --usage, --hook, acceptance commands)"


@dataclass(frozen=True, slots=True)
class Entry:
    """A command.

    Args:
        module: the module below `unlatch.cli.commands` with the command `run` or, if its options
            depend on the plugins or on the name, the function `command`; another name has a colon.
        programs: all programs that it may start; checked by tests/security.
        shown: False for a synonym.
    """

    name: str
    module: str
    help: str
    reach: Reach
    programs: frozenset[Program] = frozenset()
    shown: bool = True

    @property
    def own_help(self) -> str:
        return f"{self.help}. {self.reach}"

    @property
    def line(self) -> str:
        return f"{self.help} {self.reach}"


_LOCAL, _READS, _WRITES = Reach.LOCAL, Reach.READS, Reach.WRITES
_GIT = frozenset({Program.GIT})
_TOKEN = frozenset({Program.TOKEN})
_EDIT = _GIT | {Program.EDITOR}  # for --edit
_PAGER = frozenset({Program.PAGER})
_BROWSER = frozenset({Program.BROWSER})
_ITEMS = _GIT | _TOKEN
_CLOSE = _ITEMS | {Program.EDITOR}
_FINISH = _CLOSE | _PAGER
_SCOPE = _FINISH | {Program.TASKS}
_RUN = _EDIT | {Program.WORKER, Program.UNLATCH}
_DEMO = _GIT | {Program.UNLATCH}
# The groups of the installed trackers (`unlatch github ...`) are not in the table.
GROUP_PROGRAMS = _CLOSE
_ATTENTION = "Show increments that need attention, or items"
_HISTORY = "Show the history of an increment, or verify it"
_REPORT = "Report on the reopens of all increments"
_SYNC = "Deliver pending updates and sync with the trackers"

# Each command has one topic of `unlatch help`, in the order of the help.
TOPICS = {
    "increments": (
        Entry("resume", "work.resume", "Reopen an increment and its items", _WRITES, _SCOPE),
        Entry("reopen", "items.reopen", "Reopen items, or the same as resume", _WRITES, _SCOPE),
        Entry("close", "items.close", "Close items", _WRITES, _CLOSE),
        Entry("undo", "work.finish", "Undo the last reopen", _WRITES, _FINISH),
        Entry(
            "complete", "work.finish", "Complete an increment and close its items", _WRITES, _FINISH
        ),
        Entry("new", "work.new", "Create an increment", _READS, _ITEMS),
        Entry("start", "work.moves", "Make an increment active", _LOCAL, _EDIT),
        Entry("pause", "work.moves", "Pause an active increment", _LOCAL, _EDIT),
        Entry("review", "work.moves", "Move an increment to review", _LOCAL, _EDIT),
        Entry("backlog", "work.moves", "Move an increment to the backlog", _LOCAL, _EDIT),
        Entry(
            "abandon", "work.finish", "Abandon an increment and close its items", _WRITES, _FINISH
        ),
        Entry("status", "overview.status", _ATTENTION, _READS, _ITEMS | _BROWSER),
        Entry("list", "overview.list", "List the increments", _LOCAL, _PAGER),
        Entry(
            "show",
            "overview.show",
            "Show an increment and its items",
            _READS,
            _TOKEN | _PAGER | _BROWSER,
        ),
        Entry("history", "overview.history", _HISTORY, _READS, _TOKEN | _PAGER),
        Entry("report", "overview.report", _REPORT, _READS, _ITEMS | _PAGER),
        Entry("search", "overview.search", "Find work of all kinds by words", _LOCAL),
    ),
    "trackers": (
        Entry("link", "trackers.link", "Link items to an increment", _WRITES, _ITEMS),
        Entry("unlink", "trackers.link:unlink", "Unlink an item", _LOCAL, _GIT),
        Entry("sync", "trackers.sync", _SYNC, _WRITES, _ITEMS),
        Entry("ingest", "trackers.sync:ingest", "Process a webhook event", _WRITES, _ITEMS),
    ),
    "agents": (
        Entry(
            "mcp",
            "mcp.command",
            "Serve tools to a coding agent (MCP)",
            _WRITES,
            frozenset({Program.UNLATCH}),
        ),
        Entry(
            "agents",
            "groups",
            "Install in coding agents, and serve their hooks",
            _LOCAL,
            _GIT,
        ),
        Entry("workflow", "groups", "Check and show workflows of agents", _LOCAL),
    ),
    "efforts": (
        Entry("effort", "groups", "Conclude, find and reopen conversations", _LOCAL, _EDIT),
    ),
    "sessions": (
        Entry(
            "session",
            "groups",
            "Log, pause and resume agents' work",
            _LOCAL,
            _GIT | {Program.EDITOR, Program.AGENT},
        ),
    ),
    "runs": (Entry("run", "groups", "Carry out a plan with workers", _LOCAL, _RUN),),
    "setup": (
        Entry("init", "setup.init", "Set up a project", _LOCAL, _GIT),
        Entry(
            "doctor", "setup.doctor", "Check files and configuration, and fix them", _READS, _ITEMS
        ),
        Entry("auth", "setup.auth", "Store tokens in the keyring", _LOCAL, _TOKEN),
        Entry("config", "setup.config", "Show and change settings", _LOCAL),
        Entry("plugins", "setup.plugins", "List the tracker plugins, or write a new one", _LOCAL),
        Entry("completion", "setup.completion", "Print a shell completion script", _LOCAL),
        Entry("help", "setup.help", "Show help on a topic or a command", _LOCAL, _PAGER),
        Entry(
            "demo",
            "sandbox:demo",
            "Show a reopen on local stand-ins (no account needed)",
            _LOCAL,
            _DEMO,
        ),
        Entry("sandbox", "sandbox:sandbox", "Serve local stand-ins for the three trackers", _LOCAL),
        Entry("migrate", "files.migrate", "Migrate a SpecWeave project to .unlatch", _LOCAL, _GIT),
        Entry(
            "merge", "files.merge", "Resolve git conflicts in an increment or session", _LOCAL, _GIT
        ),
        Entry(
            "merge-driver",
            "files.merge:driver",
            "Merge increments and sessions for git",
            _LOCAL,
            _GIT,
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
MORE = ("trackers", "agents", "efforts", "sessions", "runs", "setup", "increments")
