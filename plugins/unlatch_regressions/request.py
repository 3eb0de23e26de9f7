"""What a reader of causes is asked: the finished work of a project, and the reports to read."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any

from unlatch.values import dataclass
from unlatch.worklog.times import read_stamp
from unlatch_regressions.names import OwnRepository
from unlatch_regressions.recorded import Recorded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from unlatch.increments.model.increment import Increment
    from unlatch_regressions.branch.history import History
    from unlatch_regressions.cause import Cause
    from unlatch_regressions.items import LinkedItems


@dataclass(frozen=True, slots=True)
class Work:
    """An increment that was completed at least once; it may be active again.

    Args:
        commits: the ids of the commits that made it, as docs/regressions.md defines them.
        completed_in: the commit that completed it last; "" if no commit shows that.
        guards: the names of the tests that guard it, as metadata.json has them.
        recorded: the causes that are on record since its last reopen.
        reopened_in: the commit that recorded that reopen; "" if none does.
    """

    increment: Increment
    commits: frozenset[str] = frozenset()
    completed_in: str = ""
    guards: tuple[str, ...] = ()
    recorded: Recorded = Recorded()
    reopened_in: str = ""

    @property
    def completed_at(self) -> datetime | None:
        """When it was completed last; None if nothing shows that."""
        if self.increment.status.is_finished or not self.increment.reopens:
            return self.increment.completed_at
        return read_stamp(self.increment.reopens[-1].previous_completed_at)


@dataclass(frozen=True)
class Request:
    """What to read.

    Args:
        root: the project's folder.
        history: the commits of the default branch, as this clone has them.
        work: by the increment's id.
        named: the ids of the increments that a name means: an increment's, or an item's as people
            write it (#4, octo/widgets#4, SCRUM-28, an address).
        files: the files that the command line names, by the option: "junit", "sarif", "event".
        commits_of: the commits that reports are about; of other reports it is `head`.
        head: the commit that is checked out; "" if that cannot be told.
        runs: the number of runs in a row in which a test has to fail, or to pass.
        now: this machine's time, in UTC.
        environ: for keys that sign events.
        bookkeeping: the commits that changed nothing but the records of increments.
        items: what the linked items say; None where no tracker can be asked.
        own: where the project's repository is.
        kept: what readers keep, so that no file is read twice, by names of their own.
    """

    root: Path
    history: History
    work: Mapping[str, Work]
    named: Callable[[str], Sequence[str]]
    now: datetime
    head: str = ""
    runs: int = 2
    files: Mapping[str, Sequence[Path]] = field(default_factory=dict)
    commits_of: Mapping[Path, str] = field(default_factory=dict)
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    bookkeeping: frozenset[str] = frozenset()
    items: LinkedItems | None = None
    own: OwnRepository = OwnRepository()
    kept: dict[str, Any] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Reader:
    """A reader of causes, which a package registers by an entry point of `unlatch.causes`.

    Args:
        kinds: the kinds of the causes that it reads.
        read: reads them; a file that it cannot read is an UnlatchError.
    """

    kinds: tuple[str, ...]
    read: Callable[[Request], Iterable[Cause]]
