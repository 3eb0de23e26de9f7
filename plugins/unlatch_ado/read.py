"""Reading work items, with everything that a change of them needs to know."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from unlatch.errors import Rejected, TrackerError
from unlatch.spi import Category, Goal, RemoteItem, must_move
from unlatch_ado.api.client import Parts
from unlatch_ado.api.errors import unreadable
from unlatch_ado.parents import seen_parent
from unlatch_ado.reopen_context import NOTHING, Renewal, renewal_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from unlatch.spi import Change, ItemRef
    from unlatch_ado.api.client import Client
    from unlatch_ado.api.models import WorkItem
    from unlatch_ado.api.projects import Projects
    from unlatch_ado.api.workflow import Workflow
    from unlatch_ado.settings import AdoSettings


@dataclass(frozen=True, slots=True)
class Seen:
    """A work item: the tracker's answer and its meaning; a snapshot's private part.

    Args:
        item: the answer.
        remote: its meaning.
        workflow: the states of its type.
        renewal: further fields to set on reopening.
        parent: its parent, where a reopening has to look after it, or why that cannot be read.
    """

    item: WorkItem
    remote: RemoteItem
    workflow: Workflow
    renewal: Renewal = NOTHING
    parent: Seen | TrackerError | None = None


def reopens(seen: Seen, change: Change | None) -> bool:
    """Whether the change brings a closed work item into an open state."""
    return change is not None and change.goal is Goal.OPEN and must_move(seen.remote, Goal.OPEN)


def see(settings: AdoSettings, projects: Projects, item: WorkItem) -> Seen:
    """The meaning of an answer, if its item is in a configured project.

    Raises:
        Rejected: `target-not-allowed`, `state-unknown`.
    """
    # Azure DevOps finds items by their number alone: the address may name a project that the item
    # has left, or never was in.
    found = settings.ref(item.project, str(item.id))
    if not settings.allows(found):
        raise Rejected(
            "target-not-allowed",
            f"the work item is in {found.target}, which is not among the configured projects",
            hint="add the project to `projects` in [trackers.ado]",
        )
    return understand(settings, projects, item)


def understand(settings: AdoSettings, projects: Projects, item: WorkItem) -> Seen:
    """The meaning of an answer, wherever its item is.

    Raises:
        Rejected: `state-unknown`.
    """
    workflow = projects.workflow(item.project, item.type)
    category = workflow.category(item.state)
    if category is None:
        # The process was edited since the type was read.
        workflow = projects.workflow(item.project, item.type, anew=True)
        category = workflow.category(item.state)
    if category is None:
        raise Rejected(
            "state-unknown",
            f"the work item's state {item.state!r} is none of those of a {item.type}",
            hint="give it another state by hand",
        )
    remote = RemoteItem(
        ref=settings.ref(item.project, str(item.id)),
        title=item.title,
        state=item.state,
        category=category,
        type=item.type,
        deliberate=category is Category.DROPPED,
        labels=item.tags,
        assignee=item.assignee,
        revision=str(item.revision),
        updated=item.changed,
    )
    return Seen(item, remote, workflow)


def answered(settings: AdoSettings, projects: Projects, answer: WorkItem) -> Seen:
    """The answer to a change, understood.

    Raises:
        UnknownOutcome: it cannot be; the change was made all the same.
    """
    try:
        return understand(settings, projects, answer)
    except TrackerError as error:
        raise unreadable(writing=True) from error


def was_commented(seen: Seen, answer: WorkItem, change: Change) -> bool:
    """Whether the answer shows that the comment was posted: a request is taken as a whole."""
    return change.comment is not None and answer.revision > seen.item.revision


def read(settings: AdoSettings, client: Client, ref: ItemRef, change: Change | None) -> Seen:
    """Read one work item, and its parent where the change has to look after it.

    Raises:
        Rejected: `target-not-allowed`, `state-unknown`.
    """
    item = client.read(ref.id, _parts(settings, change))
    seen = see(settings, client.projects, item)
    if not reopens(seen, change):
        return seen
    return _reopenable(settings, client, seen, lambda number: _attempted(client, number))


def read_many(
    settings: AdoSettings, client: Client, refs: Sequence[ItemRef], change: Change | None
) -> dict[ItemRef, Seen | TrackerError]:
    """Read many work items, and their parents, two hundred a request.

    Raises:
        TrackerError: none of them could be read.
    """
    items = client.read_many((ref.id for ref in refs), _parts(settings, change))
    failed: dict[tuple[str, str], TrackerError] = {}
    found = {number: _seen(settings, client, item, failed) for number, item in items.items()}
    closed = [one for one in found.values() if isinstance(one, Seen) and reopens(one, change)]
    parents = _parents(client, closed)
    for one in closed:
        found[str(one.item.id)] = _reopenable(settings, client, one, parents.__getitem__)
    return {ref: found[str(int(ref.id))] for ref in refs}


def _parts(settings: AdoSettings, change: Change | None) -> Parts:
    if change is None:
        return Parts()
    looks_at_parent = settings.on_reopen.parent != "ignore" and change.goal is Goal.OPEN
    return Parts(description=change.draft is not None, related=looks_at_parent)


def _reopenable(
    settings: AdoSettings,
    client: Client,
    seen: Seen,
    parent: Callable[[str], WorkItem | TrackerError],
) -> Seen:
    """A closed work item, with what its reopening needs to know besides."""
    today = datetime.now(UTC).date()
    renewal = renewal_of(settings, client.projects, seen.item, today=today)
    if seen.item.parent is None:
        return replace(seen, renewal=renewal)
    above = seen_parent(settings, client.projects, parent(seen.item.parent))
    return replace(seen, renewal=renewal, parent=above)


def _attempted(client: Client, number: str) -> WorkItem | TrackerError:
    try:
        return client.read(number)
    except TrackerError as error:
        return error


def _parents(client: Client, seen: Iterable[Seen]) -> Mapping[str, WorkItem | TrackerError]:
    numbers = {one.item.parent for one in seen if one.item.parent is not None}
    try:
        return client.read_many(numbers)
    except TrackerError as error:
        return dict.fromkeys(numbers, error)


def _seen(
    settings: AdoSettings,
    client: Client,
    item: WorkItem | TrackerError,
    failed: dict[tuple[str, str], TrackerError],
) -> Seen | TrackerError:
    if isinstance(item, TrackerError):
        return item
    # A type that cannot be read is not asked for again with every item.
    kind = (item.project, item.type)
    if kind in failed:
        return failed[kind]
    try:
        return see(settings, client.projects, item)
    except Rejected as refusal:
        return refusal
    except TrackerError as error:
        return failed.setdefault(kind, error)
