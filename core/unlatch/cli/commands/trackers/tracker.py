"""unlatch github, ado, jira ...: the commands of one tracker, built from its manifest."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import click

from unlatch.cli.options.delivery import DRY_RUN, serving
from unlatch.cli.options.reason import ask_reason, reason_option
from unlatch.cli.render.deliveries import show_deliveries, tell_left
from unlatch.cli.render.delivery_documents import delivered_code, delivery_entry
from unlatch.cli.render.describe import synced_lines
from unlatch.cli.render.documents import increment_entry, synced_item_entry
from unlatch.cli.render.notes import tell_left_out, tell_unread
from unlatch.cli.render.preview import tell_preview
from unlatch.cli.runtime.failure import DECLINED, UNDECIDED
from unlatch.cli.runtime.increments import (
    ID,
    Named,
    increment_argument,
    increment_ids,
    meant_increment,
)
from unlatch.cli.runtime.session import (
    BY,
    JSON,
    Session,
    flag,
    is_interactive,
    require_terminal,
    with_session,
)
from unlatch.cli.runtime.suggest import Group
from unlatch.cli.terminal import output
from unlatch.errors import UsageError
from unlatch.increments.model.increment import Increment
from unlatch.lifecycle.fetch_items import ItemSnapshot, last_synced
from unlatch.lifecycle.resume_plan import NO_REASON
from unlatch.lifecycle.tracker_items import (
    ItemChange,
    apply_item_change,
    fetch_tracker_items,
    plan_item_change,
    plan_item_creation,
    preview_item_change,
)
from unlatch.project.registry import Registry
from unlatch.project.trackers import Trackers
from unlatch.spi import Capability, Manifest
from unlatch.spi.operation import Kind

_CHANGES = {
    Capability.UPDATE: (Kind.UPDATE, "Update the {noun}s of an increment."),
    Capability.CLOSE: (Kind.CLOSE, "Close the {noun}s of an increment; its status stays."),
    Capability.REOPEN: (Kind.REOPEN, "Reopen the {noun}s of an increment; its status stays."),
}


def tracker_group(name: str) -> click.Group:
    manifest = Registry().manifest(name)
    title, noun = manifest.title, manifest.noun
    group = Group(name, help=f"Work on {title} {noun}s alone. (writes trackers)")
    if Capability.CREATE in manifest.capabilities:
        group.add_command(_create_command(manifest))
    for capability, (kind, line) in _CHANGES.items():
        if capability in manifest.capabilities:
            text = f"{line.format(noun=noun)} (writes trackers)"
            group.add_command(_change_command(manifest, f"{capability.value}-", kind, text))
    if Capability.STATUS in manifest.capabilities:
        group.add_command(_status_command(manifest))
    return group


def _create_command(manifest: Manifest) -> click.Command:
    noun = _a(manifest.noun)

    @click.command(
        f"create-{manifest.slug}",
        help=f"Create {noun} for an increment, and link it. (writes trackers)",
    )
    @ID
    @click.option(
        "--story", "stories", metavar="US-ID", multiple=True, help="Only for this user story."
    )
    @flag("--per-story", help=f"Create {noun} for each user story that has none.")
    @flag("--another", help=f"Also create {noun} where one is linked already.")
    @BY
    @DRY_RUN
    @serving(Kind.CREATE, comment=False)
    @JSON
    @with_session
    def run(session: Session, **options: Any) -> int:
        wanted = options.pop("wanted")
        return create_items(session, manifest.name, [wanted], **options)

    return run


def _a(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def create_items(
    session: Session,
    tracker: str,
    increments: Sequence[str],
    *,
    by: str | None,
    dry_run: bool,
    as_json: bool,
    **options: Any,
) -> int:
    """Create items for increments, with options of `plan_item_creation`; the exit code.

    All are planned before the first is created.
    """
    if options.get("per_story") and options["stories"]:
        raise click.UsageError("name user stories, or --per-story")
    who = session.who(by)
    with session.trackers() as trackers:
        plan = partial(plan_item_creation, session.workspace, trackers, tracker, by=who)
        changes: list[ItemChange] = []
        for one in increments:
            change = _planned(partial(plan, one), options, ask=not dry_run and is_interactive())
            if change is None:
                output.talk("Nothing was changed.")
                return DECLINED
            changes.append(change)
        code = 0
        for change in changes:
            if len(changes) > 1 and not dry_run:
                output.talk(f"{change.increment.id}:")
            code = max(code, _create(session, trackers, change, dry_run=dry_run, as_json=as_json))
    return code


def _create(
    session: Session, trackers: Trackers, change: ItemChange, *, dry_run: bool, as_json: bool
) -> int:
    manifest = session.workspace.registry.manifest(change.tracker)
    if not change.operations and not as_json:
        output.talk(f"No user story without {_a(manifest.noun)}; nothing to create.")
    code = _run_change(session, trackers, change, dry_run=dry_run, as_json=as_json)
    if change.operations and change.increment.status.is_finished and not dry_run:
        name = change.increment.id
        close = f"unlatch {manifest.name} close-{manifest.slug} {name}"
        output.note(f"{name} is {change.increment.status}; to close what is new: {close}")
    return code


def _planned(
    plan: Callable[..., ItemChange], options: dict[str, Any], *, ask: bool
) -> ItemChange | None:
    """The creation; None if the user declines to create another item."""
    try:
        return plan(**options)
    except UsageError as error:
        if error.id != "already-linked" or not ask:
            raise
        output.talk(f"{output.warn('!')} {output.clean(error.message)}")
        if not output.confirm("Create another?"):
            return None
        return plan(**{**options, "another": True})


def _change_command(manifest: Manifest, verb: str, kind: Kind, help: str) -> click.Command:
    @click.command(f"{verb}{manifest.slug}", help=help)
    @increment_argument("wanted", metavar="ID")
    @click.option("--item", metavar="ITEM|URL", help=f"Only this {manifest.noun}.")
    @reason_option("Post this text as a comment.")
    @BY
    @DRY_RUN
    @serving(kind)
    @JSON
    @with_session
    def run(
        session: Session, *, wanted: str, by: str | None, dry_run: bool, as_json: bool, **typed: Any
    ) -> int:
        who, meant = session.who(by), meant_increment(session, wanted)
        typed["item"] = typed["item"] or meant.item
        change = plan_item_change(session.workspace, manifest, meant.name, kind, by=who, **typed)
        with session.trackers() as trackers:
            trackers.settings(manifest.name)
            if kind is Kind.REOPEN and typed["reason"] is None:
                name = f"{manifest.name} {verb}{manifest.slug}"
                change = change.with_reason(
                    NO_REASON if dry_run else _ask_reason(session, change, name)
                )
            return _run_change(session, trackers, change, dry_run=dry_run, as_json=as_json)

    return run


def _ask_reason(session: Session, change: ItemChange, command: str) -> str:
    increment = change.increment.id
    require_terminal("reopening needs a reason", f"unlatch {command} {increment} --reason TEXT")
    return ask_reason(session)


def _run_change(
    session: Session, trackers: Trackers, change: ItemChange, *, dry_run: bool, as_json: bool
) -> int:
    workspace = session.workspace
    if dry_run:
        preview = preview_item_change(workspace, trackers, change)
        return tell_preview(session, preview, as_json=as_json)
    with show_deliveries(session, len(change.operations), silent=as_json) as report:
        delivered = apply_item_change(workspace, trackers, change, report)
    code = delivered_code(delivered.deliveries)
    increment = delivered.increment
    if as_json:
        output.document(
            "tracker-change",
            code,
            tracker=change.tracker,
            kind=change.kind,
            increment=increment_entry(increment, change.increment.status),
            trackers=[delivery_entry(one) for one in delivered.deliveries],
        )
        return code
    if code:
        tell_left(delivered)
    if change.kind is Kind.REOPEN and increment.status.is_finished:
        output.talk(
            f"Increment {increment.id} is still {increment.status}. "
            f"To reopen it: unlatch resume {increment.id}"
        )
    return code


def _status_command(manifest: Manifest) -> click.Command:
    @click.command(
        "status",
        help=f"Show the {manifest.noun}s of increments as they are now; by default of all "
        "increments. (reads trackers)",
    )
    @increment_argument("wanted", metavar="[ID...]", callback=increment_ids, nargs=-1)
    @JSON
    @with_session
    def run(session: Session, *, wanted: Named, as_json: bool) -> int:
        names = wanted.names
        with session.trackers() as trackers:
            found, broken = fetch_tracker_items(session.workspace, trackers, manifest, names)
        errors = [one.error for _, items in found for one in items]
        if errors and all(errors):
            raise next(filter(None, errors))
        left_out = tell_left_out(broken)
        code = UNDECIDED if any(errors) else left_out
        if as_json:
            increments = [
                {**output.fields(one, "id", "status"), "items": _entries(one, items)}
                for one, items in found
            ]
            output.document("tracker-status", code, tracker=manifest.name, increments=increments)
        else:
            _tell_status(session, found)
        return code

    return run


def _entries(increment: Increment, items: Sequence[ItemSnapshot]) -> list[output.Json]:
    synced = last_synced(increment)
    return [synced_item_entry(one, synced) for one in items]


def _tell_status(
    session: Session, found: Sequence[tuple[Increment, Sequence[ItemSnapshot]]]
) -> None:
    several = len(found) > 1
    registry, now = session.workspace.registry, session.workspace.clock()
    for increment, items in found:
        synced = last_synced(increment)
        if several:
            output.data(f"{output.strong(increment.id)} ({increment.status})")
        for one in items:
            lines = synced_lines(registry, one, synced, columns=14, now=now)
            output.data(*(lines if several else [line.removeprefix("    ") for line in lines]))
    tell_unread(one for _, items in found for one in items)
    if not found:
        output.talk("No increment has an item there.")
