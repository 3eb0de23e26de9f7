"""Units: what increments are called in the folders of other spec-driven tools."""

from dataclasses import field
from pathlib import Path

from unlatch.increments.model.status import Status
from unlatch.values import dataclass


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit of work where its tool keeps it.

    Args:
        layout: the name of the layout that reads it.
        key: its name without the date of an archive; the name of unlatch's own folder for it.
        place: its folder, or its file.
        archived: whether its tool keeps it as finished.
        uid: the tool's own permanent id of it, if any.
        older: an archived unit that had the key before this one took its name.
        is_file: whether it is a single file, so that other units are in the same folder.
        statuses: the words for a status in its documents, from the first to the last, where the
            project chooses them.
        twin: another folder with its name, which is no unit because of it.
    """

    layout: str
    key: str
    place: Path
    archived: bool = False
    uid: str | None = None
    older: Path | None = None
    is_file: bool = False
    statuses: tuple[str, ...] = ()
    twin: Path | None = None

    @property
    def folder(self) -> Path:
        """The folder in which the paths of its documents begin."""
        return self.place.parent if self.is_file else self.place


# The version of the rules by which marks in check boxes are read. By the first one, a task with an
# unknown mark was none.
GRAMMAR = 2


@dataclass(frozen=True, slots=True)
class Evidence:
    """A status that the files of a unit show.

    Args:
        by: what shows it, for people: "archive", "5/5 tasks".
        grammar: the version of the rules that read it.
        former: what the first version of the rules reads in the same files.
    """

    status: Status
    by: str
    grammar: int = field(default=1, compare=False)
    former: "Evidence | None" = field(default=None, compare=False)

    def changes(self, before: "Evidence | None") -> bool:
        """Whether it is news since `before`: another status, or more work done.

        New rules are no news: what was finished by former ones stays so.
        """
        if before is None:
            return True
        now = self.former if self.former and before.grammar < self.grammar else self
        return now.status is not before.status or (now.status.is_finished and now.by != before.by)


@dataclass(frozen=True, slots=True)
class RecordedUnit:
    """A unit as metadata.json records it; its path is a hint, because tools move their folders.

    Args:
        path: from the project's root, with slashes.
        evidence: what its files showed when unlatch last set the status.
    """

    layout: str
    path: str
    uid: str | None = None
    evidence: Evidence | None = None


def overrides(recorded: Status, before: Evidence | None, now: Evidence | None) -> bool:
    """Whether what the files show `now` replaces the status that unlatch recorded.

    Only news do: what the files showed `before`, when the status was recorded, was known. And they
    decide only whether the work is begun, and whether it is finished: the files say nothing of a
    pause or a review, and nothing of work that a person gave up without them.
    """
    if now is None or not now.changes(before):
        return False
    if recorded is Status.ABANDONED and not (before and before.status is recorded):
        return False
    if now.status.is_finished:
        return not recorded.is_finished
    if recorded.is_finished:
        return True
    return now.status is Status.ACTIVE and recorded in (Status.PLANNING, Status.BACKLOG)
