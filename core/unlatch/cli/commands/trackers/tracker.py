"""unlatch github, ado, jira ...: work on the items of one tracker; built from its manifest."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from unlatch.cli.commands.trackers.tracker_create import create_command
from unlatch.cli.commands.trackers.tracker_items import end_change, links_to
from unlatch.cli.commands.trackers.tracker_status import status_command
from unlatch.cli.options.delivery import DRY_RUN, serving
from unlatch.cli.render.delivery import deliver_and_tell
from unlatch.cli.render.preview import preview_and_tell
from unlatch.cli.runtime.session import BY, ID, JSON, Session, with_session
from unlatch.config.tables import Part
from unlatch.delivery.planning import check_permitted
from unlatch.increments.files.manager import checked_reason
from unlatch.increments.files.outbox import enqueue
from unlatch.increments.files.plans import build_operations, plan_enqueue
from unlatch.project.registry import Registry
from unlatch.spi import Capability
from unlatch.spi.operation import Kind

if TYPE_CHECKING:
    from unlatch.increments.model.increment import Increment
    from unlatch.spi import Manifest
    from unlatch.spi.options import DeliveryOptions

_KINDS = {
    Capability.UPDATE: Kind.UPDATE,
    Capability.CLOSE: Kind.CLOSE,
    Capability.REOPEN: Kind.REOPEN,
}
_HELP = {
    Capability.UPDATE: "Bring {items} of an increment up to date. (writes trackers)",
    Capability.CLOSE: "Close {items} of an increment; its status stays. (writes trackers)",
    Capability.REOPEN: "Reopen {items} of an increment; its status stays. (writes trackers)",
}


def tracker_group(name: str) -> click.Group:
    """The commands of one tracker."""
    manifest = Registry().manifest(name)
    group = click.Group(
        name, help=f"Work on {manifest.title} {manifest.noun}s alone. (writes trackers)"
    )
    if Capability.CREATE in manifest.capabilities:
        group.add_command(create_command(manifest))
    for capability, kind in _KINDS.items():
        if capability in manifest.capabilities:
            group.add_command(_act(manifest, capability, kind))
    if Capability.STATUS in manifest.capabilities:
        group.add_command(status_command(manifest))
    return group


def _act(manifest: Manifest, capability: Capability, kind: Kind) -> click.Command:
    items = f"the {manifest.noun}s"

    @click.command(
        f"{capability.value}-{manifest.slug}", help=_HELP[capability].format(items=items)
    )
    @ID
    @click.option("--item", metavar="ITEM|URL", help=f"Only this {manifest.noun}.")
    @click.option("--reason", metavar="TEXT", help="Post this as a comment.")
    @BY
    @DRY_RUN
    @serving(kind)
    @JSON
    @with_session
    def run(session: Session, **options: Any) -> int:
        return _run_act(session, manifest, kind, **options)

    return run


def _run_act(
    session: Session,
    manifest: Manifest,
    kind: Kind,
    *,
    wanted: str,
    item: str | None,
    reason: str | None,
    by: str | None,
    dry_run: bool,
    delivery: DeliveryOptions,
    as_json: bool,
) -> int:
    workspace = session.workspace
    increment = workspace.manager.read(wanted)
    links = links_to(increment, manifest, item)
    reason = checked_reason(reason) if reason is not None else None
    spare = [link for link in increment.links if link not in links]
    intent = replace(
        workspace.manager.intent(by=session.who(by), reason=reason), options=delivery, exclude=spare
    )
    made = build_operations(increment, kind, intent, by=intent.by)
    if dry_run:
        plan = plan_enqueue(increment, *made)
        return preview_and_tell(
            session, plan, delivery, offline=False, as_json=as_json, tracker=manifest.name
        )
    with session.trackers() as trackers:
        trackers.settings(manifest.name)  # a mistake in it is reported before anything is recorded
        if kind is Kind.UPDATE:
            check_permitted(workspace, manifest.name, Part.BODY)
        increment = enqueue(workspace.manager, increment.id, *made)
        delivered = deliver_and_tell(
            session,
            trackers,
            increment,
            options=delivery,
            fresh=frozenset({intent.op}),
            silent=as_json,
            tracker=manifest.name,
        )
    tell = _reminder(increment, kind)
    return end_change(delivered, increment, manifest.name, kind, as_json=as_json, tell=tell)


def _reminder(increment: Increment, kind: Kind) -> str | None:
    if kind is not Kind.REOPEN or not increment.status.is_finished:
        return None
    return (
        f"Increment {increment.id} is still {increment.status}. "
        f"To reopen it: unlatch resume {increment.id}"
    )
