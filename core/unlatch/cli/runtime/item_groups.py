"""The items of a command, in the project or outside of one."""

from __future__ import annotations

import os
from shlex import quote
from typing import TYPE_CHECKING

from unlatch.errors import StoreError
from unlatch.lifecycle.items.change import find_item_record, locate_items
from unlatch.lifecycle.items.outcome import is_left_open
from unlatch.lifecycle.items.places import ItemGroup, group_in_project, group_outside
from unlatch.project.trackers import Trackers
from unlatch.spi.operation import Kind
from unlatch.worklog.disk.user_files import user_config_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.cli.runtime.context import Context


def find_groups(context: Context, words: Sequence[str]) -> list[ItemGroup]:
    """The named items in groups that one set of settings serves; raises as `group_outside`."""
    if context.has_project:
        return [group_in_project(context.workspace, words)]
    return group_outside(words, environ=os.environ, user_config=user_config_file())


def find_record(context: Context, word: str) -> tuple[Context, str] | None:
    """The context over the record of an item, and the record's name; None if it has none.

    No tracker is asked: the commands for records send nothing.
    """
    (group,) = find_groups(context, [word])
    trackers = Trackers(group.workspace)
    (ref,) = locate_items(trackers, [word], offline=True)
    record = find_item_record(group.workspace, ref)
    return (context.over(group.workspace), record.id) if record else None


def reopened_record(context: Context, word: str) -> tuple[Context, str]:
    """The context over the record of an item that unlatch reopened, and the record's name.

    Raises:
        StoreError: `nothing-to-undo`: no reopen waits or opened the item, or it was closed since;
            the record cannot be read.
        UsageError: no tracker knows the item.
    """
    found = find_record(context, word)
    if found is not None:
        own, name = found
        record = own.workspace.manager.read(name)
        waits = any(one.kind is Kind.REOPEN and one.state for one in record.pending)
        if waits or is_left_open(record):
            return found
    message = f"no increment is linked to {word}, and no reopen of it is left to undo"
    raise StoreError("nothing-to-undo", message, hint=f"unlatch status {quote(word)}")
