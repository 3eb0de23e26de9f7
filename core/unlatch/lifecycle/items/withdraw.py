"""Withdraw the pending operations on an item that belongs to no increment."""

from unlatch.increments.files.linking import release
from unlatch.increments.model.link import Link
from unlatch.project.workspace import Workspace


def withdraw_operations(
    workspace: Workspace, name: str, *, by: str, dry_run: bool
) -> tuple[Link, int]:
    """Drop the pending operations of a record; returns the item, and their number.

    Raises:
        StoreError: the record cannot be read or written.
    """
    record = workspace.manager.read(name)
    link = record.links[0]
    if record.pending and not dry_run:
        release(workspace.manager, record.id, link, by=by)
    return link, len(record.pending)
