"""unlatch resume with several ids, or --all-matching: many increments for one reason."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click

from unlatch.cli import output
from unlatch.cli.admission import tell_warnings, warning_entries
from unlatch.cli.describe import times
from unlatch.cli.documents import delivered_code, increment_entry, resume_entry
from unlatch.cli.failure import problem_entry
from unlatch.cli.progress import FEW, bar
from unlatch.cli.rehearse import rehearsed_entry, tell_rehearsal
from unlatch.cli.serve import Delivered
from unlatch.cli.serve_many import deliver_all, ended, tell_all_left
from unlatch.cli.session import Session, is_interactive
from unlatch.cli.sync_questions import check_items
from unlatch.domain.increment import BrokenIncrement
from unlatch.domain.matching import matching, read_condition
from unlatch.engine.items import look
from unlatch.engine.rehearsal import Act
from unlatch.engine.rehearse import rehearse_resume
from unlatch.engine.resume import next_step
from unlatch.engine.resume_many import TakenUp, due, items_of, resume_many
from unlatch.errors import UsageError
from unlatch.store.manager import checked_reason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.cli.asked import Asked
    from unlatch.cli.contracts.documents import DryRunManyDocument
    from unlatch.cli.contracts.rehearsed import RehearsedIncrement
    from unlatch.cli.contracts.resuming import ResumeManyDocument, TakenUpEntry
    from unlatch.domain.increment import Increment
    from unlatch.engine.admission import Wish
    from unlatch.engine.rehearsal import Rehearsal
    from unlatch.engine.trackers import Trackers

DECLINED = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Many:
    """What was typed.

    Args:
        ids: increments by name.
        expressions: else what they have in common.
        max_items: how many items may be written to; None for what is configured.
    """

    ids: tuple[str, ...]
    expressions: tuple[str, ...]
    max_items: int | None
    reason: str | None
    by: str | None
    yes: bool
    offline: bool
    dry_run: bool
    reopen_items: bool
    wish: Wish
    asked: Asked
    as_json: bool


def run_many(session: Session, typed: Many) -> int:
    """Take up many increments; the exit code.

    Raises:
        UsageError: what was typed cannot be done; nothing was changed.
    """
    session.workspace.check_config()
    chosen = _chosen(session, typed)
    wanted = due(chosen)
    if len(wanted) < len(chosen) and not typed.as_json:
        told = times(len(chosen) - len(wanted), "increment")
        output.talk(f"{told} active already, with nothing pending.")
    items = items_of(wanted, reopen_items=typed.reopen_items)
    with session.trackers() as trackers:
        if typed.dry_run:
            return _rehearse(session, trackers, wanted, typed)
        check_items(session, len(items), typed.max_items, command="unlatch resume --dry-run")
        reason = _agreed(wanted, len(items), typed)
        if reason is None:
            output.talk("Nothing was changed.")
            return DECLINED
        taken = _take_up(session, wanted, reason.text, typed)
        delivered = _deliver(session, trackers, taken, typed)
    return _end(taken, delivered, typed)


@dataclass(frozen=True, slots=True)
class _Reason:
    """Why, once it is agreed; None where no reason is needed."""

    text: str | None


def _chosen(session: Session, typed: Many) -> tuple[Increment, ...]:
    manager = session.workspace.manager
    if typed.ids:
        return tuple({one.folder: one for one in map(manager.read, typed.ids)}.values())
    conditions = [read_condition(one) for one in typed.expressions]
    sound = [one for one in manager.list() if not isinstance(one, BrokenIncrement)]
    found = matching(sound, conditions)
    if not found:
        told = " ".join(typed.expressions)
        raise UsageError("nothing-matches", f"no increment is {told}", hint="unlatch list --all")
    return found


def _agreed(wanted: Sequence[Increment], items: int, typed: Many) -> _Reason | None:
    """The reason, once it is clear that all of these are meant; None if they are not.

    Raises:
        UsageError: `not-interactive`; nobody is there to be asked.
    """
    needs_reason = any(next_step(one).needs_reason for one in wanted)
    reason = checked_reason(typed.reason) if typed.reason is not None else None
    if not wanted or (typed.yes and (reason is not None or not needs_reason)):
        return _Reason(reason)
    if not is_interactive():
        raise UsageError(
            "not-interactive",
            f"{times(len(wanted), 'increment')} would be resumed, and nobody is here to be asked",
            hint="repeat with --reason TEXT --yes",
        )
    for one in wanted:
        links = ", ".join(f"{link.tracker} {link.item}" for link in one.links)
        output.talk(f"  {one.id}: {one.status}{output.faint(output.clean(f'  {links}'))}")
    served = "leave" if typed.offline else "write to"
    output.talk(
        f"Resuming will set {times(len(wanted), 'increment')} active and "
        f"{served} {times(items, 'item')}."
    )
    if not typed.yes and not click.confirm("Continue?", err=True):
        return None
    while reason is None and needs_reason:
        given = click.prompt("Reason for reopening", err=True, default="", show_default=False)
        try:
            reason = checked_reason(given)
        except UsageError as error:
            output.talk(output.warn(f"{error.message}; try again"))
    return _Reason(reason)


def _take_up(
    session: Session, wanted: Sequence[Increment], reason: str | None, typed: Many
) -> tuple[TakenUp, ...]:
    is_terse = len(wanted) > FEW
    with bar(len(wanted), "Resuming") as advance:

        def report(taken: TakenUp) -> None:
            advance()
            session.trace(taken.error)
            if not typed.as_json and (taken.error or not is_terse):
                _tell(taken)

        taken = resume_many(
            session.workspace,
            wanted,
            reason=reason,
            by=session.who(typed.by),
            reopen_items=typed.reopen_items,
            manner=typed.asked.manner,
            wish=typed.wish,
            report=report,
        )
    if is_terse and not typed.as_json:
        steps = Counter(one.before.status.value for one in taken if one.resumed)
        each = ", ".join(f"{count:,} {status}" for status, count in steps.items())
        mark = output.good(output.sign("ok"))
        output.data(f"{mark} {times(sum(steps.values()), 'increment')} active now: {each} before")
    return taken


def _tell(taken: TakenUp) -> None:
    before, now = taken.before, taken.increment
    if taken.error is not None:
        output.data(
            f"{output.bad(output.sign('no'))} {before.id} stays {before.status}: "
            f"{output.clean(taken.error.message)} [{taken.error.id}]"
        )
        if taken.error.hint:
            output.data(f"    {output.clean(taken.error.hint)}")
        return
    moved = f"{before.status} -> {now.status}"
    if before.status is now.status:
        moved = f"{now.status} already; delivering {times(len(now.pending), 'operation')}"
    output.data(f"{output.good(output.sign('ok'))} Increment {now.id}: {moved}")
    tell_warnings(taken.resumed.warnings if taken.resumed else ())


def _deliver(
    session: Session, trackers: Trackers, taken: Sequence[TakenUp], typed: Many
) -> list[Delivered]:
    owing = [one.increment for one in taken if one.resumed and one.increment.pending]
    if typed.offline:
        owed = sum(len(one.pending) for one in owing)
        if owed:
            output.talk(f"{times(owed, 'operation')} pending; unlatch sync delivers them.")
        return [Delivered(one, (), len(one.pending), by_wish=True) for one in owing]
    fresh = frozenset(op for one in taken if one.resumed for op in one.resumed.fresh)
    job = typed.asked.job(fresh)
    return ended(session, deliver_all(session, trackers, owing, job, silent=typed.as_json))


def _end(taken: Sequence[TakenUp], delivered: Sequence[Delivered], typed: Many) -> int:
    codes = [0 if one.by_wish else delivered_code(one.deliveries, one.left) for one in delivered]
    refused = max((one.error.exit_code for one in taken if one.error), default=0)
    code = max(codes, default=0) or refused
    if typed.as_json:
        served = {one.increment.id: one for one in delivered}
        document: ResumeManyDocument = {
            "schema": "unlatch.resume-many/1",
            "increments": [_entry(one, served.get(one.before.id)) for one in taken],
            "exitCode": code,
        }
        output.document(document)
    elif not typed.offline:
        tell_all_left(delivered)
    return code


def _entry(taken: TakenUp, delivered: Delivered | None) -> TakenUpEntry:
    resumed = taken.resumed
    now = delivered.increment if delivered else taken.increment
    return {
        **increment_entry(now, taken.before.status),
        "reopen": resumed.entry.id if resumed and resumed.entry else None,
        "trackers": [resume_entry(one) for one in delivered.deliveries] if delivered else [],
        "left": len(now.pending),
        "warnings": warning_entries(resumed.warnings) if resumed else [],
        "error": problem_entry(taken.error) if taken.error else None,
    }


def _rehearse(
    session: Session, trackers: Trackers, wanted: Sequence[Increment], typed: Many
) -> int:
    insisted = typed.asked.even_if_not_planned or typed.reopen_items
    job = replace(typed.asked.job(), even_if_deliberate=insisted)
    act = Act(session.who(typed.by), typed.reason, job, offline=typed.offline)
    links = [] if typed.offline else [link for one in wanted for link in one.links]
    seen = {one.link: one for one in look(trackers, dict.fromkeys(links))}
    found: list[Rehearsal] = [
        rehearse_resume(
            session.workspace,
            trackers,
            one,
            act=act,
            reopen_items=typed.reopen_items,
            seen=seen,
        )
        for one in wanted
    ]
    requests = sum(one.requests for one in found)
    if typed.as_json:
        document: DryRunManyDocument = {
            "schema": "unlatch.dry-run-many/1",
            "increments": [_rehearsed(one) for one in found],
            "requests": requests,
            "exitCode": 0,
        }
        output.document(document)
        return 0
    for one in found:
        tell_rehearsal(session, one, as_json=False)
    output.data(f"{times(len(found), 'increment')}, {times(requests, 'request')} in all.")
    return 0


def _rehearsed(rehearsal: Rehearsal) -> RehearsedIncrement:
    before = rehearsal.before
    return {
        "increment": {"id": before.id, "status": before.status, "wouldBe": rehearsal.after},
        "items": [rehearsed_entry(item) for item in rehearsal.items],
        "requests": rehearsal.requests,
        "warnings": warning_entries(rehearsal.warnings),
    }
