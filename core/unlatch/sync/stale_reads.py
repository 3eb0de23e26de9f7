"""Leave items undecided that their trackers do not show in their present state yet."""

from __future__ import annotations

from dataclasses import replace

from unlatch.delivery.read_ahead import find_stale_read
from unlatch.sync.compare import Compared, Verdict

# What follows from a change of the item.
_BY_ITEM = frozenset({Verdict.PULL, Verdict.ASK, Verdict.CONFLICT, Verdict.DRIFT})


def check_stale(one: Compared) -> Compared:
    """Count an item as not read if its tracker shows it as it was before the last delivery."""
    item = one.seen.item
    if item is None or one.verdict not in _BY_ITEM:
        return one
    error = find_stale_read(one.increment, one.link, item)
    if error is None:
        return one
    return replace(one, seen=replace(one.seen, item=None, error=error), decision=None)
