"""unlatch resume with several ids, or --all-matching: many increments for one reason."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from shlex import quote
from typing import TYPE_CHECKING

from unlatch.cli.commands.work.resume_result import resume_code, resumed_entry
from unlatch.cli.render.deliveries import show_deliveries, tell_all_left
from unlatch.cli.render.describe import times
from unlatch.cli.render.increments import tell_left_out
from unlatch.cli.render.preview import previewed_entry, tell_preview
from unlatch.cli.render.rule_warnings import tell_warnings, warning_entries
from unlatch.cli.runtime import output
from unlatch.cli.runtime.failure import UNDELIVERED
from unlatch.cli.runtime.progress import FEW, bar
from unlatch.cli.runtime.session import Session, is_interactive
from unlatch.delivery.preview import Preview, preview_all
from unlatch.delivery.run import DeliveryRun
from unlatch.errors import UsageError
from unlatch.increments.model.increment import BrokenIncrement
from unlatch.increments.model.matching import matching, read_condition
from unlatch.increments.model.reopening import checked_reason
from unlatch.lifecycle.deliver import Delivered, check_item_count, deliver_all, read_back
from unlatch.lifecycle.resume import (
    ResumeRequest,
    ResumeResult,
    items_of,
    needing_resume,
    plan_resume,
    resume_many,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.cli.commands.work.resume_options import ResumeOptions
    from unlatch.increments.model.increment import Increment
    from unlatch.project.trackers import Trackers

DECLINED = 2


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which increments were meant.

    Args:
        ids: increments by name.
        expressions: else what they have in common.
        max_items: how many items may be written to; None for what is configured.
    """

    ids: tuple[str, ...]
    expressions: tuple[str, ...]
    max_items: int | None


def run_many(session: Session, chosen: Chosen, typed: ResumeOptions) -> int:
    """Resume many increments; the exit code.

    Raises:
        UsageError: what was typed cannot be done; nothing was changed.
    """
    session.workspace.check_config()
    named, left_out = _named(session, chosen)
    wanted = needing_resume(named)
    if len(wanted) < len(named) and not typed.as_json:
        told = times(len(named) - len(wanted), "increment")
        output.talk(f"{told} active already, with nothing pending.")
    items = items_of(wanted, reopen_items=typed.reopen_items)
    request = typed.request(session)
    with session.trackers() as trackers:
        if typed.dry_run:
            return _preview(session, trackers, wanted, request, typed)
        count = len(items)
        check_item_count(session.workspace, count, chosen.max_items, command=_dry_run(chosen))
        reason = _agreed(wanted, len(items), typed)
        if reason is None:
            output.talk("Nothing was changed.")
            return DECLINED
        resumed = _resume(session, wanted, replace(request, reason=reason.text), typed)
        delivered = _deliver(session, trackers, resumed, typed)
    return _end(resumed, delivered, typed, left_out)


def _dry_run(chosen: Chosen) -> str:
    """The command that shows what resuming these would write."""
    which = [*map(quote, chosen.ids)]
    which += [f"--all-matching {quote(one)}" for one in chosen.expressions]
    return f"unlatch resume {' '.join(which)} --dry-run"


@dataclass(frozen=True, slots=True)
class _Reason:
    """Why, once it is agreed; None where no reason is needed."""

    text: str | None


def _named(session: Session, chosen: Chosen) -> tuple[tuple[Increment, ...], int]:
    """The increments, and the exit code for those of which nobody can tell."""
    manager = session.workspace.manager
    if chosen.ids:
        return tuple({one.folder: one for one in map(manager.read, chosen.ids)}.values()), 0
    conditions = [read_condition(one) for one in chosen.expressions]
    listed = manager.list()
    sound = [one for one in listed if not isinstance(one, BrokenIncrement)]
    found = matching(sound, conditions)
    left_out = tell_left_out([one for one in listed if isinstance(one, BrokenIncrement)])
    if not found:
        told = " ".join(chosen.expressions)
        raise UsageError("nothing-matches", f"no increment is {told}", hint="unlatch list --all")
    return found, left_out


def _agreed(wanted: Sequence[Increment], items: int, typed: ResumeOptions) -> _Reason | None:
    """The reason, once it is clear that all of these are meant; None if they are not.

    Raises:
        UsageError: `not-interactive`; nobody is there to be asked.
    """
    needs_reason = any(one.status.is_finished for one in wanted)
    reason = checked_reason(typed.reason) if typed.reason is not None else None
    if not wanted or (typed.yes and (reason is not None or not needs_reason)):
        return _Reason(reason)
    if not is_interactive():
        raise UsageError(
            "not-interactive",
            f"{times(len(wanted), 'increment')} would be resumed; cannot prompt: stdin is not a "
            "terminal",
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
    if not typed.yes and not output.confirm("Continue?"):
        return None
    while reason is None and needs_reason:
        given = output.prompt("Reason for reopening", default="", show_default=False)
        try:
            reason = checked_reason(given)
        except UsageError as error:
            output.talk(output.warn(f"{error.message}; try again"))
    return _Reason(reason)


def _resume(
    session: Session, wanted: Sequence[Increment], request: ResumeRequest, typed: ResumeOptions
) -> tuple[ResumeResult, ...]:
    is_terse = len(wanted) > FEW
    with bar(len(wanted), "Resuming") as advance:

        def report(resumed: ResumeResult) -> None:
            advance()
            session.trace(resumed.error)
            if not typed.as_json and (resumed.error or not is_terse):
                _tell(resumed)

        done = resume_many(session.workspace, wanted, request, report)
    if is_terse and not typed.as_json:
        steps = Counter(one.before.status.value for one in done if one.error is None)
        each = ", ".join(f"{count:,} {status}" for status, count in steps.items())
        mark = output.good(output.sign("ok"))
        output.data(f"{mark} {times(sum(steps.values()), 'increment')} active now: {each} before")
    return done


def _tell(resumed: ResumeResult) -> None:
    before, now = resumed.before, resumed.increment
    if resumed.error is not None:
        output.data(
            f"{output.bad(output.sign('no'))} {before.id} stays {before.status}: "
            f"{output.clean(resumed.error.message)} [{resumed.error.id}]"
        )
        if resumed.error.hint:
            output.data(f"    {output.clean(resumed.error.hint)}")
        return
    moved = f"{before.status} -> {now.status}"
    if before.status is now.status:
        moved = f"{now.status} already; delivering {times(len(now.pending), 'operation')}"
    output.data(f"{output.good(output.sign('ok'))} Increment {now.id}: {moved}")
    tell_warnings(resumed.warnings)


def _deliver(
    session: Session, trackers: Trackers, resumed: Sequence[ResumeResult], typed: ResumeOptions
) -> list[Delivered]:
    done = [one for one in resumed if one.error is None]
    waiting = [one.increment for one in done if one.increment.pending]
    if typed.offline:
        left = sum(len(one.pending) for one in waiting)
        if left:
            output.talk(f"{times(left, 'operation')} pending; unlatch sync delivers them.")
        return [Delivered(one, (), len(one.pending), on_purpose=True) for one in waiting]
    fresh = frozenset(op for one in done for op in one.fresh)
    run = DeliveryRun(session.workspace, trackers, options=typed.delivery, fresh=fresh, named=True)
    total = sum(run.will_attempt(operation) for each in waiting for operation in each.pending)
    with show_deliveries(session, total, silent=typed.as_json) as report:
        made = deliver_all(run, waiting, report)
    return [read_back(session.workspace, one, made[one.id]) for one in waiting]


def _end(
    resumed: Sequence[ResumeResult],
    delivered: Sequence[Delivered],
    typed: ResumeOptions,
    left_out: int,
) -> int:
    served = {one.increment.id: one for one in delivered}
    codes = [resume_code(one, served.get(one.before.id)) for one in resumed]
    # What is recorded and not delivered outweighs what was refused.
    code = UNDELIVERED if UNDELIVERED in codes else max(codes, default=0) or left_out
    if typed.as_json:
        output.document(
            "resume-many",
            code,
            increments=[resumed_entry(one, served.get(one.before.id)) for one in resumed],
        )
    elif not typed.offline:
        tell_all_left(delivered)
    return code


def _preview(
    session: Session,
    trackers: Trackers,
    wanted: Sequence[Increment],
    request: ResumeRequest,
    typed: ResumeOptions,
) -> int:
    workspace = session.workspace
    run = DeliveryRun(workspace, trackers, options=typed.delivery, named=True)
    plans = [plan_resume(workspace, one, request)[0] for one in wanted]
    items = preview_all(run, plans, offline=typed.offline)
    found = [Preview(*one) for one in zip(plans, items, strict=True)]
    requests = sum(one.requests for one in found)
    if typed.as_json:
        output.document(
            "dry-run-many",
            increments=[_previewed(one) for one in found],
            requests=requests,
        )
        return 0
    for one in found:
        tell_preview(session, one, as_json=False)
    output.data(f"{times(len(found), 'increment')}, {times(requests, 'request')} in all.")
    return 0


def _previewed(found: Preview) -> output.Json:
    before, after = found.plan.before, found.plan.after
    return {
        "increment": {"id": before.id, "status": before.status, "wouldBe": after.status},
        "items": [previewed_entry(item) for item in found.items],
        "requests": found.requests,
        "warnings": warning_entries(found.warnings),
    }
