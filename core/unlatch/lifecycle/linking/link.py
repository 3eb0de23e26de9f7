"""Link items to increments, by their addresses and names, or by creating them."""

from collections.abc import Iterable, Sequence
from shlex import quote

from unlatch.delivery.run import SharedItems
from unlatch.errors import StoreError, UnlatchError, UsageError
from unlatch.increments.files.linking import link as store_link
from unlatch.increments.files.linking import unlink
from unlatch.increments.files.outbox import withdraw
from unlatch.increments.model.increment import Increment
from unlatch.increments.model.link import Base, Link
from unlatch.increments.model.status import Status
from unlatch.increments.records.pending import is_in_doubt
from unlatch.lifecycle.fetch_items import ItemSnapshot, fetch_items
from unlatch.project.linked import matching_links
from unlatch.project.trackers import Trackers
from unlatch.project.workspace import Workspace
from unlatch.spi import Capability, Manifest
from unlatch.spi.operation import Kind, Operation


def fetch_named(trackers: Trackers, words: Sequence[str]) -> list[ItemSnapshot]:
    """Read the items with these addresses and names, each once; all must exist.

    Raises:
        UsageError: a word is not an item's, or the item is outside the configured targets.
        TrackerError: an item cannot be read.
    """
    refs = dict.fromkeys(trackers.item(word) for word in words)
    seen = fetch_items(trackers, [Link(ref.tracker, ref.id, ref.url) for ref in refs])
    for snapshot in seen:
        if snapshot.error is not None:
            raise snapshot.error
    return seen


def link_items(
    workspace: Workspace, wanted: str, seen: Sequence[ItemSnapshot], *, by: str
) -> Increment:
    """Link items that were read to an increment; nothing is posted.

    The base is stored where both sides are in sync, so that a later comparison can tell which
    side moved.

    Raises:
        StoreError: the increment's files cannot be written.
    """
    manager = workspace.manager
    increment = manager.read(wanted)
    links = [based_link(increment, snapshot) for snapshot in seen]
    return store_link(manager, increment.id, links, by=by)


def unlink_item(
    workspace: Workspace, wanted: str, item: str, *, by: str, dry_run: bool = False
) -> tuple[Link, int]:
    """Unlink an item; returns the link, and the number of pending operations dropped with it.

    Pending creations can be withdrawn by their target or user story.

    Raises:
        UsageError: `unknown-link` or `ambiguous-link`.
        StoreError: `create-in-doubt`, or the increment's files cannot be written.
    """
    increment = workspace.manager.read(wanted)
    creates = [
        operation
        for operation in increment.pending
        if operation.kind is Kind.CREATE
        and item
        and item in (operation.item, operation.tracker, operation.story)
    ]
    if creates and not matching_links(workspace, increment, item):
        return _withdraw_creates(workspace, increment, creates, dry_run=dry_run)
    link = find_link(workspace, increment, item)
    if not dry_run:
        unlink(workspace.manager, increment.id, link, by=by)
    key = (link.tracker, link.key)
    return link, sum((operation.tracker, operation.item) == key for operation in increment.pending)


def based_link(increment: Increment | None, seen: ItemSnapshot) -> Link:
    """The link to an item that was read, with its base if both sides are in sync.

    `increment` is None for one that will be created.
    """
    item = seen.item
    if item is None:
        return seen.link
    status = increment.status if increment else Status.PLANNING
    is_in_sync = item.category.is_open is not status.is_finished
    base = Base(status.value, item.category.value, item.state) if is_in_sync else None
    return Link(item.ref.tracker, item.ref.id, item.ref.url, base)


def _withdraw_creates(
    workspace: Workspace, increment: Increment, creates: Sequence[Operation], *, dry_run: bool
) -> tuple[Link, int]:
    if any(map(is_in_doubt, creates)):
        raise StoreError(
            "create-in-doubt",
            "a request to create the item was sent, and its result is unknown",
            where=increment.id,
            hint=f"unlatch sync {quote(increment.id)}",
        )
    for creation in creates if not dry_run else ():
        withdraw(workspace.manager, increment.id, creation)
    return Link(creates[0].tracker, creates[0].item), len(creates)


def find_link(workspace: Workspace, increment: Increment, wanted: str) -> Link:
    """The link of an increment that matches a word, as `matching_links`.

    Raises:
        UsageError: `unknown-link` or `ambiguous-link`.
    """
    links = matching_links(workspace, increment, wanted)
    if len(links) == 1:
        return links[0]
    keys = ", ".join(link.key for link in (links or increment.links)) or "none"
    raise UsageError(
        "ambiguous-link" if links else "unknown-link",
        f"{wanted!r} matches several links of {increment.id}: {keys}"
        if links
        else f"{increment.id} has no link {wanted!r}; its links: {keys}",
        hint=f"unlatch show {quote(increment.id)}",
    )


def shared_items(
    workspace: Workspace, linked: Iterable[tuple[Increment, ItemSnapshot]]
) -> tuple[UnlatchError, ...]:
    """A warning for each item of an increment that others are also linked to."""
    shared = SharedItems.of(workspace)
    sharing = (
        (snapshot, shared.others(snapshot.link, apart=increment.id))
        for increment, snapshot in linked
    )
    return tuple(
        StoreError(
            "item-shared",
            f"{snapshot.name} is also linked to {', '.join(others)}; it is closed when the last of "
            "them is finished",
        )
        for snapshot, others in sharing
        if others
    )


def create_target(trackers: Trackers, tracker: str) -> str:
    """The target of new items on a tracker.

    Raises:
        UsageError: `not-supported`, or `target-missing`.
        UnlatchError: the tracker is not configured.
    """
    manifest = trackers.registry.manifest(tracker)
    check_capability(manifest, Capability.CREATE)
    target = trackers.settings(tracker).target
    if target is None:
        raise UsageError(
            "target-missing",
            f"no target is configured for a new {manifest.noun}",
            hint=f"name it in [trackers.{tracker}] in .unlatch/config.toml",
        )
    return target


def check_capability(manifest: Manifest, capability: Capability) -> None:
    """Refuse a capability that a plugin does not declare.

    Raises:
        UsageError: `not-supported`.
    """
    if capability not in manifest.capabilities:
        raise UsageError(
            "not-supported",
            f"the plugin for {manifest.title} cannot {capability.value} a {manifest.noun}",
            hint="unlatch plugins",
        )
