"""The items that a sync could not compare, as text and as JSON."""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from unlatch.cli.render.describe import times, tracker_title
from unlatch.cli.runtime.context import Context
from unlatch.cli.runtime.failure import in_job, part, problem_entry
from unlatch.cli.terminal import output
from unlatch.errors import CredentialMissing, UnlatchError
from unlatch.lifecycle.fetch_items import Unread
from unlatch.project.git.sparse import sparse_line
from unlatch.sync.choose import Chosen
from unlatch.sync.plan import SyncPlan
from unlatch.values import dataclass

# The maximum number of items with one cause, or of folders, to name; the document has all.
_NAMED = 3


@dataclass(frozen=True, slots=True)
class NotChecked:
    """Items that were not checked for one cause; `allowed` says why this is not a failure."""

    unread: Unread
    allowed: str | None


def allowance(*, option: bool, writes: bool) -> str | None:
    """Why this run may lack tokens: by the option, or as a fork's pull request; None otherwise."""
    if option:
        return "allowed by --allow-missing-tokens"
    return None if writes or not in_fork() else "allowed: a pull request from a fork gets no tokens"


def is_allowed(error: UnlatchError | None, allowed: str | None) -> bool:
    """Whether an item may be left unread for this error: only a missing token can be allowed."""
    return allowed is not None and isinstance(error, CredentialMissing)


def in_fork() -> bool:
    """Whether this is a job for a pull request from a fork: its token, if any, may only read."""
    return in_job() and bool(part("is_fork")(os.environ))


def not_checked(plan: SyncPlan, allowed: str | None, *, delivered: bool) -> list[NotChecked]:
    """The items that were not checked.

    After deliveries, pending operations have an error of their own.
    """
    return [
        NotChecked(unread, allowed if is_allowed(unread.error, allowed) else None)
        for unread in plan.not_checked(pending=not delivered)
    ]


def checked_part(plan: SyncPlan, missed: Sequence[NotChecked]) -> SyncPlan:
    """The plan without pending operations that this run cannot deliver: they are no drift."""
    is_fork = in_fork()
    may_lack = any(gap.allowed for gap in missed)
    links = (
        link
        for link in plan.links
        if not (is_fork and link.pending)
        and not (may_lack and isinstance(link.seen.error, CredentialMissing))
    )
    return replace(plan, links=tuple(links))


def tell_not_checked(context: Context, plan: SyncPlan, missed: Sequence[NotChecked]) -> None:
    """Show each cause once, with a count, some items and the next step, then excluded items."""
    for gap in missed:
        error = gap.unread.error
        cause = f"{output.clean(error.message)} {output.faint(f'[{error.id}]')}"
        line = f"{title(context, gap)} ({names(gap)}): {cause}"
        mark = output.warn("!") if gap.allowed else output.bad(output.sign("no"))
        output.data(*output.hang(f"{mark} ", line))
        if step := gap.allowed or error.hint:
            output.data(f"    {output.clean(step)}")
    output.talk(*map(output.clean, excluded_lines(context, plan)))
    if missed:
        items = {(link.link.tracker, link.seen.name): link.seen.item for link in plan.links}
        read = sum(item is not None for item in items.values())
        count = len(items) + sum(len(unread.names) for unread in plan.unread)
        output.talk(f"{read} of {times(count, 'item')} checked.")


def excluded_lines(context: Context, plan: SyncPlan) -> list[str]:
    """The number of excluded items, by tracker."""
    titles = {
        tracker: tracker_title(context.workspace.registry, tracker) for tracker in plan.excluded
    }
    counts = Counter(plan.excluded)
    return [
        f'{title}: {times(counts[tracker], "item")} not compared (direction = "off")'
        for tracker, title in titles.items()
    ]


def left_out_lines(context: Context, chosen: Chosen) -> Iterator[str]:
    """The other increments that a sparse checkout leaves out, and how to add them."""
    others = [name for name in chosen.left_out if name not in chosen.changed_left_out]
    if others:
        yield sparse_line(context.paths, others, ", and not compared")


def tell_left_out(context: Context, chosen: Chosen) -> None:
    for line in left_out_lines(context, chosen):
        output.note(line)


def tell_passed_over(context: Context) -> None:
    """Name the folders that look like increments but are not compared."""
    names = sorted({folder.name for folder, _ in context.workspace.manager.unread_folders()})
    if names:
        looks = (
            "1 folder looks like an increment and is"
            if len(names) == 1
            else (f"{len(names)} folders look like increments and are")
        )
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        output.note(f"{looks} not read: {', '.join(names[:_NAMED])}{more}")
        output.talk("  next: unlatch doctor")


def title(context: Context, gap: NotChecked) -> str:
    """The tracker, and the number of items that were not checked."""
    tracker = tracker_title(context.workspace.registry, gap.unread.tracker)
    return f"{tracker}: {times(len(gap.unread.names), 'item')} not checked"


def names(gap: NotChecked) -> str:
    """The names of the first items, and the number of the others."""
    named = ", ".join(map(output.clean, gap.unread.names[:_NAMED]))
    more = len(gap.unread.names) - _NAMED
    return f"{named} and {more} more" if more > 0 else named


def not_checked_entry(gap: NotChecked) -> output.Json:
    unread = gap.unread
    return {
        "tracker": unread.tracker,
        "items": list(unread.names),
        "allowed": gap.allowed is not None,
        "error": problem_entry(unread.error),
    }
