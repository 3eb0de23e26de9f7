"""The plan and the result of a sync for scripts: JSON documents and exit codes."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from unlatch.cli.commands.trackers.not_checked import (
    NotChecked,
    checked_part,
    in_fork,
    not_checked_entry,
)
from unlatch.cli.render import delivery_documents, documents
from unlatch.cli.render.notes import adoption_entry
from unlatch.cli.render.preview import previewed_entry
from unlatch.cli.render.refused import refused_entry
from unlatch.cli.runtime.failure import UNDECIDED, error_entry, problem_entry
from unlatch.cli.terminal import output
from unlatch.delivery.duplicates import Duplicates
from unlatch.delivery.planning import RefusedLabels
from unlatch.delivery.preview import Previewed
from unlatch.errors import UnlatchError
from unlatch.increments.model.increment import BrokenIncrement, Increment
from unlatch.sync.choose import Chosen
from unlatch.sync.compare import Compared, ComparedBoxes
from unlatch.sync.ingest import MatchedEvent
from unlatch.sync.plan import Move
from unlatch.sync.publishing import PublishResult
from unlatch.sync.sync import SyncPreview, SyncResult

RefusedItems = Sequence[tuple[Increment, RefusedLabels]]


def preview_code(found: SyncPreview, missed: Sequence[NotChecked], *, check: bool) -> int:
    """5 if anything could not be checked, and with `check` for any drift."""
    is_checked = not (found.broken or found.chosen.changed_left_out)
    is_checked &= all(one.allowed for one in missed)
    has_drift = checked_part(found.plan, missed).has_drift
    return 0 if is_checked and not (check and has_drift) else UNDECIDED


def result_code(result: SyncResult, missed: Sequence[NotChecked], published: PublishResult) -> int:
    codes = (
        delivery_documents.delivered_code(one.deliveries, one.left) for one in result.delivered
    )
    failed = any(one.error for one in result.moved) or not all(one.allowed for one in missed)
    failed |= any(one.boxes and one.boxes.error for one in result.plan.links)
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


def count_comments(found: SyncPreview) -> int:
    return sum(item.change.comment is not None for item in found.previewed)


def preview_document(
    found: SyncPreview,
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
    return {
        "compared": [_compared_entry(one) for one in found.plan.reported],
        "notChecked": list(map(not_checked_entry, missed)),
        "moves": [_move_entry(move) for move in found.due.moves],
        "pending": [
            entry
            for one in (*found.chosen.increments, *here, *elsewhere)
            for entry in delivery_documents.pending_of(one)
        ],
        "items": [previewed_entry(item) for item in found.previewed],
        "requests": count_requests(found.previewed),
        "comments": count_comments(found),
        "adrift": checked_part(found.plan, missed).has_drift
        or bool((here and not in_fork()) or found.adoptions),
        "otherBranch": found.other_branch,
        **_left_out(found.chosen),
        "broken": documents.broken_entries(found.broken),
        "refused": problem_entry(found.refused) if found.refused else None,
        "adoptions": list(map(adoption_entry, found.adoptions)),
        "duplicates": list(map(_duplicates_entry, found.duplicates)),
        "refusedLabels": [*_refused_entries(found.plan.missing_labels, refused)],
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
                "id": one.increment.id,
                "trackers": [
                    delivery_documents.delivery_entry(delivery) for delivery in one.deliveries
                ],
                "left": one.left,
            }
            for one in result.delivered
        ],
        "compared": [_compared_entry(one) for one in result.plan.reported],
        "notChecked": list(map(not_checked_entry, missed)),
        "moves": [_move_entry(one) for one in result.moved],
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
    unread = (one.seen.error for one in result.plan.links)
    errors = [*filter(None, unread), *([published] if isinstance(published, UnlatchError) else [])]
    found = delivery_documents.retry_of_all(
        [*entries, *map(delivery_documents.retry_of_error, errors)]
    )
    return delivery_documents.PERSON if code and found["retry"] == "none" else found


def _duplicates_entry(one: Duplicates) -> output.Json:
    return {"op": one.op, "item": one.name, "left": one.left, "notes": list(one.notes)}


def _refused_entries(links: Sequence[Compared], items: RefusedItems) -> Iterator[output.Json]:
    for one in links:
        if one.refused:
            yield refused_entry(one.link, one.seen.name, one.refused, one.increment)
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


def _compared_entry(one: Compared) -> output.Json:
    return {
        "increment": one.increment.id,
        "status": one.increment.status,
        **documents.link_entry(one.link),
        "name": one.seen.name,
        **output.fields(one.seen.item, "state", "category"),
        "verdict": one.verdict or _no_verdict(one),
        "why": one.decision.why if one.decision else "",
        "boxes": _boxes_entry(one.boxes) if one.boxes and one.boxes.differ else None,
        "error": problem_entry(one.seen.error) if one.seen.error else None,
    }


def _boxes_entry(boxes: ComparedBoxes) -> output.Json:
    return {
        "changes": [output.fields(tick, "id", "done", "verdict", "why") for tick in boxes.ticks],
        "list": boxes.lines,
        "why": boxes.why,
    }


def _no_verdict(one: Compared) -> str:
    if all(operation.is_blocked for operation in one.pending):
        return "blocked" if one.pending else "unknown"
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
        "error": error_entry(error) if error else None,
    }


def _event_entry(matched: MatchedEvent) -> output.Json:
    return {
        "tracker": matched.tracker,
        "action": matched.event.action,
        "url": matched.ref.url if matched.ref else None,
        "by": matched.event.by,
        "increments": [one.id for one in matched.increments],
        "note": matched.event.note,
    }
