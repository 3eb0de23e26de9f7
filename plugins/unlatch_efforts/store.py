"""The efforts of a project, in a folder each; status and summary follow from the events."""

from __future__ import annotations

import contextlib
import json
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from unlatch.errors import StoreError, UsageError
from unlatch.worklog.collection import listing
from unlatch.worklog.disk.atomic import PRIVATE, replace_file
from unlatch.worklog.disk.folder_lock import folder_lock
from unlatch.worklog.disk.private_folder import make_ignored, make_private
from unlatch.worklog.disk.safe_open import open_folder
from unlatch.worklog.json_text import json_object
from unlatch.worklog.name_matching import choose
from unlatch.worklog.record import BadRecord
from unlatch_efforts.effort_model import EFFORT, EFFORT_ID, Effort, Reopen, Status, effort_id
from unlatch_efforts.events import EVENTS, ChainedEvent, Concluded, Linked, Opened, Reopened
from unlatch_efforts.limits import check_reason, check_summary
from unlatch_efforts.transcript import Author, Pen, Transcript, damaged

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from unlatch.project.workspace import Workspace
    from unlatch.worklog.event_log import Event

LOG = "log.jsonl"
PROJECTION = "effort.json"
_WHY = """\
# Conversations can contain secrets and private matters, so git leaves them out.
# `unlatch effort export` prints one with probable secrets masked.
"""


class EffortStore:
    """The efforts in one folder.

    Args:
        root: the folder; it is made when the first effort is opened.
    """

    def __init__(self, root: Path, author: Author) -> None:
        self.root, self.author = root, author

    def names(self) -> list[str]:
        """The ids of all efforts, by name."""
        with listing(self.root), open_folder(self.root) as opened:
            return [name for name in opened.folders() if EFFORT_ID.fullmatch(name)]
        return []

    def all(self) -> list[Effort]:
        """All readable efforts, the most recently changed first."""
        efforts = [
            effort for effort in map(self._get_or_error, self.names()) if isinstance(effort, Effort)
        ]
        return sorted(efforts, key=lambda effort: (effort.updated, effort.id), reverse=True)

    def unreadable(self) -> list[StoreError]:
        """The errors of unreadable efforts."""
        return [
            error
            for error in map(self._get_or_error, self.names())
            if isinstance(error, StoreError)
        ]

    def _get_or_error(self, id: str) -> Effort | StoreError | None:
        try:
            return self.get(id)
        except StoreError as error:
            return error

    def get(self, id: str) -> Effort | None:
        """The effort of that id, if it exists; StoreError if its files cannot be read."""
        if not EFFORT_ID.fullmatch(id):
            return None
        try:
            with open_folder(self.root / id) as opened:
                size = opened.lstat(EVENTS.name).st_size
                with contextlib.suppress(FileNotFoundError):
                    if (cached := _cached(opened.read(PROJECTION), size)) and cached.id == id:
                        return cached
        except (FileNotFoundError, NotADirectoryError):
            return None
        # An opening without an event is not finished, or its process died.
        return self.rebuild(id) if self.transcript(id).lines(EVENTS.name) else None

    def find(self, wanted: str) -> Effort:
        """The effort that a word means; UsageError `effort-unknown` or `effort-ambiguous`."""
        wanted = wanted.removeprefix("effort:")
        if effort := self.get(wanted) or self.get(self.find_id(wanted)):
            return effort
        raise _unknown(wanted)

    def find_id(self, wanted: str) -> str:
        """The id of an effort, which may be unreadable: its id, or a unique part as `matching`.

        Both may begin with `effort:`, as in briefings and documents.

        Raises:
            UsageError: `effort-unknown` or `effort-ambiguous`, with the candidates as problems.
        """
        several = f"'{wanted}' matches several efforts"
        ambiguous = UsageError("effort-ambiguous", several, hint="name one in full")
        wanted = wanted.removeprefix("effort:")
        return choose(self.names(), wanted, unknown=_unknown(wanted), ambiguous=ambiguous)

    def named(self, name: str) -> Effort | None:
        """The effort for a name, if it exists; UsageError `effort-name`."""
        return self.get(effort_id(name))

    def transcript(self, id: str) -> Transcript:
        return Transcript(self.root / id, LOG, self.author)

    def open(self, title: str) -> Effort:
        """Open a new effort; UsageError `effort-exists` or `effort-name`."""
        name = effort_id(title)
        self.prepare()
        with folder_lock(self.root):
            if self.get(name):
                hint = f"unlatch effort switch {quote(name)}"
                raise UsageError("effort-exists", f"there is an effort '{name}' already", hint=hint)
            make_private(self.root / name)
            with self.transcript(name).lock() as pen:
                pen.record(Opened, title=title)
        return self.rebuild(name)

    def conclude(self, id: str, summary: str | None) -> Effort:
        """Conclude an open effort.

        Raises:
            UsageError: `effort-not-open`, `effort-unknown`, `effort-ambiguous` or
                `summary-too-long`.
        """
        check_summary(summary)
        with self._changing(id) as (pen, effort):
            if not effort.is_open:
                hint = f"unlatch effort reopen {quote(effort.id)}"
                message = f"the effort '{effort.id}' is concluded already"
                raise UsageError("effort-not-open", message, hint=hint)
            pen.record(Concluded, summary=summary)
        return self.rebuild(effort.id)

    def reopen(self, id: str, reason: str | None = None) -> tuple[Effort, str | None]:
        """Reopen a concluded effort; also returns its earlier summary.

        Raises:
            UsageError: `effort-not-concluded`, `effort-unknown`, `effort-ambiguous` or
                `reason-too-long`.
        """
        check_reason(reason)
        with self._changing(id) as (pen, effort):
            if effort.is_open:
                hint = f"unlatch effort switch {quote(effort.id)}"
                message = f"the effort '{effort.id}' is open; only a concluded one is reopened"
                raise UsageError("effort-not-concluded", message, hint=hint)
            pen.record(Reopened, prior_summary=effort.summary, reason=reason)
            pen.log_separator(reason)
        return self.rebuild(effort.id), effort.summary

    def link(self, id: str, increment: str | None, *, project: str | None = None) -> Effort:
        """Record the increment that an effort belongs to; the same again records nothing.

        Raises:
            UsageError: `effort-unknown` or `effort-ambiguous`.
        """
        with self._changing(id) as (pen, effort):
            if (effort.increment, effort.project) != (increment, project):
                pen.record(Linked, increment=increment, project=project)
        return self.rebuild(effort.id)

    @contextlib.contextmanager
    def _changing(self, id: str) -> Iterator[tuple[Pen, Effort]]:
        effort = self.find(id)
        with self.transcript(effort.id).lock() as pen:
            yield pen, self.rebuild(effort.id)

    def rebuild(self, id: str) -> Effort:
        """Rebuild a cached effort from its events; StoreError `effort-damaged`."""
        transcript = self.transcript(id)
        lines = transcript.lines(EVENTS.name)
        effort = _from_lines(id, lines)
        if effort is None:
            raise damaged(transcript, f"{EVENTS.name} does not begin with its opening")
        size = sum(len(line) + 1 for line in lines)
        document = json.dumps(EFFORT.write(effort) | {"events": size}, indent=2)
        with contextlib.suppress(StoreError):  # it is a cache
            replace_file(self.root / id / PROJECTION, document.encode(), mode=PRIVATE)
        return effort

    def is_false(self, id: str) -> bool:
        """Whether a cached effort differs from its events."""
        try:
            with open_folder(self.root / id) as opened:
                kept, events = opened.read(PROJECTION), opened.read(EVENTS.name)
        except FileNotFoundError:
            return False
        effort = _cached(kept, len(events))
        return effort is not None and effort != _from_lines(id, events.split(b"\n")[:-1])

    def prepare(self) -> None:
        """Make the folder, and the file that keeps it out of git, even if it came from a clone."""
        make_ignored(self.root, _WHY)


def _from_lines(id: str, lines: Iterable[bytes]) -> Effort | None:
    events = (EVENTS.parse(line.decode(errors="replace")) for line in lines)
    return project(id, filter(None, events))


def project(id: str, events: Iterable[Event]) -> Effort | None:
    """The effort described by its events, in the order of the file; None without its opening."""
    effort: Effort | None = None
    for event in events:
        if isinstance(event, Opened):
            effort = Effort(
                id=id,
                title=event.title,
                status=Status.OPEN,
                created=event.at,
                updated=event.at,
                lines=event.lines,
            )
        elif effort and isinstance(event, ChainedEvent):
            effort = replace(effort, updated=event.at, lines=event.lines, **_changes(effort, event))
    return effort


def _changes(effort: Effort, event: ChainedEvent) -> dict[str, Any]:
    match event:
        case Concluded():
            return {
                "status": Status.CONCLUDED,
                "summary": event.summary,
                "concluded": event.at,
            }
        case Reopened():
            reopen = Reopen(
                at=event.at,
                by=event.by,
                prior_summary=event.prior_summary,
                reason=event.reason,
                concluded=effort.concluded,
            )
            return {"status": Status.OPEN, "reopens": (*effort.reopens, reopen)}
        case Linked():
            return {"increment": event.increment, "project": event.project}
    return {}


def _cached(raw: bytes, size: int) -> Effort | None:
    """The cached effort, if its events have not grown since."""
    record = json_object(raw.decode(errors="replace"))
    if record.get("events") != size:
        return None
    try:
        return EFFORT.read(record)  # type: ignore[no-any-return]  # it is the record's model
    except BadRecord:
        return None


def project_of(workspace: Workspace) -> str | None:
    """The project to record with a link: None if the folder of efforts is in the project."""
    return str(workspace.paths.root.resolve()) if workspace.user.efforts.path else None


def effort_store(workspace: Workspace, *, by: str) -> EffortStore:
    """The store in `.unlatch/efforts`, or in the folder of the user's own configuration."""
    author = Author(by, workspace.clock, workspace.new_id)
    configured = workspace.user.efforts.path
    root = Path(configured) if configured else workspace.paths.home / "efforts"
    return EffortStore(root, author)


def _unknown(wanted: str) -> UsageError:
    message = f"there is no effort '{wanted}'"
    return UsageError("effort-unknown", message, hint="unlatch effort list")
