"""The items that follow a change of an increment's work, and their operations."""

from collections.abc import Collection, Iterator

from unlatch.errors import StoreError
from unlatch.increments.files.work.amendments import work_of
from unlatch.increments.model.increment import Increment
from unlatch.increments.model.link import Link
from unlatch.increments.model.reopens import Amendment, AppliedAmendment
from unlatch.increments.records.events import Delivered, Repointed, read_events
from unlatch.project.workspace import Workspace
from unlatch.spi import Capability
from unlatch.spi.operation import DeliveryOptions, Kind, Operation


def spared_by(increment: Increment, amendment: Amendment) -> tuple[Link, ...]:
    """The links whose items an amendment does not affect: those of other stories.

    New work without a known story affects all items.
    """
    is_new = amendment.change is not None
    if is_new and not all(amendment.belongings):
        return ()
    names = (
        [name for names in amendment.belongings for name in names] if is_new else amendment.parts
    )
    touched = work_of(increment).stories_of(names)
    if is_new and not touched:
        return ()
    links = increment.links
    return tuple(link for link in links if link.story and link.story.casefold() not in touched)


def updates_for(
    workspace: Workspace, increment: Increment, amended: AppliedAmendment
) -> tuple[Operation, ...]:
    """Updates of the items whose bodies show, or are to show, the boxes of an amendment."""
    amendment, at, by = amended.amendment, amended.at, amended.by
    spared = spared_by(increment, amendment)
    written = None if amendment.describes else _written(increment)
    links = [link for link in _updatable(workspace, increment, written) if link not in spared]
    op = workspace.new_id() if links else ""
    why = amended.reason or amendment.change
    return tuple(
        Operation(op, Kind.UPDATE, link.tracker, link.key, at, by, why=why) for link in links
    )


def undescribed_by(increment: Increment, amended: AppliedAmendment) -> tuple[Link, ...]:
    """The links whose items do not list the new tasks of an amendment, nor are to."""
    if not amended.amendment.tasks:
        return ()
    listed = _written(increment)
    listed |= {operation.item for operation in increment.pending if operation.kind is Kind.UPDATE}
    spared = spared_by(increment, amended.amendment)
    return tuple(link for link in increment.links if link.key not in listed and link not in spared)


def _updatable(
    workspace: Workspace, increment: Increment, written: Collection[str] | None
) -> Iterator[Link]:
    """The links to items whose body can be updated; of those `written` if that is given."""
    manifests = workspace.registry.manifests
    for link in increment.links:
        manifest = manifests.get(link.tracker)
        is_ours = written is None or link.key in written
        if is_ours and manifest and Capability.UPDATE in manifest.capabilities:
            yield link


def _written(increment: Increment) -> set[str]:
    """The items whose body unlatch wrote in part, by the increment's events."""
    items: set[str] = set()
    try:
        events = read_events(increment.folder)
    except StoreError:
        return items
    for event in events:
        if isinstance(event, Delivered) and event.kind in (Kind.CREATE, Kind.UPDATE):
            items.add(event.item)
        elif isinstance(event, Repointed) and event.origin in items:
            items.add(event.item)  # the item moved, and its body with it
    return items


def operations_for(
    workspace: Workspace, increment: Increment, amended: AppliedAmendment, options: DeliveryOptions
) -> tuple[Operation, ...]:
    """The operations that follow from an amendment of an active increment.

    New work is posted on each item. For parts to be done again, the items of their user stories are
    reopened; an item of the whole increment is already open.
    """
    amendment = amended.amendment
    is_state = amendment.change is None
    spared = spared_by(increment, amendment)
    operations = [
        Operation(
            amended.id,
            Kind.REOPEN,
            link.tracker,
            link.key,
            amended.at,
            amended.by,
            amended.reason or amendment.change,
            state=is_state,
            options=options,
        )
        for link in increment.links
        if link not in spared and not (is_state and link.story is None)
    ]
    updates = updates_for(workspace, increment, amended)
    return (*operations, *updates)
