"""Tell a reopen on another branch, or one that git reverted, from one by hand."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from unlatch.errors import UnlatchError
from unlatch.increments.files.changes.ids import pull_id
from unlatch.increments.files.new_item import find_record
from unlatch.increments.files.paths import EVENTS, METADATA
from unlatch.increments.records.events import Delivered, Parked, read_events
from unlatch.project.git.history import had_record
from unlatch.sync.compare import Compared, Side, Verdict, decide

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from unlatch.increments.model.increment import Increment
    from unlatch.project.trackers import Trackers
    from unlatch.project.workspace import Workspace

MERGED_WITHIN = timedelta(days=30)  # a reopen on another branch explains an open item so long


def check_branches(
    workspace: Workspace, trackers: Trackers, compared: Compared, everything: Iterable[Increment]
) -> Compared:
    """Decide again about an item that was reopened, if a reopen on another branch did it.

    The last comment of unlatch has to be of an operation that these files do not know. A marker
    proves nothing about the state, and a branch may be deleted without a merge: after a while the
    item counts as reopened by hand. A pull of this increment was made on this branch, and is made
    again. If this branch had the reopen, a later commit has taken it back.
    """
    item = compared.seen.item
    if compared.verdict is not Verdict.PULL or item is None or not item.category.is_open:
        return compared
    try:
        plugin = trackers.open(item.ref.tracker)
        ops = plugin.find_ops(item.ref)
        unknown = set(ops[-1:]) - _known_operations(compared.increment)
        # The item may have been another increment's before.
        for other in everything if unknown else ():
            unknown -= _known_operations(other)
        # It may have been reopened alone, by a record of its own.
        if unknown and (alone := find_record(workspace.beside, compared.link)):
            unknown -= _known_operations(alone)
        if not unknown:
            return compared
        (op,) = unknown
        if op == pull_id(compared.increment, Side.OPEN):
            return replace(compared, context=replace(compared.context, unpublished_pull=op))
        comments = plugin.find_comments(item.ref, op)
    except UnlatchError as error:
        return replace(compared, seen=replace(compared.seen, error=error), decision=None)
    if not comments:
        return compared  # it was deleted meanwhile
    posted = comments[-1].created
    is_reverted = _is_reverted(workspace.paths.root, compared.increment, op, posted)
    elsewhere = op if is_reverted or _is_recent(posted, workspace.clock()) else None
    context = replace(compared.context, reopened_elsewhere=elsewhere, is_reverted=is_reverted)
    status, base = compared.increment.status, compared.link.base
    decision = decide(status, base, item.category, policy=compared.policy, context=context)
    return replace(compared, decision=decision, context=context)


def _is_recent(posted: datetime, now: datetime) -> bool:
    """Whether a comment is recent by the tracker's time; this clock may be a day behind."""
    return -timedelta(days=1) <= now - posted <= MERGED_WITHIN


def _is_reverted(root: Path, increment: Increment, op: str, posted: datetime) -> bool:
    files = [increment.folder / name for name in (METADATA, EVENTS)]
    return had_record(root, op, files, since=posted)


def _known_operations(increment: Increment) -> set[str | None]:
    """Return every operation that an increment's files mention."""
    events = read_events(increment.folder)
    return {
        *(id_ for entry in increment.reopens for id_ in (entry.id, entry.revert)),
        *(operation.op for operation in increment.pending),
        *(event.id for event in events),
        *(event.op for event in events if isinstance(event, Delivered | Parked)),
    }
