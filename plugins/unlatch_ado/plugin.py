"""The plugin for Azure DevOps."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from unlatch.errors import TrackerError
from unlatch.spi import (
    Background,
    Change,
    CommentRef,
    Examination,
    ItemHistory,
    ItemRef,
    Listed,
    Outcome,
    PlannedRequest,
    RemoteItem,
    Snapshot,
    SyncPlugin,
    ops_in,
)
from unlatch_ado import read as reading
from unlatch_ado import write as writing
from unlatch_ado.api.client import Client
from unlatch_ado.api.plain_text import plain
from unlatch_ado.read import read_background, read_history
from unlatch_ado.snapshot import interpret
from unlatch_ado.write import write_many
from unlatch_ado.writers import PreviewWriter, ValidatingWriter, Writer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from unlatch.spi.history import Asked, NewComment
    from unlatch.transport import Transport
    from unlatch_ado.api.models import WorkItem
    from unlatch_ado.settings import AdoSettings

# The number of items to search for a new one, before those back to a day before its intent.
_NEWEST = 1000
_MARGIN = timedelta(days=1)


class AdoPlugin(SyncPlugin):
    """Azure DevOps Services and Server.

    State, tags and comment go in one request, guarded by the revision
    (https://learn.microsoft.com/rest/api/azure/devops/wit/work-items/update), so a change is
    applied completely or not at all.
    """

    def __init__(self, settings: AdoSettings, transport: Transport) -> None:
        self._settings = settings
        self._client = Client(settings.organization_url, transport, newest=settings.api_version)

    def read(self, ref: ItemRef, change: Change | None = None) -> Snapshot:
        """Read one work item."""
        seen = reading.read(self._settings, self._client, ref, change)
        return Snapshot(seen.remote, seen)

    def read_many(
        self, refs: Sequence[ItemRef], change: Change | None = None
    ) -> Mapping[ItemRef, Snapshot | TrackerError]:
        """Read many work items, two hundred per request."""
        items = reading.read_many(self._settings, self._client, refs, change)
        return {
            ref: item if isinstance(item, TrackerError) else Snapshot(item.remote, item)
            for ref, item in items.items()
        }

    def write(self, snapshot: Snapshot, change: Change) -> Outcome:
        """Set the state, comment, relabel and edit, in one request."""
        return writing.write(Writer(self._client, self._settings), snapshot, change)

    def write_many(
        self, wanted: Sequence[tuple[Snapshot, Change]]
    ) -> Sequence[Outcome | TrackerError | None]:
        """Reopen and close many work items in one request."""
        return write_many(self._settings, self._client, wanted)

    def create(self, change: Change) -> Outcome:
        """Create a work item in the configured project."""
        return self._write(None, change, Writer(self._client, self._settings))

    def plan(self, snapshot: Snapshot | None, change: Change) -> tuple[PlannedRequest, ...]:
        """The requests of a change, without those whose answers are cached for a day."""
        lister = PreviewWriter(self._client, self._settings)
        if snapshot is not None:
            lister.was_read(snapshot.private)
        self._write(snapshot, change, lister)
        return lister.requests

    def approve(self, snapshot: Snapshot | None, change: Change) -> None:
        """Let Azure DevOps validate the planned request (`validateOnly`)."""
        self._write(snapshot, change, ValidatingWriter(self._client, self._settings))

    def find_comments(self, ref: ItemRef, op: str) -> tuple[CommentRef, ...]:
        """The comments that carry the marker of `op`, by any author, oldest first.

        Only members may comment.
        """
        return self._client.comments_with(_project_of(ref), ref.id, op)

    def find_ops(self, ref: ItemRef) -> tuple[str, ...]:
        """The operations that posted comments, oldest first."""
        return self._client.ops(_project_of(ref), ref.id)

    def read_history(self, ref: ItemRef) -> ItemHistory:
        """The marked comments with edits and authors, and the changes of state from the updates."""
        return read_history(self._client, _project_of(ref), ref.id)

    def read_background(
        self, refs: Sequence[ItemRef]
    ) -> Mapping[ItemRef, Background | TrackerError]:
        """Texts of work items, with their links to commits, pull requests and pages."""
        return read_background(self._settings, self._client, refs)

    def read_asked(self, ref: ItemRef, comment: str, groups: Sequence[str] = ()) -> Asked | None:
        """The comment of this id with its author's rights; None if it asks for nothing."""
        from unlatch_ado.asked import read_asked  # noqa: PLC0415  (rarely needed)

        return read_asked(self._settings, self._client, ref, comment, groups)

    def new_comments(self, since: datetime) -> Iterator[NewComment]:
        """The new comments, from the revisions of work items."""
        from unlatch_ado.asked import new_comments  # noqa: PLC0415  (rarely needed)

        return new_comments(self._settings, self._client, since)

    def acknowledge(self, ref: ItemRef, comment: str) -> None:
        """Like a comment, where the server has reactions."""
        from unlatch_ado.asked import acknowledge  # noqa: PLC0415  (rarely needed)

        acknowledge(self._client, ref, comment)

    def find_created(self, op: str, since: datetime) -> RemoteItem | None:
        """The work item of the configured project whose description carries the marker of `op`."""
        for seen, item in enumerate(self._newest()):
            if isinstance(item, TrackerError):
                # It may be the one searched for; a wrong "absent" would create a second one.
                raise item
            if op in _ops_of(item):
                return interpret(self._settings, self._client.projects, item).remote
            if seen >= _NEWEST and _was_created_before(item, since - _MARGIN):
                return None
        return None

    def list_items(self, since: datetime | None) -> Iterator[Listed]:
        """The work items of the configured project, newest first, two hundred per request."""
        for item in self._newest():
            if isinstance(item, TrackerError):
                continue
            if since is not None and _was_created_before(item, since):
                return
            ref = self._settings.ref(item.project, str(item.id))
            yield Listed(ref, item.title, _ops_of(item))

    def sees_place(self, ref: ItemRef) -> bool:
        """Whether the token sees the types of work items of the project."""
        return bool(self._client.projects.types(ref.target.rpartition("/")[2]))

    def examine(self, refs: Sequence[ItemRef]) -> Examination:
        """Check the token's permissions, and the configuration against the process."""
        from unlatch_ado.permissions import examine  # noqa: PLC0415  (rarely needed)

        return examine(self._settings, self._client, refs)

    def _write(self, snapshot: Snapshot | None, change: Change, writer: Writer) -> Outcome:
        if snapshot is None:
            from unlatch_ado.create import create  # noqa: PLC0415  (rarely needed)

            return create(writer, change)
        return writing.write(writer, snapshot, change)

    def _newest(self) -> Iterator[WorkItem | TrackerError]:
        project = self._settings.project
        return iter(()) if project is None else self._client.newest(project)


def _ops_of(item: WorkItem) -> frozenset[str]:
    return ops_in(plain(item.description or ""))


def _was_created_before(item: WorkItem, moment: datetime) -> bool:
    return item.created is not None and item.created < moment


def _project_of(ref: ItemRef) -> str:
    return ref.target.partition("/")[2]
