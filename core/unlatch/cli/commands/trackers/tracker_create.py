"""unlatch TRACKER create-...: make items for an increment or its user stories, and tie them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from unlatch.cli.commands.trackers.tracker_items import end_change
from unlatch.cli.options.delivery import DRY_RUN, serving
from unlatch.cli.render.delivery import deliver_and_tell
from unlatch.cli.render.preview import preview_and_tell
from unlatch.cli.runtime.session import BY, ID, JSON, Session, with_session
from unlatch.config.tables import Part
from unlatch.delivery.content import draft_of, stories_of
from unlatch.delivery.planning import check_permitted
from unlatch.errors import UsageError
from unlatch.increments.files.outbox import enqueue
from unlatch.increments.files.plans import plan_enqueue
from unlatch.increments.model.increment import Link
from unlatch.lifecycle.link import create_target
from unlatch.spi.operation import Kind, Operation

if TYPE_CHECKING:
    from unlatch.increments.model.increment import Increment
    from unlatch.spi import Manifest
    from unlatch.spi.options import DeliveryOptions


def create_command(manifest: Manifest) -> click.Command:
    """The command that makes items."""
    article = "an" if manifest.noun[0] in "aeiou" else "a"

    @click.command(
        f"create-{manifest.slug}",
        help=f"Make {article} {manifest.noun} for an increment, and tie it. (writes trackers)",
    )
    @ID
    @click.option("--story", metavar="US-ID", multiple=True, help="For this user story alone.")
    @click.option(
        "--per-story", is_flag=True, help=f"{article.title()} {manifest.noun} for each user story."
    )
    @BY
    @DRY_RUN
    @serving(Kind.CREATE, comment=False)
    @JSON
    @with_session
    def run(session: Session, *, wanted: str, by: str | None, as_json: bool, **how: Any) -> int:
        return create_items(
            session, manifest.name, wanted, making=Making(**how), by=by, as_json=as_json
        )

    return run


@dataclass(frozen=True, slots=True)
class Making:
    """What items are to be made, and whether it is only to be shown.

    Args:
        story: the user stories to make items for; nothing for one of the whole increment.
        per_story: for all user stories that have no item there.
    """

    delivery: DeliveryOptions
    story: tuple[str, ...] = ()
    per_story: bool = False
    dry_run: bool = False


def create_items(
    session: Session,
    tracker: str,
    wanted: str,
    *,
    making: Making,
    by: str | None,
    as_json: bool,
) -> int:
    """Make items for an increment, and tie them.

    Raises:
        UnlatchError: the tracker is not configured, or its plugin makes no items.
    """
    workspace = session.workspace
    increment = workspace.manager.read(wanted)
    with session.trackers() as trackers:
        target = create_target(trackers, tracker)
        check_permitted(workspace, tracker, Part.CREATE)
        made = _operations(session, increment, Link(tracker, target), making, by=session.who(by))
        if making.dry_run:
            plan = plan_enqueue(replace(increment, pending=()), *made)
            return preview_and_tell(
                session, plan, making.delivery, offline=False, as_json=as_json, tracker=tracker
            )
        increment = enqueue(workspace.manager, increment.id, *made)
        delivered = deliver_and_tell(
            session,
            trackers,
            increment,
            options=making.delivery,
            fresh=frozenset(operation.op for operation in made),
            silent=as_json,
            tracker=tracker,
        )
    return end_change(delivered, increment, tracker, Kind.CREATE, as_json=as_json)


def _operations(
    session: Session, increment: Increment, target: Link, making: Making, *, by: str
) -> tuple[Operation, ...]:
    return tuple(
        Operation(
            session.workspace.new_id(),
            Kind.CREATE,
            target.tracker,
            target.key,
            session.workspace.clock(),
            by,
            options=making.delivery,
            story=story,
        )
        for story in _stories(increment, target.tracker, making)
    )


def _stories(increment: Increment, tracker: str, making: Making) -> list[str | None]:
    if making.per_story and making.story:
        raise click.UsageError("name user stories, or --per-story")
    if not making.per_story:
        return [draft_of(increment, tracker, one).story for one in making.story] or [None]
    served = {link.story for link in increment.links if link.tracker == tracker}
    served |= {one.story for one in increment.pending if one.tracker == tracker}
    known = stories_of(increment)
    if not known:
        raise UsageError(
            "no-story",
            f"spec.md of {increment.id} has no user stories",
            hint="leave --per-story out to make one item for the whole increment",
        )
    return [story for story in known if story not in served]
