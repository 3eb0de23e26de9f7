"""The result of unlatch resume for scripts, for one increment and for many."""

from collections.abc import Iterable

from unlatch.cli.render.delivery_documents import (
    NO_RETRY,
    delivered_code,
    delivery_entry,
    print_document,
)
from unlatch.cli.render.documents import (
    increment_entry,
    link_entry,
    scope_entry,
    warning_entries,
)
from unlatch.cli.render.texts import lines_of
from unlatch.cli.runtime.failure import UNDELIVERED, problem_entry
from unlatch.cli.terminal import output
from unlatch.cli.terminal.output import Json
from unlatch.errors import UnlatchError
from unlatch.increments.model.increment import Increment, ReopenEntry
from unlatch.increments.records.reopens import write_reopen
from unlatch.lifecycle.deliver import DeliveryResult
from unlatch.lifecycle.resume import ResumeResult
from unlatch.lifecycle.resume_plan import ResumeStep

# Other outcomes of deliveries are "skipped" here.
_OUTCOMES = ("reopened", "already-open", "updated", "unchanged", "pending", "failed")


def resume_code(result: ResumeResult, delivered: DeliveryResult | None) -> int:
    if result.error is not None:
        return result.error.exit_code
    if result.increment.unwritten:
        return UNDELIVERED
    if delivered is None or delivered.on_purpose:
        return 0
    return delivered_code(delivered.deliveries, delivered.left)


def resumed_entry(result: ResumeResult, delivered: DeliveryResult | None) -> Json:
    increment = delivered.increment if delivered else result.increment
    return {
        **increment_entry(increment, result.before.status, is_reason_lost=result.outrun),
        "reopen": result.entry.id if result.entry else None,
        "trackers": tracker_entries(result, delivered),
        "left": len(increment.pending),
        "scope": scope_entry(result.scope),
        "warnings": warning_entries(result.warnings),
        "error": problem_entry(result.error) if result.error else None,
    }


def tell_details(result: ResumeResult, increment: Increment) -> None:
    """Show the reason of a reopen, and the addresses of the items."""
    if result.entry is not None:
        output.data(*lines_of("    ", "Reason: ", result.entry.reason))
    output.data(*(f"    {output.clean(link.url or link.key)}" for link in increment.links))


def write_document(
    result: ResumeResult,
    delivered: DeliveryResult,
    code: int,
    failed: Iterable[UnlatchError],
    **more: Json,
) -> None:
    """Print the document of one resumed increment."""
    now = delivered.increment
    print_document(
        "resume",
        code,
        increment=increment_entry(now, result.before.status, is_reason_lost=result.outrun),
        reopen=reopen_entry(result.entry, now),
        trackers=tracker_entries(result, delivered),
        scope=scope_entry(result.scope),
        warnings=warning_entries((*result.warnings, *failed)),
        **more,
    )


def reopen_entry(entry: ReopenEntry | None, increment: Increment) -> Json | None:
    """The present entry of reopenHistory, with the items that it reached."""
    if entry is None:
        return None
    written = (w for w in increment.data.get("reopenHistory", []) if w.get("id") == entry.id)
    return dict(next(written, write_reopen(entry)))


def tracker_entries(result: ResumeResult, delivered: DeliveryResult | None) -> list[Json]:
    """The result of each item of one increment."""
    found = [delivery_entry(one) for one in delivered.deliveries] if delivered else []
    for made in found:
        del made["kind"]
        made["outcome"] = made["outcome"] if made["outcome"] in _OUTCOMES else "skipped"
    if result.step is ResumeStep.REVIVE and not found and result.error is None:
        untouched = {"outcome": "skipped", "requests": 0, "notes": [], "error": None, **NO_RETRY}
        return [link_entry(link) | untouched for link in result.increment.links]
    return found
