"""The result of complete, abandon and undo, as text and for --json."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from unlatch.cli.render.delivery_documents import delivery_entry
from unlatch.cli.render.documents import (
    evidence_entry,
    increment_entry,
    spared_entries,
    warning_entries,
)
from unlatch.cli.render.notes import tell_remarks, tell_warnings
from unlatch.cli.terminal import output
from unlatch.spi.operation import Kind
from unlatch.worklog.name_matching import first_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.cli.runtime.context import Context
    from unlatch.errors import UnlatchError
    from unlatch.increments.model.increment import Amendment, Increment
    from unlatch.lifecycle.deliver import DeliveryResult
    from unlatch.lifecycle.finish_many import Applied
    from unlatch.lifecycle.move import ChangeResult
    from unlatch.lifecycle.status_change import ChangePlan


def tell_change(applied: Applied) -> None:
    plan, result = applied.plan, applied.result
    before, after, undone = (
        result.before.status,
        result.increment.status,
        result.undone or plan.undone,
    )
    moved = f" is already {after}" if before is after else f": {before} -> {after}"
    if not result.increment.is_item:
        output.ok(f"Increment {result.increment.id}{moved}")
    if result.is_reason_lost:
        output.remark("this reason was not recorded")
    for link, needed in plan.spared:
        output.data(f"  {link.key} stays open: {', '.join(needed)} needs it")
    _tell_withdrawn(plan.before, result.increment)
    tell_remarks(result.increment)
    tell_warnings(plan.approval.warnings)
    if len(undone) > 1:
        why = (
            " of the open item" if plan.before.is_item else ": git merged them from several clones"
        )
        output.remark(f"undid {len(undone)} reopens{why}")
    if undone and any(result.increment.folder.parent.glob("_*")):
        output.remark(
            "its folder is not moved; if the reopen took it out of the archive, move it back"
        )
    _tell_kept([one.amendment for one in undone if one.amendment])


def _tell_withdrawn(before: Increment, after: Increment) -> None:
    """Name the items whose refused reopen is no longer pending."""
    kept = {one.key for one in after.pending}
    for one in before.pending:
        if one.kind is Kind.REOPEN and one.is_blocked and one.key not in kept:
            output.remark(f"the reopen of {one.item} was withdrawn: it was refused ({one.cause})")


def _tell_kept(amendments: Sequence[Amendment]) -> None:
    if parts := list(dict.fromkeys(part for one in amendments for part in one.parts)):
        output.remark(f"not ticked again: {first_of(parts)}; tick what is done, or use git")
    if any(one.change is not None for one in amendments):
        output.remark("the documents keep the text of the reopen; remove it by hand or with git")


def change_document(
    plan: ChangePlan,
    result: ChangeResult,
    delivered: DeliveryResult,
    failed: Sequence[UnlatchError],
) -> output.Json:
    increment = increment_entry(
        delivered.increment, result.before.status, is_reason_lost=result.is_reason_lost
    )
    trackers = [delivery_entry(one) for one in delivered.deliveries]
    if undone := result.undone or plan.undone:
        return {"increment": increment, "undone": undone[-1].id, "trackers": trackers}
    return {
        "increment": increment,
        "spared": spared_entries(plan.spared),
        "trackers": trackers,
        "forced": list(plan.approval.forced),
        "evidence": evidence_entry(plan.evidence),
        "warnings": warning_entries((*plan.approval.warnings, *failed)),
    }


def tell_undecided(context: Context, delivered: DeliveryResult) -> None:
    """Name the commands that close items which undo left open."""
    manifests = context.workspace.registry.manifests
    undecided = [one for one in delivered.deliveries if one.undecided is not None]
    for name in dict.fromkeys(one.operation.tracker for one in undecided):
        close = f"{name} close-{manifests[name].slug}"
        output.talk(f"To close the item: unlatch {close} {quote(delivered.increment.id)}")
