"""The questions of complete, abandon and undo before they close items."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.cli.render.describe import times
from unlatch.cli.render.texts import lines_of
from unlatch.cli.runtime import output
from unlatch.cli.runtime.session import require_terminal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.lifecycle.status_change import ChangePlan


def ask_undo(plans: Sequence[ChangePlan]) -> bool:
    names = " ".join(plan.before.id for plan in plans)
    require_terminal("undo closes items again", f"unlatch undo {names} --yes")
    entries = [(plan.before, entry) for plan in plans for entry in plan.undone]
    for increment, entry in entries:
        by = output.clean(entry.reopened_by)
        head = f"{output.warn('!')} {increment.id} was reopened by {by}: "
        output.talk(*lines_of("", head, entry.reason))
    items = times(sum(len(plan.before.links) for plan in plans), "item")
    to = " and ".join(dict.fromkeys(entry.previous_status for _, entry in entries))
    opened, what = "the reopen" if len(entries) == 1 else "these reopens", "it"
    if len(plans) > 1:
        what = "them"
    output.talk(f"  Undoing will set {what} back to {to}, and close the items that")
    output.talk(f"  {opened} opened ({items} linked).")
    return output.confirm("Continue?")
