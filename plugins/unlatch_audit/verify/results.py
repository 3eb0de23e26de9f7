"""The results of verifying a history."""

from collections.abc import Iterator
from datetime import datetime
from enum import StrEnum

from unlatch.values import dataclass


class Verdict(StrEnum):
    """The result of checking one part."""

    OK = "ok"
    DIFFERS = "differs"
    UNCHECKED = "unchecked"


class Part(StrEnum):
    """The part of an entry that was checked."""

    RECORD = "record"  # metadata.json and events.jsonl against each other
    ITEM = "item"  # whether the tracker still has it
    COMMENT = "comment"
    STATE = "state"


@dataclass(frozen=True, slots=True)
class Check:
    """The check of one part of an entry.

    Args:
        id: of the difference, or of the error that kept the part from being checked; None if OK.
        message: in words; empty if OK.
        tracker: with `item`, the item it is about; None for the local records.
        author: of the comment or the change, as the tracker shows it.
    """

    part: Part
    verdict: Verdict
    id: str | None = None
    message: str = ""
    tracker: str | None = None
    item: str | None = None
    author: str | None = None


def differs(part: Part, id: str, message: str) -> Check:
    return Check(part, Verdict.DIFFERS, id, message)


@dataclass(frozen=True, slots=True)
class VerifiedEntry:
    """One operation of an increment, with the checks of its parts.

    Args:
        id: its ULID; empty for the files as a whole.
        kind: "reopened", "withdrawn", "undone", or the kind of an operation on items alone.
    """

    id: str
    kind: str
    at: datetime | None
    by: str | None
    checks: tuple[Check, ...]


@dataclass(frozen=True, slots=True)
class VerifiedIncrement:
    """The history of an increment, or of an item alone.

    Args:
        id: the name of its folder.
        title: the item's name, of an item alone.
    """

    id: str
    entries: tuple[VerifiedEntry, ...]
    title: str | None = None

    @property
    def name(self) -> str:
        return self.title or self.id

    @property
    def checks(self) -> Iterator[Check]:
        return (check for entry in self.entries for check in entry.checks)

    def count(self, verdict: Verdict) -> int:
        return sum(check.verdict is verdict for check in self.checks)
