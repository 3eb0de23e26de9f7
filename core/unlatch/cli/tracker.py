"""unlatch github, ado, jira ...: work on the items of one tracker; built from its manifest."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from unlatch.cli.asked import DRY_RUN, Asked, serving
from unlatch.cli.rehearse import tell_rehearsal
from unlatch.cli.serve import deliver_and_tell
from unlatch.cli.session import BY, ID, JSON, Session, with_session
from unlatch.cli.tracker_create import create_command
from unlatch.cli.tracker_items import end_change, links_to
from unlatch.cli.tracker_status import status_command
from unlatch.domain.operation import Kind
from unlatch.engine.linking import owe_operation
from unlatch.engine.permission import check_permitted
from unlatch.engine.registry import Registry
from unlatch.engine.rehearsal import Act
from unlatch.engine.rehearse import rehearse_operations
from unlatch.spi import Capability
from unlatch.store.manager import checked_reason
from unlatch.store.sync_config import Part

if TYPE_CHECKING:
    from unlatch.domain.increment import Increment, Link
    from unlatch.domain.operation import Operation
    from unlatch.spi import Manifest

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
    asked: Asked,
    as_json: bool,
) -> int:
    increment = session.workspace.manager.read(wanted)
    links = links_to(increment, manifest, item)
    reason = checked_reason(reason) if reason is not None else None
    act = Act(session.who(by), reason, asked.job(tracker=manifest.name))

    def owe(link: Link) -> Operation:
        return owe_operation(
            session.workspace,
            increment,
            kind,
            tracker=link.tracker,
            item=link.key,
            by=act.by,
            reason=reason,
            manner=asked.manner,
        )

    with session.trackers() as trackers:
        if dry_run:
            found = rehearse_operations(
                session.workspace, trackers, increment, kind, links=links, act=act
            )
            return tell_rehearsal(session, found, as_json=as_json)
        trackers.settings(manifest.name)  # a mistake in it is told before anything is recorded
        if kind is Kind.UPDATE:
            check_permitted(session.workspace, manifest.name, Part.BODY)
        job = replace(act.job, fresh=frozenset(owe(link).op for link in links))
        delivered = deliver_and_tell(session, trackers, increment, job, silent=as_json)
    tell = _reminder(increment, kind)
    return end_change(delivered, increment, manifest.name, kind, as_json=as_json, tell=tell)


def _reminder(increment: Increment, kind: Kind) -> str | None:
    if kind is not Kind.REOPEN or not increment.status.is_finished:
        return None
    return (
        f"Increment {increment.id} is still {increment.status}. "
        f"To take it up again: unlatch resume {increment.id}"
    )
