"""unlatch github, ado, jira ...: work on the items of one tracker; built from its manifest."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from unlatch.cli import output
from unlatch.cli.describe import seen_line
from unlatch.cli.documents import delivered_code, delivery_entry, increment_entry
from unlatch.cli.rehearse import tell_rehearsal
from unlatch.cli.serve import deliver_and_tell, tell_left
from unlatch.cli.session import BY, ID, JSON, Session, with_session
from unlatch.cli.show import item_entry
from unlatch.domain.operation import Kind, Manner
from unlatch.engine.deliver import Job
from unlatch.engine.items import look
from unlatch.engine.linking import check_capability, find_link, owe_operation
from unlatch.engine.registry import Registry
from unlatch.engine.rehearse import Act, rehearse_operations
from unlatch.errors import UsageError
from unlatch.spi import Capability
from unlatch.store.manager import checked_reason

if TYPE_CHECKING:
    from unlatch.cli.contracts.documents import TrackerChangeDocument, TrackerStatusDocument
    from unlatch.cli.serve import Delivered
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
_DRY_RUN = click.option("--dry-run", is_flag=True, help="Show what would be done, and do nothing.")


def tracker_group(name: str) -> click.Group:
    """The commands of one tracker."""
    manifest = Registry().manifest(name)
    group = click.Group(
        name, help=f"Work on {manifest.title} {manifest.noun}s alone. (writes trackers)"
    )
    if Capability.CREATE in manifest.capabilities:
        group.add_command(_create(manifest))
    for capability, kind in _KINDS.items():
        if capability in manifest.capabilities:
            group.add_command(_act(manifest, capability, kind))
    if Capability.STATUS in manifest.capabilities:
        group.add_command(_status(manifest))
    return group


def _create(manifest: Manifest) -> click.Command:
    article = "an" if manifest.noun[0] in "aeiou" else "a"

    @click.command(
        f"create-{manifest.slug}",
        help=f"Make {article} {manifest.noun} for an increment, and tie it. (writes trackers)",
    )
    @ID
    @BY
    @JSON
    @with_session
    def run(session: Session, *, wanted: str, by: str | None, as_json: bool) -> int:
        return create_item(session, manifest.name, wanted, by=by, as_json=as_json)

    return run


def create_item(
    session: Session, tracker: str, wanted: str, *, by: str | None, as_json: bool
) -> int:
    """Make an item for an increment, and tie it.

    Raises:
        UnlatchError: the tracker is not configured, or its plugin makes no items.
    """
    increment = session.workspace.manager.read(wanted)
    with session.trackers() as trackers:
        check_capability(trackers.manifest(tracker), Capability.CREATE)
        target = trackers.settings(tracker).target
        if target is None:
            raise UsageError(
                "target-missing",
                f"nothing says where a new {trackers.manifest(tracker).noun} goes",
                hint=f"name it in [trackers.{tracker}] in .unlatch/config.toml",
            )
        operation = owe_operation(
            session.workspace,
            increment,
            Kind.CREATE,
            tracker=tracker,
            item=target,
            by=session.who(by),
        )
        job = Job(fresh=frozenset({operation.op}), tracker=tracker)
        delivered = deliver_and_tell(session, trackers, increment, job, silent=as_json)
    return _end(delivered, increment, tracker, Kind.CREATE, as_json=as_json)


def _act(manifest: Manifest, capability: Capability, kind: Kind) -> click.Command:
    items = f"the {manifest.noun}s"

    @click.command(
        f"{capability.value}-{manifest.slug}", help=_HELP[capability].format(items=items)
    )
    @ID
    @click.option("--item", metavar="ITEM|URL", help=f"Only this {manifest.noun}.")
    @click.option("--reason", metavar="TEXT", help="Post this as a comment.")
    @click.option(
        "--even-if-not-planned",
        is_flag=True,
        hidden=capability is not Capability.REOPEN,
        help="Also reopen what was closed on purpose.",
    )
    @BY
    @_DRY_RUN
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
    even_if_not_planned: bool,
    by: str | None,
    dry_run: bool,
    as_json: bool,
) -> int:
    increment = session.workspace.manager.read(wanted)
    links = _links(increment, manifest, item)
    reason = checked_reason(reason) if reason is not None else None
    who = session.who(by)

    def owe(link: Link) -> Operation:
        return owe_operation(
            session.workspace,
            increment,
            kind,
            tracker=link.tracker,
            item=link.key,
            by=who,
            reason=reason,
            manner=Manner(even_if_not_planned=even_if_not_planned),
        )

    with session.trackers() as trackers:
        if dry_run:
            job = Job(even_if_deliberate=even_if_not_planned, tracker=manifest.name)
            act = Act(who, reason, job)
            found = rehearse_operations(
                session.workspace, trackers, increment, kind, links=links, act=act
            )
            return tell_rehearsal(session, found, as_json=as_json)
        trackers.settings(manifest.name)  # a mistake in it is told before anything is recorded
        fresh = frozenset(owe(link).op for link in links)
        job = Job(fresh, even_if_deliberate=even_if_not_planned, tracker=manifest.name)
        delivered = deliver_and_tell(session, trackers, increment, job, silent=as_json)
    tell = _reminder(increment, kind)
    return _end(delivered, increment, manifest.name, kind, as_json=as_json, tell=tell)


def _links(increment: Increment, manifest: Manifest, item: str | None) -> tuple[Link, ...]:
    links = tuple(link for link in increment.links if link.tracker == manifest.name)
    if not links:
        raise UsageError(
            "no-link",
            f"{increment.id} has no {manifest.title} {manifest.noun}",
            hint=f"unlatch link {increment.id} URL",
        )
    if item is not None:
        # Among this tracker's own: another's would be recorded here and never delivered.
        return (find_link(replace(increment, links=links), item),)
    return links


def _reminder(increment: Increment, kind: Kind) -> str | None:
    if kind is not Kind.REOPEN or not increment.status.is_finished:
        return None
    return (
        f"Increment {increment.id} is still {increment.status}. "
        f"To take it up again: unlatch resume {increment.id}"
    )


def _end(
    delivered: Delivered,
    before: Increment,
    tracker: str,
    kind: Kind,
    *,
    as_json: bool,
    tell: str | None = None,
) -> int:
    code = delivered_code(delivered.deliveries)
    if as_json:
        document: TrackerChangeDocument = {
            "schema": "unlatch.tracker-change/1",
            "tracker": tracker,
            "kind": kind,
            "increment": increment_entry(delivered.increment, before.status),
            "trackers": [delivery_entry(one) for one in delivered.deliveries],
            "exitCode": code,
        }
        output.document(document)
        return code
    if code:
        tell_left(delivered)
    if tell:
        output.talk(tell)
    return code


def _status(manifest: Manifest) -> click.Command:
    @click.command(
        "status", help=f"The {manifest.noun}s of an increment as they are now. (reads trackers)"
    )
    @ID
    @JSON
    @with_session
    def run(session: Session, *, wanted: str, as_json: bool) -> int:
        increment = session.workspace.manager.read(wanted)
        with session.trackers() as trackers:
            seen = look(trackers, _links(increment, manifest, None))
        errors = [one.error for one in seen if one.error is not None]
        if len(errors) == len(seen):
            raise errors[0]
        if as_json:
            document: TrackerStatusDocument = {
                "schema": "unlatch.tracker-status/1",
                "tracker": manifest.name,
                "id": increment.id,
                "items": [item_entry(one) for one in seen],
                "exitCode": 1 if errors else 0,
            }
            output.document(document)
        else:
            for one in seen:
                output.data(seen_line(session.workspace.registry, one, columns=14).strip())
        return 1 if errors else 0

    return run
