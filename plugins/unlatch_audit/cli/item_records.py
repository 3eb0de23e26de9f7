"""The records of items that belong to no increment."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from unlatch.lifecycle.items.pending import records_in_project, records_outside
from unlatch.worklog.disk.user_files import user_config_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.cli.runtime.context import Context
    from unlatch.increments.model.increment import BrokenIncrement, Increment


def records_of_items(
    context: Context,
) -> tuple[list[tuple[Context, Sequence[Increment]]], Sequence[BrokenIncrement]]:
    """The records of items alone: those of the project, outside of one this user's.

    Returns:
        They, each with the context over those of one place, and the unreadable ones.
    """
    if context.has_project:
        here, broken = records_in_project(context.workspace)
        groups = [here]
    else:
        config = user_config_file()
        groups, broken = records_outside(environ=os.environ, user_config=config)
    return [(context.over(group.workspace), records) for group, records in groups], broken
