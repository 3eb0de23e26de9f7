"""The report of a reopen or close of items alone."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from unlatch.cli.render.delivery_documents import delivery_entry, retry_of_all
from unlatch.cli.render.describe import times
from unlatch.lifecycle.deliver import DeliveryResult
from unlatch_ci.reports.findings import report_findings

if TYPE_CHECKING:
    from unlatch.cli.runtime.context import Context
    from unlatch.lifecycle.items.change import ItemPlan


def report_items(
    context: "Context",
    plans: "Sequence[ItemPlan]",
    delivered: Sequence[DeliveryResult],
    *,
    verb: str,
    code: int,
) -> None:
    """Report the result to the job: its summary, and outputs for later steps.

    Args:
        plans: also of the items that were left alone.
        verb: reopen or close.
        code: the exit code.
    """
    updates = [update for result in delivered for update in result.deliveries]
    served = [update for update in updates if update.error is None]
    left = sum(result.left for result in delivered)
    errors = [(plan.subject.title, plan.error) for plan in plans if plan.error is not None]
    errors += [(update.name, update.error) for update in updates if update.error is not None]
    title = f"unlatch {verb}: {times(len(served), 'operation')} delivered"
    report_findings(
        context,
        title=f"{title}, {left} not delivered" if left else title,
        headings=("Item", "Operation", "Result"),
        rows=[
            (update.name, update.operation.kind, str(update.error or "delivered"))
            for update in updates
        ],
        steps=[
            f"{name}: {error.message}{f'; {error.hint}' if error.hint else ''}"
            for name, error in errors
        ],
        code=code,
        changed=bool(served),
        retry=retry_of_all({"deliveries": [delivery_entry(update) for update in updates]}),
    )
