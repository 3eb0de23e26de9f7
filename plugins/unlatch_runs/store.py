"""The runs of a project, in a folder each."""

from __future__ import annotations

import re
from contextlib import suppress
from itertools import takewhile
from typing import TYPE_CHECKING

from unlatch.errors import StoreError, UsageError
from unlatch.values import dataclass
from unlatch.worklog.collection import listing
from unlatch.worklog.disk.folder_lock import folder_lock
from unlatch.worklog.disk.private_folder import make_ignored, make_private
from unlatch.worklog.disk.safe_open import open_folder, read_file
from unlatch.worklog.name_matching import choose, dated_name, slug
from unlatch.worklog.times import stamp
from unlatch_runs.event_lines import parse_event
from unlatch_runs.events import RunCreated
from unlatch_runs.journal import LOG, read_state

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

    from unlatch_runs.event_base import RunEvent

_ID = re.compile(r"\d{4}-\d\d-\d\d-[a-z0-9]+(?:-[a-z0-9]+)*", re.ASCII)
# Bytes; the first two events have some hundred.
_BEGINNING = 1 << 16
_WHY = """\
# Logs of runs hold the words of workers, and the paths of this machine, so git leaves them out.
"""


@dataclass(frozen=True, slots=True)
class RunStore:
    """The runs in one folder; it is made when the first run starts."""

    root: Path

    def names(self) -> list[str]:
        """The ids of all runs, the oldest first."""
        names: list[str] = []
        with listing(self.root), open_folder(self.root) as opened:
            names = [name for name in opened.folders() if _ID.fullmatch(name)]
        return sorted(names, key=lambda name: (_begun(self.root / name), name))

    def plans(self) -> Iterator[tuple[Path, str]]:
        """The folder of each run with the name of its plan, by their first events; oldest first."""
        for name in self.names():
            first = next(iter(_beginning(self.root / name)), None)
            if isinstance(first, RunCreated):
                yield self.root / name, first.plan_file

    def unreadable(self) -> Iterator[StoreError]:
        """The errors of runs whose plan is unknown; one without an event never began."""
        for name in self.names():
            if not _beginning(self.root / name):
                try:
                    read_state(self.root / name)
                except StoreError as error:
                    yield error

    def create(self, title: str, day: datetime) -> Path:
        """Make the folder of a new run, named after the day and the title."""
        make_ignored(self.root, _WHY)
        with folder_lock(self.root):
            taken = set(self.names())
            folder = self.root / dated_name(day, slug(title, otherwise="run"), taken)
            make_private(folder)
        return folder

    def find(self, wanted: str | None) -> Path:
        """The folder of a run: by its id or a unique part of it; None: the newest one.

        It may begin with `run:`, as in briefings and documents.

        Raises:
            UsageError: `run-unknown`, `run-ambiguous` or `run-none`.
        """
        names = self.names()
        if wanted is None:
            if not names:
                hint = "unlatch run start PLAN --worker COMMAND"
                raise UsageError("run-none", "there is no run in this project", hint=hint)
            return self.root / names[-1]
        wanted = wanted.removeprefix("run:")
        several = f"'{wanted}' matches several runs"
        unknown = UsageError("run-unknown", f"there is no run '{wanted}'", hint="unlatch run list")
        ambiguous = UsageError("run-ambiguous", several, hint="name one in full")
        return self.root / choose(names, wanted, unknown=unknown, ambiguous=ambiguous)


def _begun(folder: Path) -> tuple[str, str]:
    """When a run was created, and the id of its first coordinator, which counts milliseconds."""
    if events := _beginning(folder):
        return stamp(events[0].timestamp), events[-1].session_id if len(events) > 1 else ""
    return folder.name, ""


def _beginning(folder: Path) -> list[RunEvent]:
    """The first two events of a run, as far as they can be read."""
    with suppress(FileNotFoundError, StoreError):
        lines = read_file(folder / LOG, at_most=_BEGINNING).split(b"\n")[:2]
        events = (parse_event(line.decode(errors="replace")) for line in lines)
        return [event for event in takewhile(bool, events) if event]
    return []
