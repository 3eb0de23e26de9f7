"""The items of increments on one tracker: show their state, or change only them."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from shlex import quote

from unlatch.config.choices import Part
from unlatch.delivery.content import draft_of, stories_of
from unlatch.delivery.planning import check_permitted
from unlatch.errors import UsageError
from unlatch.increments.files.changes.plans import build_operations
from unlatch.increments.model.increment import BrokenIncrement, Increment
from unlatch.increments.model.link import Link
from unlatch.increments.model.reason import checked_reason
from unlatch.lifecycle.fetch_items import ItemSnapshot, fetch_items
from unlatch.lifecycle.items.answered import ended_operations
from unlatch.lifecycle.items.item_change import ItemChange
from unlatch.lifecycle.linking.link import create_target, find_link
from unlatch.project.trackers import Trackers
from unlatch.project.workspace import Workspace
from unlatch.spi import Manifest
from unlatch.spi.operation import AS_CONFIGURED, DeliveryOptions, Kind, Operation


def plan_item_change(
    workspace: Workspace,
    manifest: Manifest,
    wanted: str,
    kind: Kind,
    *,
    by: str,
    item: str | None = None,
    reason: str | None = None,
    key: str | None = None,
    delivery: DeliveryOptions = AS_CONFIGURED,
) -> ItemChange:
    """Plan to reopen, close or update an increment's items on a tracker.

    Args:
        item: only this item; None for all of the tracker.
        reason: text for a comment.
        key: takes the place of the reason in the ids of the operations.

    Raises:
        UsageError: the increment, or its link to the tracker, is not known.
        ConfigError: the configuration has mistakes.
    """
    workspace.check_config()
    increment = workspace.manager.read(wanted)
    links = tracker_links(workspace, increment, manifest, item)
    reason = checked_reason(reason) if reason is not None else None
    others = [link for link in increment.links if link not in links]
    intent = replace(
        workspace.manager.intent(by=by, reason=reason), options=delivery, exclude=others
    )
    operations = tuple(build_operations(increment, kind, intent, by=by))
    ended = ended_operations(increment)
    return ItemChange(manifest.name, kind, increment, operations, delivery, ended, key)


def plan_item_creation(
    workspace: Workspace,
    trackers: Trackers,
    tracker: str,
    wanted: str,
    *,
    by: str,
    stories: Sequence[str] = (),
    per_story: bool = False,
    another: bool = False,
    delivery: DeliveryOptions = AS_CONFIGURED,
) -> ItemChange:
    """Plan to create items for an increment, and to link them.

    Args:
        stories: create an item for each of these user stories; empty for the whole increment.
        per_story: create an item for each user story without one.
        another: also create one if an item on this tracker is already linked.

    Raises:
        UsageError: `no-story`, `item-unknown`, `write-not-permitted`, `not-supported`,
            `target-missing` or `already-linked`.
        ConfigError: the configuration has mistakes.
    """
    workspace.check_config()
    increment = workspace.manager.read(wanted)
    target = create_target(trackers, tracker)
    check_permitted(workspace, tracker, Part.CREATE)
    create = partial(Operation, kind=Kind.CREATE, tracker=tracker, item=target, options=delivery)
    wanted_stories = _stories(increment, tracker, stories, per_story=per_story)
    if not (another or per_story):
        _check_is_first(increment, trackers.registry.manifest(tracker), wanted_stories)
    operations = tuple(
        create(op=workspace.new_id(), at=workspace.clock(), by=by, story=story)
        for story in wanted_stories
    )
    return ItemChange(tracker, Kind.CREATE, increment, operations, delivery)


def _stories(
    increment: Increment, tracker: str, wanted: Sequence[str], *, per_story: bool
) -> Sequence[str | None]:
    if not per_story:
        return [draft_of(increment, tracker, wanted_story).story for wanted_story in wanted] or [
            None
        ]
    stories = stories_of(increment)
    if not stories:
        raise UsageError(
            "no-story",
            f"{increment.id} has no user stories",
            hint="leave --per-story out to make one item for the whole increment",
        )
    linked = {link.story for link in increment.links if link.tracker == tracker}
    linked |= {operation.story for operation in increment.pending if operation.tracker == tracker}
    return [story for story in stories if story not in linked]


def _check_is_first(
    increment: Increment, manifest: Manifest, stories: Sequence[str | None]
) -> None:
    """Refuse to create a second item for the same work."""
    name, command = (
        increment.id,
        f"unlatch {manifest.name} create-{manifest.slug} {quote(increment.id)}",
    )
    for operation in increment.pending:
        if (operation.kind, operation.tracker) == (
            Kind.CREATE,
            manifest.name,
        ) and operation.story in stories:
            message = f"creating a {manifest.title} {manifest.noun} for {name} is pending"
            raise UsageError("already-linked", message, hint=f"unlatch sync {quote(name)}")
    for link in increment.links:
        if link.tracker == manifest.name and link.story in stories:
            message = f"{name} is linked to a {manifest.title} {manifest.noun}: {link.key}"
            hint = f"to create one more: {command} --another"
            raise UsageError("already-linked", message, hint=hint)


def fetch_tracker_items(
    workspace: Workspace, trackers: Trackers, manifest: Manifest, wanted: Sequence[str]
) -> tuple[list[tuple[Increment, list[ItemSnapshot]]], Sequence[BrokenIncrement]]:
    """Read the items of increments on one tracker; also returns the broken increments.

    Args:
        wanted: increments by name; empty for all with items there.
    """
    increments, broken = workspace.manager.read_all() if not wanted else ([], [])
    pairs = [(increment, _links(increment, manifest)) for increment in increments]
    pairs += [
        (increment, tracker_links(workspace, increment, manifest))
        for increment in map(workspace.manager.read, wanted)
    ]
    seen = fetch_items(trackers, dict.fromkeys(link for _, links in pairs for link in links))
    items = {snapshot.link: snapshot for snapshot in seen}
    return [
        (increment, [items[link] for link in links]) for increment, links in pairs if links
    ], broken


def _links(increment: Increment, manifest: Manifest) -> tuple[Link, ...]:
    return tuple(link for link in increment.links if link.tracker == manifest.name)


def tracker_links(
    workspace: Workspace, increment: Increment, manifest: Manifest, item: str | None = None
) -> tuple[Link, ...]:
    """An increment's links to a tracker, or the one to `item`.

    Raises:
        UsageError: `no-link`, `unknown-link` or `ambiguous-link`.
    """
    links = _links(increment, manifest)
    if not links:
        raise UsageError(
            "no-link",
            f"{increment.id} has no {manifest.title} {manifest.noun}",
            hint=f"unlatch link {quote(increment.id)} URL",
        )
    if item is None:
        return links
    # Only among this tracker's links: another link would be recorded here and never delivered.
    return (find_link(workspace, replace(increment, links=links), item),)
