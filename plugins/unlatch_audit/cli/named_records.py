"""The increments and items that `history verify` is given, also those that git alone has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.cli.runtime.increments import named_increments
from unlatch.cli.runtime.item_words import (
    find_groups,
    find_record,
    nothing_recorded,
)
from unlatch.errors import UsageError
from unlatch.increments.files.former import recorded_ids
from unlatch.lifecycle.items.change import locate_items, record_name
from unlatch.project.trackers import Trackers
from unlatch.worklog.name_matching import Match, in_range, matching
from unlatch_audit.verify.deletions import GIT

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from unlatch.cli.runtime.context import Context
    from unlatch.increments.model.increment import Increment
    from unlatch_audit.verify.results import VerifiedIncrement

# Records, each group with the context over their place.
Groups = list[tuple["Context", "Sequence[Increment]"]]


def find_named(
    context: Context, wanted: Sequence[str], lost: Sequence[VerifiedIncrement]
) -> tuple[Groups, Sequence[VerifiedIncrement]]:
    """The records that words mean, and what git's history has on these of `lost`.

    Raises:
        UsageError: a word means no record, neither one that is there nor a deleted one.
    """
    names = [increment.id for increment in lost]
    records: dict[tuple[str, str], tuple[Context, Increment]] = {}
    meant = {GIT}
    for word in dict.fromkeys(wanted):
        deleted = _deleted(context, word, names)
        try:
            present = _present(context, word)
        except UsageError:
            if not deleted:
                raise
            present = []
        meant |= {*deleted}
        for own, name in present:
            record = own.workspace.manager.read(name)
            records[str(own.workspace.paths.root), record.id] = own, record
            meant |= {name, record.id, *recorded_ids(record.folder)}
    groups: Groups = [(own, [record]) for own, record in records.values()]
    return groups, [increment for increment in lost if increment.id in meant]


def _present(context: Context, word: str) -> list[tuple[Context, str]]:
    """The record of an item, or the increments; UsageError: none."""
    is_item = context.is_item(word)
    if is_item and (record := find_record(context, word)):
        return [record]
    try:
        return [(context, name) for name in named_increments(context, [word]).names]
    except UsageError as error:
        if is_item and error.id in ("item-not-linked", "no-project"):
            raise nothing_recorded(context, word) from error
        raise


def _deleted(context: Context, word: str, names: Collection[str]) -> Sequence[str]:
    """The names of records in git's history that a word means."""
    if not names:
        return ()
    if context.is_item(word):
        number = _name_of_record(context, word).partition("-")[0]
        return [name for name in names if name.startswith(f"{number}-")]
    return in_range(names, word) or matching(names, word, up_to=Match.TITLE)[1]


def _name_of_record(context: Context, word: str) -> str:
    """The name that the record of an item has, or had."""
    (group,) = find_groups(context, [word])
    trackers = Trackers(group.workspace)
    (ref,) = locate_items(trackers, [word], offline=True)
    return record_name(group.workspace, trackers, ref)
