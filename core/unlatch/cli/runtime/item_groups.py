"""The items of a command, in the project or outside of one."""

from __future__ import annotations

import os
from contextlib import suppress
from shlex import quote
from typing import TYPE_CHECKING

from unlatch.errors import UsageError
from unlatch.increments.records.pending import has_begun
from unlatch.lifecycle.items.change import find_item_record, locate_items
from unlatch.lifecycle.items.outcome import is_left_open
from unlatch.lifecycle.items.places import ItemGroup, group_in_project, group_outside
from unlatch.project.trackers import Trackers
from unlatch.spi.operation import Kind
from unlatch.worklog.disk.user_files import user_config_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.cli.runtime.session import Session


def find_groups(session: Session, words: Sequence[str]) -> list[ItemGroup]:
    """The named items in groups that one set of settings serves; raises as `group_outside`."""
    if session.has_project:
        return [group_in_project(session.workspace, words)]
    return group_outside(words, environ=os.environ, user_config=user_config_file())


def find_record(session: Session, word: str) -> tuple[Session, str] | None:
    """The session over the record of an item, and the record's name; None if it has none.

    No tracker is asked: the commands for records send nothing.
    """
    (group,) = find_groups(session, [word])
    trackers = Trackers(group.workspace)
    (ref,) = locate_items(trackers, [word], offline=True)
    record = find_item_record(group.workspace, ref)
    return (session.over(group.workspace), record.id) if record else None


def undoing(session: Session, word: str, *, otherwise: str) -> str | None:
    """The command that undoes the last reopen of an item: unlink withdraws one that was not sent.

    `otherwise` is the command for one that opened the item; None if none did, or it was closed.

    Raises:
        StoreError: the item's record cannot be read.
    """
    found: tuple[Session, str] | None = None
    with suppress(UsageError):  # an item that no tracker knows
        found = find_record(session, word)
    if found is None:
        return None
    own, name = found
    record = own.workspace.manager.read(name)
    reopens = [one for one in record.pending if one.kind is Kind.REOPEN and one.state]
    if not reopens:
        return otherwise if is_left_open(record) else None
    withdrawing = f"unlatch unlink {quote(word)}"
    begun = any(map(has_begun, reopens))
    return f"{withdrawing}; if the item is open: {otherwise}" if begun else withdrawing
