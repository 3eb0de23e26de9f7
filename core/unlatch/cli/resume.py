"""unlatch resume: take up an increment again, and reopen its items."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unlatch.cli import output
from unlatch.cli.app import reach
from unlatch.cli.describe import ago, seen_line, times
from unlatch.cli.documents import (
    delivered_code,
    increment_entry,
    reopen_entry,
    resume_entry,
    untouched_entry,
)
from unlatch.cli.rehearse import tell_rehearsal
from unlatch.cli.serve import Delivered, deliver_and_tell, postponed, style, tell_left
from unlatch.cli.session import BY, COMMENT, ID, JSON, REASON, Session, is_interactive, with_session
from unlatch.domain.operation import Manner
from unlatch.engine.deliver import Job
from unlatch.engine.items import look
from unlatch.engine.rehearse import Act, rehearse_resume
from unlatch.engine.resume import Resumed, Step, next_step, resume
from unlatch.errors import UsageError
from unlatch.store.manager import checked_reason

if TYPE_CHECKING:
    from unlatch.cli.contracts.documents import ResumeDocument
    from unlatch.cli.table import Entry
    from unlatch.domain.increment import Increment
    from unlatch.engine.trackers import Trackers

DECLINED = 2


def command(entry: Entry) -> click.Command:
    """The command."""

    @click.command(entry.name, help=reach(entry))
    @ID
    @REASON
    @BY
    @click.option("--yes", "-y", is_flag=True, help="Do not ask.")
    @click.option("--offline", is_flag=True, help="Leave the items for unlatch sync.")
    @click.option("--dry-run", is_flag=True, help="Show what would be done, and do nothing.")
    @click.option(
        "--reopen-items", is_flag=True, help="Of an abandoned increment, reopen the items too."
    )
    @click.option(
        "--even-if-not-planned",
        is_flag=True,
        help="Also reopen items that were closed on purpose.",
    )
    @COMMENT
    @JSON
    @with_session
    def run(
        session: Session,
        *,
        wanted: str,
        reason: str | None,
        by: str | None,
        yes: bool,
        offline: bool,
        dry_run: bool,
        reopen_items: bool,
        even_if_not_planned: bool,
        comment: str | None,
        as_json: bool,
    ) -> int:
        increment = session.workspace.manager.read(wanted)
        session.workspace.check_config()
        step = next_step(increment)
        with session.trackers() as trackers:
            if dry_run:
                insisted = even_if_not_planned or reopen_items
                job = Job(even_if_deliberate=insisted, comment=style(comment))
                act = Act(session.who(by), reason, job, offline=offline)
                found = rehearse_resume(
                    session.workspace, trackers, increment, act=act, reopen_items=reopen_items
                )
                return tell_rehearsal(session, found, as_json=as_json)
            if step.needs_reason:
                reason = checked_reason(reason) if reason is not None else None
                if reason is None or not yes:
                    answered = _dialogue(
                        session,
                        trackers,
                        increment,
                        step,
                        reason,
                        yes=yes,
                        reopen_items=reopen_items,
                    )
                    if answered is None:
                        output.talk("Nothing was changed.")
                        return DECLINED
                    reason = answered
            resumed = resume(
                session.workspace,
                increment.id,
                reason=reason,
                by=session.who(by),
                reopen_items=reopen_items,
                manner=Manner(comment, even_if_not_planned),
            )
            if not as_json:
                _tell(resumed, was_archived=increment.archived)
            job = Job(
                fresh=resumed.fresh,
                even_if_deliberate=even_if_not_planned,
                comment=style(comment),
            )
            delivered = (
                postponed(resumed.increment)
                if offline
                else deliver_and_tell(session, trackers, resumed.increment, job, silent=as_json)
            )
        if as_json:
            return _document(resumed, delivered)
        return _end(delivered, wanted)

    return run


def _dialogue(
    session: Session,
    trackers: Trackers,
    increment: Increment,
    step: Step,
    reason: str | None,
    *,
    yes: bool,
    reopen_items: bool,
) -> str | None:
    """The reason, once the person has seen what is at stake and agreed; None if not."""
    if not is_interactive():
        raise UsageError(
            "not-interactive",
            f"{increment.id} is {increment.status}, and nobody is here to be asked",
            hint=f"unlatch resume {increment.id} --reason TEXT --yes",
        )
    _introduce(session, trackers, increment, step, reopen_items=reopen_items)
    if not yes and not click.confirm("Continue?", err=True):
        return None
    while reason is None:
        given = click.prompt("Reason for reopening", err=True, default="", show_default=False)
        try:
            reason = checked_reason(given)
        except UsageError as error:
            output.talk(output.warn(f"{error.message}; try again"))
    return reason


def _introduce(
    session: Session,
    trackers: Trackers,
    increment: Increment,
    step: Step,
    *,
    reopen_items: bool,
) -> None:
    registry, now = session.workspace.registry, session.workspace.clock()
    archived = ", and archived" if increment.archived else ""
    output.talk(
        f"{output.warn('!')} Increment {output.strong(increment.id)} is "
        f"{increment.status}{archived}"
    )
    titles = [registry.manifest(link.tracker).title for link in increment.links]
    columns = 1 + max(map(len, ("Reopened before", *titles)))
    if increment.completed_at:
        day = f"{increment.completed_at:%Y-%m-%d} ({ago(increment.completed_at, now)})"
        output.talk(f"    {'Completed':<{columns}}{day}")
    for seen in look(trackers, increment.links, within=session.workspace.config.patience):
        output.talk(seen_line(registry, seen, columns=columns))
    count = increment.effective_reopens
    output.talk(f"    {'Reopened before':<{columns}}{times(count, 'time')}")
    if count + 1 >= session.workspace.config.frequent_reopens:
        output.talk(
            output.warn(
                f"    This will be reopen number {count + 1}: an increment that is reopened often "
                "may want an increment of its own."
            )
        )
    output.talk(f"  {_announcement(increment, step, reopen_items=reopen_items)}")


def _announcement(increment: Increment, step: Step, *, reopen_items: bool) -> str:
    back = "move it out of the archive, " if increment.archived else ""
    if not increment.links:
        return f"Resuming will {back}set it active; it has no linked items."
    if step is Step.REVIVE and not reopen_items:
        return f"Resuming will {back}set it active; its items stay as they are."
    items = times(len(increment.links), "item")
    return f"Resuming will {back}set it active, reopen {items} and post the reason on each."


def _tell(resumed: Resumed, *, was_archived: bool) -> None:
    increment = resumed.increment
    mark = output.good(output.sign("ok"))
    if resumed.step is Step.NOTHING:
        output.data(f"{mark} Increment {increment.id} is active already; nothing is pending")
    elif resumed.step is Step.DELIVER:
        owed = times(len(increment.pending), "operation")
        output.data(f"{mark} Increment {increment.id} is active already; delivering {owed}")
    else:
        by = f" (by {output.clean(resumed.entry.reopened_by)})" if resumed.entry else ""
        word = "reopened" if resumed.entry else "resumed"
        output.data(
            f"{mark} Increment {increment.id} {word}: {resumed.previous} -> {increment.status}{by}"
        )
    if was_archived:
        output.data(f"{mark} Moved out of the archive: {increment.folder}")
    for warning in increment.warnings:
        output.talk(f"    {output.warn('note:')} {output.clean(warning)}")
    if resumed.step is Step.REOPEN and not increment.links:
        output.talk("    It has no linked items; unlatch link adds some.")


def _end(delivered: Delivered, wanted: str) -> int:
    code = 0 if delivered.by_wish else delivered_code(delivered.deliveries, delivered.left)
    if code:
        tell_left(delivered)
    else:
        output.talk(f"Next: unlatch show {output.clean(wanted)}")
    return code


def _document(resumed: Resumed, delivered: Delivered) -> int:
    code = 0 if delivered.by_wish else delivered_code(delivered.deliveries, delivered.left)
    increment = delivered.increment
    trackers = [resume_entry(delivery) for delivery in delivered.deliveries]
    if resumed.step is Step.REVIVE and not trackers:
        trackers = [untouched_entry(link) for link in increment.links]
    document: ResumeDocument = {
        "schema": "unlatch.resume/1",
        "increment": increment_entry(increment, resumed.previous),
        "reopen": reopen_entry(resumed.entry, increment),
        "trackers": trackers,
        "exitCode": code,
    }
    output.document(document)
    return code
