"""The plan and the result of a sync for scripts: JSON documents and exit codes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from unlatch.cli.commands.trackers.not_checked import (
    NotChecked,
    checked_part,
    in_fork,
    not_checked_entry,
)
from unlatch.cli.render import delivery_documents, documents
from unlatch.cli.render.notes import adoption_entry
from unlatch.cli.render.refused import refused_entry
from unlatch.cli.runtime.failure import UNDECIDED, error_entry, problem_entry
from unlatch.cli.terminal import output
from unlatch.errors import UnlatchError
from unlatch.sync.choose import Chosen

if TYPE_CHECKING:
    from unlatch.delivery.duplicates import Duplicates
    from unlatch.delivery.planning import RefusedLabels
    from unlatch.delivery.preview import Previewed
    from unlatch.increments.model.increment import BrokenIncrement, Increment
    from unlatch.sync.compare import Compared, ComparedBoxes
    from unlatch.sync.ingest import MatchedEvent
    from unlatch.sync.plan import Move
    from unlatch.sync.publishing import PublishResult
    from unlatch.sync.sync import SyncPreview, SyncResult

RefusedItems = Sequence[tuple["Increment", "RefusedLabels"]]


def preview_code(preview: SyncPreview, missed: Sequence[NotChecked], *, check: bool) -> int:
    """5 if anything could not be checked, and with `check` for any drift."""
    is_checked = not (preview.broken or preview.chosen.changed_left_out)
    is_checked &= all(gap.allowed for gap in missed)
    has_drift = checked_part(preview.plan, missed).has_drift
    return 0 if is_checked and not (check and has_drift) else UNDECIDED


def result_code(result: SyncResult, missed: Sequence[NotChecked], published: PublishResult) -> int:
    codes = (
        delivery_documents.delivered_code(delivered.deliveries, delivered.left)
        for delivered in result.delivered
    )
    failed = any(move.error for move in result.moved) or not all(gap.allowed for gap in missed)
    failed |= any(link.boxes and link.boxes.error for link in result.plan.links)
    is_undecided = failed or result.plan.is_unresolved or result.refused
    return (
        max(codes, default=0)
        or (UNDECIDED if is_undecided else 0)
        or (published.exit_code if isinstance(published, UnlatchError) else 0)
        or (UNDECIDED if result.broken or result.chosen.changed_left_out else 0)
    )


def count_requests(items: Iterable[Previewed]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for item in items:
        counts[item.operation.tracker] += len(item.requests)
    return counts


def count_comments(preview: SyncPreview) -> int:
    return sum(item.change.comment is not None for item in preview.previewed)


def preview_document(
    preview: SyncPreview,
    missed: Sequence[NotChecked] = (),
    here: Sequence[Increment] = (),
    elsewhere: Sequence[Increment] = (),
    refused: RefusedItems = (),
) -> output.Json:
    """The plan of a sync.

    Args:
        here: the records of items with pending operations.
        elsewhere: those of this user outside of the project.
        refused: labels that trackers refused on items alone.
    """
    from unlatch.cli.render.preview import previewed_entry  # noqa: PLC0415  (slow to load)

    return {
        "compared": [_compared_entry(link) for link in preview.plan.reported],
        "notChecked": list(map(not_checked_entry, missed)),
        "moves": [_move_entry(move) for move in preview.due.moves],
        "pending": [
            entry
            for increment in (*preview.chosen.increments, *here, *elsewhere)
            for entry in delivery_documents.pending_of(increment)
        ],
        "items": [previewed_entry(item) for item in preview.previewed],
        "requests": count_requests(preview.previewed),
        "comments": count_comments(preview),
        "adrift": checked_part(preview.plan, missed).has_drift
        or bool((here and not in_fork()) or preview.adoptions),
        "otherBranch": preview.other_branch,
        **_left_out(preview.chosen),
        "broken": documents.broken_entries(preview.broken),
        "refused": problem_entry(preview.refused) if preview.refused else None,
        "adoptions": list(map(adoption_entry, preview.adoptions)),
        "duplicates": list(map(_duplicates_entry, preview.duplicates)),
        "refusedLabels": [*_refused_entries(preview.plan.missing_labels, refused)],
    }


def result_document(
    result: SyncResult,
    missed: Sequence[NotChecked],
    published: PublishResult,
    refused: RefusedItems = (),
) -> output.Json:
    return {
        "increments": [
            {
                "id": delivered.increment.id,
                "trackers": [
                    delivery_documents.delivery_entry(delivery) for delivery in delivered.deliveries
                ],
                "left": delivered.left,
            }
            for delivered in result.delivered
        ],
        "compared": [_compared_entry(link) for link in result.plan.reported],
        "notChecked": list(map(not_checked_entry, missed)),
        "moves": [_move_entry(move) for move in result.moved],
        "otherBranch": result.other_branch,
        "commit": _commit_entry(published),
        "event": _event_entry(result.event) if result.event else None,
        **_left_out(result.chosen),
        "broken": documents.broken_entries(result.broken),
        "refused": problem_entry(result.refused) if result.refused else None,
        "adoptions": list(map(adoption_entry, result.adoptions)),
        "duplicates": list(map(_duplicates_entry, result.duplicates)),
        "refusedLabels": [*_refused_entries(result.missing_labels, refused)],
    }


def retry_entry(
    result: SyncResult, published: PublishResult, entries: Sequence[output.Json], *, code: int
) -> output.Json:
    """Whether to sync again for what is left, and when; `entries` have those of operations."""
    unread = (link.seen.error for link in result.plan.links)
    errors = [*filter(None, unread), *([published] if isinstance(published, UnlatchError) else [])]
    retries = map(delivery_documents.retry_of_error, errors)
    done = None if isinstance(published, UnlatchError) else published
    more = [delivery_documents.retry_at(0.0)] if done and done.brought else []
    retry = delivery_documents.retry_of_all([*entries, *retries, *more])
    return delivery_documents.PERSON if code and retry["retry"] == "none" else retry


def _duplicates_entry(duplicate: Duplicates) -> output.Json:
    return {
        "op": duplicate.op,
        "item": duplicate.name,
        "left": duplicate.left,
        "notes": list(duplicate.notes),
    }


def _refused_entries(links: Sequence[Compared], items: RefusedItems) -> Iterator[output.Json]:
    for compared in links:
        if compared.refused:
            yield refused_entry(
                compared.link, compared.seen.name, compared.refused, compared.increment
            )
    for record, labels in items:
        yield refused_entry(labels.refusal.link, record.title, labels, None)


def no_result(
    broken: Sequence[BrokenIncrement], duplicates: Sequence[Duplicates], refused: RefusedItems
) -> output.Json:
    """The same for a sync without increments, outside of a project."""
    names = ("increments", "compared", "notChecked", "moves", "adoptions")
    lists: output.Json = {key: [] for key in names}
    lists["duplicates"] = list(map(_duplicates_entry, duplicates))
    nothing = dict.fromkeys(("otherBranch", "commit", "event", "refused"))
    left_out = _left_out(Chosen(()))
    return {
        **lists,
        **nothing,
        **left_out,
        "broken": documents.broken_entries(broken),
        "refusedLabels": [*_refused_entries((), refused)],
    }


def _left_out(chosen: Chosen) -> output.Json:
    names = {"leftOut": chosen.left_out, "changedLeftOut": chosen.changed_left_out}
    return {key: list(value) for key, value in names.items()}


def _compared_entry(compared: Compared) -> output.Json:
    return {
        "increment": compared.increment.id,
        "status": compared.increment.status,
        **documents.link_entry(compared.link),
        "name": compared.seen.name,
        **output.fields(compared.seen.item, "state", "category"),
        "verdict": compared.verdict or _no_verdict(compared),
        "why": compared.decision.why if compared.decision else "",
        "boxes": _boxes_entry(compared.boxes) if compared.boxes and compared.boxes.differ else None,
        "error": problem_entry(compared.seen.error) if compared.seen.error else None,
    }


def _boxes_entry(boxes: ComparedBoxes) -> output.Json:
    return {
        "changes": [output.fields(tick, "id", "done", "verdict", "why") for tick in boxes.ticks],
        "list": boxes.lines,
        "why": boxes.why,
    }


def _no_verdict(compared: Compared) -> str:
    if all(operation.is_blocked for operation in compared.pending):
        return "blocked" if compared.pending else "unknown"
    return "pending"


def _move_entry(move: Move) -> output.Json:
    return {
        "increment": move.increment.id,
        "before": move.increment.status,
        "after": move.to,
        **output.fields(move, "by", "reason"),
        "warnings": documents.warning_entries(move.warnings),
        "error": problem_entry(move.error) if move.error else None,
    }


def _commit_entry(result: PublishResult) -> output.Json | None:
    if result is None:
        return None
    error = result if isinstance(result, UnlatchError) else None
    done = None if isinstance(result, UnlatchError) else result
    return {
        **output.fields(done, "commit", "branch"),
        "increments": done.increments if done else [],
        "proposal": done.proposal if done else None,
        "skippedHooks": done.skipped_hooks if done else [],
        "brought": done.brought if done else [],
        "error": error_entry(error) if error else None,
    }


def _event_entry(matched: MatchedEvent) -> output.Json:
    return {
        "tracker": matched.tracker,
        "action": matched.event.action,
        "url": matched.ref.url if matched.ref else None,
        "by": matched.event.by,
        "increments": [increment.id for increment in matched.increments],
        "note": matched.event.note,
    }
