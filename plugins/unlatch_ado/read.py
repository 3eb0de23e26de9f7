"""Read work items, with all facts for a change, what they say, and their past.

Azure DevOps links what names a work item by itself, and its pull requests close linked ones
(https://learn.microsoft.com/azure/devops/repos/git/resolve-work-items). The commits of a pull
request need another scope of the token, so those that merged it are known by their subjects. Its
number is the only one in the organization.
"""

from __future__ import annotations

import html
import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import unquote

from unlatch.errors import Conflict, NotFound, Rejected, TrackerError, Unauthorised
from unlatch.patterns import pattern
from unlatch.spi import (
    Background,
    ClosingCommit,
    Goal,
    ItemHistory,
    MarkedComment,
    StateChange,
    ops_in,
)
from unlatch_ado.api.client import Client, Parts
from unlatch_ado.api.plain_text import plain
from unlatch_ado.parents import read_parent
from unlatch_ado.reopen_context import reopen_fields
from unlatch_ado.snapshot import WorkItemSnapshot, check_project, reopens, to_snapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from unlatch.spi import Change, ItemRef
    from unlatch_ado.api.models import WorkItem
    from unlatch_ado.api.workflow import Workflow
    from unlatch_ado.settings import AdoSettings

_ALL = Parts(description=True, related=True)
# vstfs:///Git/Commit/PROJECT/REPOSITORY/ID, vstfs:///Git/PullRequestId/PROJECT/REPOSITORY/NUMBER,
# and vstfs:///GitHub/Commit/REPOSITORY/ID of a connected GitHub.
_COMMIT = pattern(
    r"vstfs:///(?:Git/Commit/[^/]+|GitHub/Commit)/[^/]+/([0-9a-f]{40})", re.IGNORECASE
)
_PULL = pattern(r"vstfs:///Git/PullRequestId/[^/]+/[^/]+/([0-9]{1,9})", re.IGNORECASE)
_HREF = pattern(r"""\bhref\s{0,9}=\s{0,9}["']([^"'<>]{1,2000})["']""", re.IGNORECASE)


def read(
    settings: AdoSettings, client: Client, ref: ItemRef, change: Change | None
) -> WorkItemSnapshot:
    """Read one work item, and its parent if the change may reopen it.

    Raises:
        Rejected: `target-not-allowed`, `state-unknown`.
    """
    item = client.read(ref.id, _parts(settings, change))
    seen = to_snapshot(settings, client.projects, item)
    if not reopens(seen, change):
        return _noted(settings, seen, change)
    return _reopenable(settings, client, seen, lambda number: _try_read(client, number))


def read_many(
    settings: AdoSettings, client: Client, refs: Sequence[ItemRef], change: Change | None
) -> dict[ItemRef, WorkItemSnapshot | TrackerError]:
    """Read many work items and their parents, two hundred per request.

    Raises:
        TrackerError: none of them could be read.
    """
    items = client.read_many((ref.id for ref in refs), _parts(settings, change))
    failed: dict[tuple[str, str], TrackerError] = {}
    by_number = {number: _seen(settings, client, item, failed) for number, item in items.items()}
    read = [snapshot for snapshot in by_number.values() if isinstance(snapshot, WorkItemSnapshot)]
    by_number |= {str(snapshot.item.id): _noted(settings, snapshot, change) for snapshot in read}
    moved = [snapshot for snapshot in read if reopens(snapshot, change)]
    parents = _parents(client, moved)
    for snapshot in moved:
        by_number[str(snapshot.item.id)] = _reopenable(
            settings, client, snapshot, parents.__getitem__
        )
    return {ref: by_number[str(int(ref.id))] for ref in refs}


def _parts(settings: AdoSettings, change: Change | None) -> Parts:
    if change is None:
        return Parts(description=True)
    looks_at_parent = settings.on_reopen.parent != "ignore" and change.goal is Goal.OPEN
    return Parts(description=change.draft is not None, related=looks_at_parent)


def _noted(
    settings: AdoSettings, seen: WorkItemSnapshot, change: Change | None
) -> WorkItemSnapshot:
    """The work item, with a note if a reopen leaves it in Resolved."""
    state, configured = seen.item.state, settings.state_for(Goal.OPEN, seen.item.type)
    is_reopen = change is not None and change.goal is Goal.OPEN
    if not is_reopen or not seen.workflow.is_resolved(state) or configured:
        return seen
    setting = "`states.reopened` in [trackers.ado]"
    note = f"it stays in {state}, which counts as open; {setting} names a state to move it to"
    return replace(seen, notes=(note,))


def _reopenable(
    settings: AdoSettings,
    client: Client,
    seen: WorkItemSnapshot,
    parent: Callable[[str], WorkItem | TrackerError],
) -> WorkItemSnapshot:
    """The work item with the further fields and the parent for a reopen."""
    today = datetime.now(UTC).date()
    renewal = reopen_fields(settings, client.projects, seen.item, today=today)
    if seen.item.parent is None:
        return replace(seen, renewal=renewal)
    above = read_parent(settings, client.projects, parent(seen.item.parent))
    return replace(seen, renewal=renewal, parent=above)


def _try_read(client: Client, number: str) -> WorkItem | TrackerError:
    try:
        return client.read(number)
    except TrackerError as error:
        return error


def _parents(
    client: Client, seen: Iterable[WorkItemSnapshot]
) -> Mapping[str, WorkItem | TrackerError]:
    numbers = {snapshot.item.parent for snapshot in seen if snapshot.item.parent is not None}
    try:
        return client.read_many(numbers)
    except TrackerError as error:
        return dict.fromkeys(numbers, error)


def _seen(
    settings: AdoSettings,
    client: Client,
    item: WorkItem | TrackerError,
    failed: dict[tuple[str, str], TrackerError],
) -> WorkItemSnapshot | TrackerError:
    if isinstance(item, TrackerError):
        return item
    # A type with unreadable states is not tried again for every item.
    kind = (item.project, item.type)
    if kind in failed:
        return failed[kind]
    try:
        return to_snapshot(settings, client.projects, item)
    except Rejected as refusal:
        return refusal
    except TrackerError as error:
        return failed.setdefault(kind, error)


def read_history(client: Client, project: str, number: str) -> ItemHistory:
    """The comments with markers, and the changes of state.

    The token's account, and the states of the type, are only read if there is anything to judge.
    """
    marked = [remark for remark in client.remarks(project, number) if ops_in(remark.text)]
    updates = [update for update in client.updates(number) if update.state is not None]
    me = client.projects.find_account() if marked or updates else None
    workflow = _find_workflow(client, number) if updates else None
    comments = (
        MarkedComment(
            remark.ref.id,
            remark.text,
            remark.author.name,
            edited=remark.edited,
            created=remark.ref.created,
            own=remark.author.is_same_as(me),
        )
        for remark in marked
    )
    changes = (
        StateChange(
            update.at,
            update.state,
            update.author.name,
            update.author.is_same_as(me),
            _is_open(workflow, update.state),
        )
        for update in updates
        if update.at is not None and update.state is not None
    )
    return ItemHistory(tuple(comments), tuple(changes))


def _find_workflow(client: Client, number: str) -> Workflow | None:
    """The states of the type that a work item has now; None if they cannot be read."""
    try:
        item = client.read(number)
        return client.projects.workflow(item.project, item.type)
    except (Conflict, NotFound, Rejected, Unauthorised):
        return None


def _is_open(workflow: Workflow | None, state: str) -> bool | None:
    """Whether a state counts as open; None if the type does not have it any more."""
    category = workflow.category(state) if workflow else None
    return None if category is None else category.is_open


def read_background(
    settings: AdoSettings, client: Client, refs: Sequence[ItemRef]
) -> dict[ItemRef, Background | TrackerError]:
    """The background of each work item, or the error; two hundred per request.

    Raises:
        TrackerError: none of them could be read.
    """
    items = client.read_many((ref.id for ref in refs), _ALL)
    return {ref: _background(settings, items[str(int(ref.id))]) for ref in refs}


def _background(settings: AdoSettings, item: WorkItem | TrackerError) -> Background | TrackerError:
    if isinstance(item, TrackerError):
        return item
    try:
        check_project(settings, item)
    except TrackerError as error:
        return error
    links = [unquote(link) for link in item.links]
    description = item.description or ""
    hrefs = map(html.unescape, _HREF.findall(description))
    return Background(
        "\n".join((item.title, plain(description), *hrefs, *item.links)),
        commits=tuple(ClosingCommit(m[1].lower()) for m in map(_COMMIT.fullmatch, links) if m),
        merges=tuple(f"Merged PR {m[1]}:" for m in map(_PULL.fullmatch, links) if m),
    )
