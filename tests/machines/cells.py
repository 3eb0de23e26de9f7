"""The cells of the two-machine matrix: two commands, where the second runs, and a fault."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

SAME, CLONES, FRESH = "same checkout", "two clones", "fresh clone"
INTO_FIRST, INTO_SECOND = "merge into first", "merge into second"
PLACES = (SAME, CLONES, FRESH, INTO_FIRST, INTO_SECOND)
NONE, LOST, LATE, KILL = "no fault", "answer lost", "late effect", "kill"
FAULTS = (NONE, LOST, LATE, KILL)

# The reasons in the comments of the commands.
FIRST_REOPENED, REOPENED = "The export lost a column", "Bug discovered in error handling"
CLOSED, UNDONE = "All tasks are done", "Reopened the wrong increment"
PULLED = "reopened by"


@dataclass(frozen=True)
class Command:
    """A command of a cell.

    Args:
        words: its arguments; items, or the file of an event, follow.
        opens: whether it opens the items; a sync does because a person reopened one of them.
        reason: in its comments.
        needs: the status of the increment that it can change; None for any.
        on_items: whether it changes the items alone, and not the increment.
        is_sync: whether it follows the trackers; what it decides is not recorded before.
    """

    words: tuple[str, ...]
    opens: bool
    reason: str
    needs: str | None = None
    on_items: bool = False
    is_sync: bool = False

    @property
    def begins(self) -> str:
        """The status of the increment at the start of a cell with this as its first command."""
        return "completed" if self.opens else "active"

    @property
    def leaves(self) -> str:
        """The increment's status after it, from there."""
        if self.on_items:
            return self.begins
        return "active" if self.opens else "completed"


def _sync(*words: str) -> Command:
    return Command((*words, "--yes"), opens=True, reason=PULLED, is_sync=True)


COMMANDS: Mapping[str, Command] = {
    "resume": Command(
        ("resume", "7", "--yes", "--reason", REOPENED),
        opens=True,
        reason=REOPENED,
        needs="completed",
    ),
    "reopen": Command(
        ("reopen", "--yes", "--item-only", "--reason", REOPENED),
        opens=True,
        reason=REOPENED,
        on_items=True,
    ),
    "close": Command(
        ("close", "--yes", "--item-only", "--reason", CLOSED),
        opens=False,
        reason=CLOSED,
        on_items=True,
    ),
    "complete": Command(
        ("complete", "7", "--yes", "--reason", CLOSED),
        opens=False,
        reason=CLOSED,
        needs="active",
    ),
    "undo": Command(
        ("undo", "7", "--yes", "--reason", UNDONE), opens=False, reason=UNDONE, needs="active"
    ),
    "sync": _sync("sync"),
    "push": _sync("sync", "--commit", "push"),
    "ingest": _sync("ingest", "--from", "github-event"),
}


@dataclass(frozen=True)
class Cell:
    """One cell; a fault strikes the comments of the first command on all three trackers."""

    first: str
    second: str
    place: str
    fault: str

    @property
    def values(self) -> tuple[str, ...]:
        return self.first, self.second, self.place, self.fault

    @property
    def name(self) -> str:
        return ", ".join(self.values)

    @property
    def commands(self) -> tuple[Command, Command]:
        return COMMANDS[self.first], COMMANDS[self.second]

    @property
    def answers(self) -> bool:
        """Whether the second command changes what the first decided, and so has to know of it.

        Others begin where the first began: both have the same intent.
        """
        first, second = self.commands
        return not second.is_sync and first.opens is not second.opens

    @property
    def is_announced(self) -> bool:
        """Whether the first command is recorded and pushed, and another machine delivers it."""
        is_shared = self.place == FRESH or (self.answers and self.place != SAME)
        return is_shared and not self.commands[0].is_sync

    @property
    def why_empty(self) -> str | None:
        """Why there is no such cell."""
        first, second = self.commands
        if not self.answers or second.needs is None:
            return None
        if first.leaves != second.needs:
            return f"{self.first} leaves the increment {first.leaves}"
        if self.is_lost:
            return f"what {self.first} decided died with its checkout"
        return None

    @property
    def is_lost(self) -> bool:
        """Whether the records of the first command die with its checkout."""
        is_pushed = self.first == "push" and self.fault != KILL
        return self.place == FRESH and self.commands[0].is_sync and not is_pushed


CELLS = tuple(Cell(*values) for values in product(COMMANDS, COMMANDS, PLACES, FAULTS))
