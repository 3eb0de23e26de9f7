"""The commands as data, which `unlatch --help` shows without loading one.

A package adds a command by an entry point of the group `unlatch.commands`: its name is the command
(`report`, or `history.verify` in a group), and its target an `Entry` in a module that imports
nothing but this one.
"""

from collections.abc import Mapping
from contextlib import suppress
from enum import StrEnum
from importlib import import_module

from unlatch.errors import PluginBroken
from unlatch.values import dataclass

# The group of entry points with the commands of packages.
_GROUP = "unlatch.commands"


class Reach(StrEnum):
    """The reach of a command: this machine, or trackers, too."""

    LOCAL = "(local)"
    READS = "(reads trackers)"
    WRITES = "(writes trackers)"


@dataclass(frozen=True, slots=True)
class Entry:
    """A command.

    Args:
        module: the module below `package` with the command `run` or, if its options depend on the
            plugins or on the name, the function `command`; another name has a colon. A group
            has none.
        commands: makes it a group; the module below `package` of each command in it, in the order
            of the help. The command `open` of the group `effort` is `open_effort` there.
        topic: the topic of `unlatch help` that shows the command of a package.
        is_last: whether that topic shows it behind the others, which are sorted by their names.
    """

    name: str
    module: str
    help: str
    reach: Reach
    commands: Mapping[str, str] | None = None
    package: str = "unlatch.cli.commands"
    topic: str = ""
    is_last: bool = False

    @property
    def own_help(self) -> str:
        return f"{self.help}. {self.reach}"

    @property
    def line(self) -> str:
        return f"{self.help} {self.reach}"


_LOCAL, _READS, _WRITES = Reach.LOCAL, Reach.READS, Reach.WRITES
_ATTENTION = "Show increments that need attention, or items"
_HISTORY = "Show the history of an increment or item, or verify it"
_SYNC = "Deliver pending updates and sync with the trackers"

# Each command has one topic of `unlatch help`, in the order of the help.
TOPICS: dict[str, tuple[Entry, ...]] = {
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
        Entry("search", "overview.search", "Find work of all kinds by words", _LOCAL),
    ),
    "trackers": (
        Entry("link", "trackers.link", "Link items to an increment", _WRITES),
        Entry("unlink", "trackers.link:unlink", "Unlink an item", _LOCAL),
    ),
    "agents": (),
    "efforts": (),
    "sessions": (),
    "runs": (),
    "setup": (
        Entry("init", "setup.init", "Set up a project", _LOCAL),
        Entry("auth", "setup.auth", "Store tokens in the keyring", _LOCAL),
        Entry("plugins", "setup.plugins", "List the tracker plugins, or write a new one", _LOCAL),
        Entry("completion", "setup.completion", "Print a shell completion script", _LOCAL),
        Entry("help", "setup.help", "Show help on a topic or a command", _LOCAL),
    ),
}
COMMANDS = {entry.name: entry for entries in TOPICS.values() for entry in entries}
# The help of a package's commands that `unlatch --help` shows: loading their entries takes time.
FRONT_HELP = {"doctor": ("Check files and configuration, and fix them", _READS)}
# The commands and topics that `unlatch --help` shows.
FRONT = {
    "Reopen and complete": ("resume", "reopen", "close", "undo", "complete"),
    "Create and sync": ("new", "link", "sync"),
    "View": ("status", "list", "show", "history"),
    "Set up": ("init", "doctor"),
}
MORE = ("core", "increments", "trackers", "agents", "efforts", "sessions", "runs", "setup")


def front_line(name: str) -> str:
    """The line of a command in `unlatch --help`."""
    return COMMANDS[name].line if name in COMMANDS else " ".join(FRONT_HELP[name])


def find_entry(name: str) -> Entry | None:
    """The command of this name, of a package only if the table has none.

    Raises:
        PluginBroken: `plugin-broken`: the package cannot be loaded.
    """
    if entry := COMMANDS.get(name):
        return entry
    target = _targets().get(name)
    return _loaded(name, target) if target else None


def outside_names(group: str = "") -> list[str]:
    """The commands that packages add to `unlatch` or a group of it; loads none of their entries."""
    names = [name.rpartition(".") for name in _targets() if name not in COMMANDS]
    return [name for above, _, name in names if above == group]


def all_topics() -> dict[str, tuple[Entry, ...]]:
    """Each topic with its commands, those of packages last, without what cannot be loaded."""
    topics: dict[str, tuple[Entry, ...]] = {**TOPICS}
    for name in outside_names():
        with suppress(PluginBroken):
            if entry := find_entry(name):
                topics[entry.topic] = (*topics.get(entry.topic, ()), entry)
    return {
        topic: tuple(sorted(entries, key=lambda entry: entry.is_last))
        for topic, entries in topics.items()
    }


def all_commands() -> dict[str, Entry]:
    """All commands by their names, in the order of the topics."""
    return {entry.name: entry for entries in all_topics().values() for entry in entries}


def _targets() -> Mapping[str, str]:
    from unlatch.worklog.entry_points import entry_points  # noqa: PLC0415  (slow to load)

    return entry_points(_GROUP)


def _loaded(name: str, target: str) -> Entry:
    module, _, attribute = target.partition(":")
    try:
        entry = getattr(import_module(module), attribute)
    except Exception as error:
        message = f"the command '{name}' cannot be loaded: {error}"
        raise PluginBroken("plugin-broken", message, where=target) from error
    if not isinstance(entry, Entry):
        raise PluginBroken("plugin-broken", f"the command '{name}' is no Entry", where=target)
    return entry
