"""unlatch resume: take up an increment again, and reopen its items."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unlatch.cli import output
from unlatch.cli.app import reach
from unlatch.cli.describe import times
from unlatch.cli.dialogue import Wishes, ask, warn_of_frequency
from unlatch.cli.documents import (
    delivered_code,
    increment_entry,
    reopen_entry,
    resume_entry,
    untouched_entry,
)
from unlatch.cli.rehearse import tell_rehearsal
from unlatch.cli.serve import Delivered, deliver_or_postpone, style, tell_left
from unlatch.cli.session import BY, COMMENT, ID, JSON, REASON, Session, with_session
from unlatch.domain.operation import Manner
from unlatch.engine.deliver import Job
from unlatch.engine.rehearse import Act, rehearse_resume
from unlatch.engine.resume import Resumed, Step, next_step, resume
from unlatch.store.manager import checked_reason

if TYPE_CHECKING:
    from unlatch.cli.contracts.documents import ResumeDocument
    from unlatch.cli.table import Entry

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
                    wishes = Wishes(reason, yes, reopen_items, offline)
                    reason = ask(session, trackers, increment, step, wishes)
                    if reason is None:
                        output.talk("Nothing was changed.")
                        return DECLINED
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
                if resumed.entry and yes:
                    warn_of_frequency(session, resumed.increment)
            job = Job(
                fresh=resumed.fresh,
                even_if_deliberate=even_if_not_planned,
                comment=style(comment),
            )
            delivered = deliver_or_postpone(
                session, trackers, resumed.increment, job, offline=offline, silent=as_json
            )
        if as_json:
            return _document(resumed, delivered)
        return _end(delivered, wanted)

    return run


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
    if resumed.outrun:
        output.talk("    Another process was faster by a moment; no reason was recorded here.")
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
