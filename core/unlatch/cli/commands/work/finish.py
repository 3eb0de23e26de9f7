"""unlatch complete, abandon, undo: changes of status that close items."""

import shlex
from collections.abc import Callable, Sequence
from typing import Any

import click

from unlatch.cli.options.delivery import DRY_RUN, OFFLINE, YES, serving
from unlatch.cli.options.reason import reason_option
from unlatch.cli.render.deliveries import deliver_and_tell, tell_left
from unlatch.cli.render.delivery_documents import delivered_code, delivery_entry
from unlatch.cli.render.describe import times
from unlatch.cli.render.documents import increment_entry, spared_entries, warning_entries
from unlatch.cli.render.notes import tell_remarks, tell_warnings
from unlatch.cli.render.preview import preview_and_tell
from unlatch.cli.render.texts import lines_of
from unlatch.cli.runtime import output
from unlatch.cli.runtime.failure import DECLINED, UNDECIDED
from unlatch.cli.runtime.session import BY, ID, JSON, Session, flag, require_terminal, with_session
from unlatch.cli.table import Entry
from unlatch.increments.model.increment import Amendment, Increment, ReopenEntry
from unlatch.increments.model.status import Status
from unlatch.lifecycle.deliver import DeliveryResult
from unlatch.lifecycle.status_change import (
    ChangePlan,
    ChangeResult,
    apply_change,
    plan_finish,
    plan_undo_reopen,
)
from unlatch.lifecycle.units.archiving import archive_command, archive_unit, check_archive
from unlatch.spi.operation import DeliveryOptions, Kind
from unlatch.worklog.name_matching import first_of

_FORCE = flag(
    "--force", help="Complete the increment although work is open; recorded in the history."
)
_ARCHIVE = flag(
    "--archive", help="Also archive the unit with its tool's own program, such as openspec archive."
)


def _of_complete(function: Callable[..., Any]) -> Callable[..., Any]:
    return _FORCE(_ARCHIVE(function))


_OWN_OPTIONS: dict[str, Callable[[Any], Any]] = {"complete": _of_complete, "undo": YES}
STATUSES = {"complete": Status.COMPLETED, "abandon": Status.ABANDONED}


def command(entry: Entry) -> click.Command:
    @click.command(entry.name, help=entry.own_help)
    @ID
    @reason_option("Record this reason, and post it on each item.")
    @BY
    @_OWN_OPTIONS.get(entry.name, lambda function: function)
    @OFFLINE
    @DRY_RUN
    @serving(Kind.CLOSE)
    @JSON
    @with_session
    def run(session: Session, *, wanted: str, **options: Any) -> int:
        return finish(session, entry.name, wanted, **options)

    return run


def finish(
    session: Session,
    name: str,
    wanted: str,
    *,
    by: str | None,
    offline: bool,
    dry_run: bool,
    delivery: DeliveryOptions,
    as_json: bool,
    yes: bool = False,
    archive: bool = False,
    **options: Any,
) -> int:
    """Complete or abandon an increment, or undo its last reopen, by the command's name."""
    session.workspace.check_config()
    plan = _plan(session, name, wanted, by=session.who(by), options=delivery, **options)
    if archive:
        check_archive(session.workspace, plan.before)
    if dry_run:
        return preview_and_tell(
            session,
            plan.preview(session.workspace),
            delivery,
            offline=offline,
            as_json=as_json,
            spared=plan.spared,
            warnings=plan.approval.warnings,
        )
    if plan.undone and not yes and not _ask_consent(plan.before, plan.undone):
        output.talk("Nothing was changed.")
        return DECLINED
    code = _apply(session, name, plan, offline=offline, as_json=as_json)
    if name != "abandon":
        _archive(session, plan.before.id, wanted=archive, silent=as_json)
    return code


def _archive(session: Session, id: str, *, wanted: bool, silent: bool) -> None:
    """Archive a completed unit, or name the command that does."""
    increment = session.workspace.manager.read(id)
    command = shlex.join(archive_command(increment))
    if increment.archived or not command:
        return
    if wanted:
        archive_unit(session.workspace, increment)
    if not silent:
        if wanted:
            output.ok(f"{output.clean(command)}")
        else:
            output.talk(f"Next: {output.clean(command)}")


def _plan(session: Session, name: str, wanted: str, **options: Any) -> ChangePlan:
    if name == "undo":
        return plan_undo_reopen(session.workspace, wanted, **options)
    return plan_finish(session.workspace, wanted, STATUSES[name], **options)


def _apply(session: Session, name: str, plan: ChangePlan, *, offline: bool, as_json: bool) -> int:
    result = apply_change(session.workspace, plan)
    if as_json:
        tell_remarks(result.increment)
    else:
        _tell(plan, result)
    delivered = deliver_and_tell(
        session,
        result.increment,
        options=plan.details["options"],
        fresh=result.fresh,
        offline=offline,
        silent=as_json,
        shared=plan.shared,
    )
    code = 0 if offline else delivered_code(delivered.deliveries, delivered.left)
    if as_json:
        output.document(name, code, **_document(plan, result, delivered))
    elif plan.undone and code == UNDECIDED:
        _tell_undecided(session, delivered)
    elif code:
        tell_left(delivered)
    return code


def _ask_consent(increment: Increment, entries: Sequence[ReopenEntry]) -> bool:
    require_terminal("undo closes items again", f"unlatch undo {increment.id} --yes")
    for entry in entries:
        by = output.clean(entry.reopened_by)
        head = f"{output.warn('!')} {increment.id} was reopened by {by}: "
        output.talk(*lines_of("", head, entry.reason))
    items, to = times(len(increment.links), "item"), entries[-1].previous_status
    opened = "the reopen" if len(entries) == 1 else "these reopens"
    output.talk(f"  Undoing will set it back to {to}, and close the items that")
    output.talk(f"  {opened} opened ({items} linked).")
    return output.confirm("Continue?")


def _tell(plan: ChangePlan, result: ChangeResult) -> None:
    before, after, undone = (
        plan.before.status,
        result.increment.status,
        result.undone or plan.undone,
    )
    moved = f" is already {after}" if before is after else f": {before} -> {after}"
    output.ok(f"Increment {result.increment.id}{moved}")
    for link, needed in plan.spared:
        output.data(f"  {link.key} stays open: {', '.join(needed)} needs it")
    tell_remarks(result.increment)
    tell_warnings(plan.approval.warnings)
    if len(undone) > 1:
        output.remark(f"undid {len(undone)} reopens: git merged them from several clones")
    if undone and any(result.increment.folder.parent.glob("_*")):
        output.remark(
            "its folder is not moved; if the reopen took it out of the archive, move it back"
        )
    _tell_kept([one.amendment for one in undone if one.amendment])


def _tell_kept(amendments: Sequence[Amendment]) -> None:
    if parts := list(dict.fromkeys(part for one in amendments for part in one.parts)):
        output.remark(f"not ticked again: {first_of(parts)}; tick what is done, or use git")
    if any(one.change is not None for one in amendments):
        output.remark("the documents keep the text of the reopen; remove it by hand or with git")


def _document(plan: ChangePlan, result: ChangeResult, delivered: DeliveryResult) -> output.Json:
    increment = increment_entry(delivered.increment, plan.before.status)
    trackers = [delivery_entry(one) for one in delivered.deliveries]
    if undone := result.undone or plan.undone:
        return {"increment": increment, "undone": undone[-1].id, "trackers": trackers}
    return {
        "increment": increment,
        "spared": spared_entries(plan.spared),
        "trackers": trackers,
        "forced": list(plan.approval.forced),
        "warnings": warning_entries(plan.approval.warnings),
    }


def _tell_undecided(session: Session, delivered: DeliveryResult) -> None:
    """Name the commands that close items which undo left open."""
    manifests = session.workspace.registry.manifests
    undecided = [one for one in delivered.deliveries if one.undecided is not None]
    for name in dict.fromkeys(one.operation.tracker for one in undecided):
        command = f"unlatch {name} close-{manifests[name].slug} {delivered.increment.id}"
        output.talk(f"To close the item: {command}")
