"""The commands, as data: `unlatch --help` shows them without loading one."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Reach(StrEnum):
    """How far a command reaches."""

    LOCAL = "(local)"
    READS = "(reads trackers)"
    WRITES = "(writes trackers)"


class Program(StrEnum):
    """A program that a command may start."""

    GIT = "git"
    TOKEN = "the vendor's program that prints a token (gh, az)"  # noqa: S105
    TASKS = "tasks_command of the user's configuration"
    EDITOR = "the user's editor"
    UNLATCH = "unlatch"


@dataclass(frozen=True, slots=True)
class Entry:
    """A command.

    Args:
        name: what is typed.
        module: the module below `unlatch.cli.commands` that defines it, as `command`.
        help: what it does, in one line.
        reach: how far it reaches.
        section: the heading that it is listed under.
        shown: False for a synonym.
        programs: all that it may start; tests/security proves it.
    """

    name: str
    module: str
    help: str
    reach: Reach
    section: str
    shown: bool = True
    programs: frozenset[Program] = frozenset()

    @property
    def own_help(self) -> str:
        """How the command's own help begins."""
        return f"{self.help}. {self.reach}"

    @property
    def line(self) -> str:
        """The help line."""
        return f"{self.help} {self.reach}"


_GIT = frozenset({Program.GIT})
_TOKEN = frozenset({Program.TOKEN})
_ITEMS = _GIT | _TOKEN
_SCOPE = _ITEMS | {Program.TASKS, Program.EDITOR}
# The groups of the installed trackers (`unlatch github ...`) are not in the table.
GROUP_PROGRAMS = _ITEMS

COMMANDS = {
    entry.name: entry
    for entry in (
        Entry(
            "resume",
            "work.resume",
            "Reopen an increment and its items",
            Reach.WRITES,
            "Everyday",
            programs=_SCOPE,
        ),
        Entry(
            "reopen",
            "work.resume",
            "The same as resume",
            Reach.WRITES,
            "Everyday",
            shown=False,
            programs=_SCOPE,
        ),
        Entry(
            "undo",
            "work.undo",
            "Undo the last reopen",
            Reach.WRITES,
            "Everyday",
            programs=_ITEMS,
        ),
        Entry(
            "complete",
            "work.finish",
            "Complete an increment and close its items",
            Reach.WRITES,
            "Everyday",
            programs=_ITEMS,
        ),
        Entry(
            "pause",
            "work.moves",
            "Pause an active increment",
            Reach.LOCAL,
            "Everyday",
            programs=_GIT,
        ),
        Entry(
            "start",
            "work.moves",
            "Make an increment active",
            Reach.LOCAL,
            "Everyday",
            programs=_GIT,
        ),
        Entry("new", "work.new", "Create an increment", Reach.READS, "Everyday", programs=_ITEMS),
        Entry(
            "status",
            "overview.status",
            "Show increments that need attention: active, pending, broken",
            Reach.LOCAL,
            "See",
            programs=_GIT,
        ),
        Entry("list", "overview.list", "List the increments", Reach.LOCAL, "See"),
        Entry(
            "show",
            "overview.show",
            "Show an increment and its items",
            Reach.READS,
            "See",
            programs=_TOKEN,
        ),
        Entry(
            "history", "overview.history", "Show the history of an increment", Reach.LOCAL, "See"
        ),
        Entry(
            "link",
            "trackers.link",
            "Link items to an increment",
            Reach.WRITES,
            "Trackers",
            programs=_ITEMS,
        ),
        Entry(
            "unlink",
            "trackers.unlink",
            "Unlink an item",
            Reach.LOCAL,
            "Trackers",
            programs=_GIT,
        ),
        Entry(
            "sync",
            "trackers.sync",
            "Deliver pending updates and sync with the trackers",
            Reach.WRITES,
            "Trackers",
            programs=_ITEMS,
        ),
        Entry(
            "ingest",
            "trackers.ingest",
            "Process a webhook event",
            Reach.WRITES,
            "Trackers",
            programs=_ITEMS,
        ),
        Entry("init", "setup.init", "Set up a project", Reach.LOCAL, "Set up", programs=_GIT),
        Entry(
            "auth",
            "setup.auth",
            "Store tokens in the keyring",
            Reach.LOCAL,
            "Set up",
            programs=_TOKEN,
        ),
        Entry(
            "doctor",
            "setup.doctor",
            "Check files and configuration, and fix them",
            Reach.READS,
            "Set up",
            programs=_ITEMS,
        ),
        Entry(
            "plugins", "setup.plugins", "List the installed tracker plugins", Reach.LOCAL, "Set up"
        ),
        Entry(
            "completion",
            "setup.completion",
            "Print a shell completion script",
            Reach.LOCAL,
            "Set up",
        ),
        Entry(
            "demo",
            "sandbox.demo",
            "Watch the main job (no account needed)",
            Reach.LOCAL,
            "Try",
            programs=_GIT | {Program.UNLATCH},
        ),
        Entry(
            "sandbox",
            "sandbox.sandbox",
            "Serve local stand-ins for the three trackers",
            Reach.LOCAL,
            "Try",
        ),
        Entry(
            "abandon",
            "work.finish",
            "Abandon an increment and close its items",
            Reach.WRITES,
            "More",
            programs=_ITEMS,
        ),
        Entry(
            "review",
            "work.moves",
            "Move an increment to review",
            Reach.LOCAL,
            "More",
            programs=_GIT,
        ),
        Entry(
            "backlog",
            "work.moves",
            "Move an increment to the backlog",
            Reach.LOCAL,
            "More",
            programs=_GIT,
        ),
        Entry(
            "migrate",
            "files.migrate",
            "Migrate a SpecWeave tree",
            Reach.LOCAL,
            "More",
            programs=_GIT,
        ),
        Entry(
            "merge",
            "files.merge",
            "Resolve git conflicts in an increment",
            Reach.LOCAL,
            "More",
            programs=_GIT,
        ),
        Entry(
            "merge-driver",
            "files.merge_driver",
            "Merge metadata.json for git",
            Reach.LOCAL,
            "More",
            programs=_GIT,
        ),
    )
}

# Written out, because the order in which people read help is a decision.
SECTIONS = ("Everyday", "See", "Trackers", "Set up", "Try", "More")
