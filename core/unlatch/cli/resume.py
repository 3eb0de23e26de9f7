"""unlatch resume: take up an increment again, and reopen its items."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from unlatch.cli import output
from unlatch.cli.admission import (
    CATEGORY,
    FORCE,
    foretold,
    tell_warnings,
    warning_entries,
    with_category,
)
from unlatch.cli.app import reach
from unlatch.cli.asked import DRY_RUN, OFFLINE, YES, Asked, serving
from unlatch.cli.describe import times
from unlatch.cli.dialogue import Wishes, ask, warn_of_frequency
from unlatch.cli.documents import (
    delivered_code,
    increment_entry,
    reopen_entry,
    resume_entry,
    untouched_entry,
)
from unlatch.cli.failure import UNDELIVERED
from unlatch.cli.rehearse import tell_rehearsal
from unlatch.cli.scope_report import document_lines, scope_entry, sum_lines
from unlatch.cli.scoping import Scoping, scoping
from unlatch.cli.serve import Delivered, deliver_or_postpone, tell_left
from unlatch.cli.session import BY, JSON, REASON, Session, with_session
from unlatch.domain.operation import Kind
from unlatch.engine.admission import Wish, admit
from unlatch.engine.rehearsal import Act
from unlatch.engine.rehearse import rehearse_resume
from unlatch.engine.resume import Resumed, Step, next_step, resume
from unlatch.engine.scope import spared_by
from unlatch.store.manager import checked_reason

if TYPE_CHECKING:
    from unlatch.cli.contracts.documents import ResumeDocument
    from unlatch.cli.table import Entry
    from unlatch.domain.amendment import Amendment
    from unlatch.domain.increment import Increment
    from unlatch.engine.trackers import Trackers
    from unlatch.errors import UnlatchError

DECLINED = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class _Typed:
    """What was typed, by the options' names."""

    wanted: str
    reason: str | None
    by: str | None
    yes: bool
    offline: bool
    dry_run: bool
    reopen_items: bool
    category: str | None
    force: bool
    scoping: Scoping
    asked: Asked
    as_json: bool

    @property
    def wish(self) -> Wish:
        """What bears on the project's own rules."""
        return Wish(self.category, self.force)


@dataclass(frozen=True, slots=True)
class _Agreed:
    """What is to be done, once all questions are answered.

    Args:
        told: warnings that were shown before the questions.
    """

    reason: str | None
    wish: Wish
    asked: Asked
    amendment: Amendment | None
    told: tuple[UnlatchError, ...] = ()


def command(entry: Entry) -> click.Command:
    """The command."""

    @click.command(entry.name, help=reach(entry))
    @click.argument("ids", metavar="ID...", nargs=-1)
    @click.option(
        "--all-matching",
        "expressions",
        metavar="EXPR",
        multiple=True,
        help="All that are so, as in status=completed or title~words; repeated, all have to hold.",
    )
    @click.option(
        "--max-items", type=click.IntRange(min=1), help="Of several: how many items to write to."
    )
    @REASON
    @BY
    @YES
    @OFFLINE
    @DRY_RUN
    @click.option(
        "--reopen-items", is_flag=True, help="Of an abandoned increment, reopen the items too."
    )
    @scoping
    @CATEGORY
    @FORCE
    @serving(Kind.REOPEN)
    @JSON
    @with_session
    def run(
        session: Session,
        *,
        ids: tuple[str, ...],
        expressions: tuple[str, ...],
        max_items: int | None,
        **options: Any,
    ) -> int:
        if bool(ids) is bool(expressions):
            raise click.UsageError("name increments, or --all-matching EXPR")
        if len(ids) == 1:
            return _run(session, _Typed(wanted=ids[0], **options))
        return _run_many(session, options, ids=ids, expressions=expressions, max_items=max_items)

    return run


def _run_many(session: Session, options: dict[str, Any], **chosen: Any) -> int:
    from unlatch.cli.resume_many import Many, run_many  # noqa: PLC0415  (rarely needed)

    if options.pop("scoping").is_wanted:
        raise click.UsageError("the work of one increment alone can be changed at once")
    wish = Wish(options.pop("category"), options.pop("force"))
    return run_many(session, Many(wish=wish, **chosen, **options))


def _run(session: Session, typed: _Typed) -> int:
    increment = session.workspace.manager.read(typed.wanted)
    session.workspace.check_config()
    with session.trackers() as trackers:
        if typed.dry_run:
            return _rehearse(session, trackers, increment, typed)
        agreed = _agreed(session, trackers, increment, typed)
        if agreed is None:
            output.talk("Nothing was changed.")
            return DECLINED
        resumed = resume(
            session.workspace,
            increment.id,
            reason=agreed.reason,
            by=session.who(typed.by),
            reopen_items=typed.reopen_items,
            manner=agreed.asked.manner,
            wish=agreed.wish,
            amendment=agreed.amendment,
        )
        if not typed.as_json:
            _tell(resumed, was_archived=increment.archived)
            known = {one.id for one in agreed.told}
            tell_warnings(one for one in resumed.warnings if one.id not in known)
            if resumed.entry and typed.yes:
                warn_of_frequency(session, resumed.increment, told=resumed.warnings)
        job, silent = agreed.asked.job(resumed.fresh), typed.as_json
        delivered = deliver_or_postpone(
            session, trackers, resumed.increment, job, offline=typed.offline, silent=silent
        )
    if typed.as_json:
        return _document(resumed, delivered)
    return _end(resumed, delivered, typed.wanted)


def _rehearse(session: Session, trackers: Trackers, increment: Increment, typed: _Typed) -> int:
    insisted = typed.asked.even_if_not_planned or typed.reopen_items
    job = replace(typed.asked.job(), even_if_deliberate=insisted)
    act = Act(session.who(typed.by), typed.reason, job, offline=typed.offline)
    amendment = None
    if typed.scoping.is_wanted:
        from unlatch.cli.scope import foreseen_scope  # noqa: PLC0415  (rarely needed)

        amendment = foreseen_scope(session, increment, typed.scoping, reason=typed.reason)
    found = rehearse_resume(
        session.workspace,
        trackers,
        increment,
        act=act,
        reopen_items=typed.reopen_items,
        amendment=amendment,
    )
    warnings = admit(session.workspace, increment, typed.wish).warnings
    return tell_rehearsal(session, replace(found, warnings=warnings), as_json=typed.as_json)


def _agreed(
    session: Session, trackers: Trackers, increment: Increment, typed: _Typed
) -> _Agreed | None:
    """What is to be done, by what was typed and answered; None if it was declined.

    Raises:
        UsageError: what was typed cannot be done, or nobody is there to be asked.
    """
    step, wish, asked = next_step(increment), typed.wish, typed.asked
    reason = checked_reason(typed.reason) if typed.reason is not None else None
    # Parts that are not there are told of before anything is asked.
    parts = _work(session, increment, typed, reason) if typed.scoping.names_parts else None
    told: tuple[UnlatchError, ...] = ()
    if step.needs_reason and (reason is None or not typed.yes):
        told = foretold(session, increment, wish)
        spared = len(spared_by(increment, parts)) if parts else 0
        wishes = Wishes(
            reason,
            typed.yes,
            typed.reopen_items,
            typed.offline,
            told,
            spared,
            asked.even_if_not_planned,
        )
        answer = ask(session, trackers, increment, step, wishes)
        if answer is None:
            return None
        reason = answer.reason
        asked = replace(asked, even_if_not_planned=answer.even_if_not_planned)
        wish = with_category(session, increment, wish)
    amendment = parts or _work(session, increment, typed, reason)
    if typed.scoping.is_wanted and amendment is None:
        return None
    return _Agreed(reason, wish, asked, amendment, told)


def _work(
    session: Session, increment: Increment, typed: _Typed, reason: str | None
) -> Amendment | None:
    """What changes about the work; None if nothing does, or it was declined."""
    if not typed.scoping.is_wanted:
        return None
    from unlatch.cli.scope import changed_work  # noqa: PLC0415  (rarely needed)

    return changed_work(session, increment, typed.scoping, reason=reason, yes=typed.yes)


def _tell(resumed: Resumed, *, was_archived: bool) -> None:
    increment = resumed.increment
    mark = output.good(output.sign("ok"))
    if resumed.step is Step.NOTHING:
        output.data(f"{mark} Increment {increment.id} is active already; nothing is pending")
    elif resumed.step is Step.DELIVER:
        owed = times(len(increment.pending), "operation")
        output.data(f"{mark} Increment {increment.id} is active already; delivering {owed}")
    elif resumed.step is Step.AMEND:
        output.data(f"{mark} Increment {increment.id} is active already; its work was changed")
    else:
        by = f" (by {output.clean(resumed.entry.reopened_by)})" if resumed.entry else ""
        word = "reopened" if resumed.entry else "resumed"
        output.data(
            f"{mark} Increment {increment.id} {word}: {resumed.previous} -> {increment.status}{by}"
        )
    for line in document_lines(resumed.scope) if resumed.scope else ():
        output.data(line)
    if resumed.is_known:
        output.talk("    That change of its work was made before; it is not made again.")
    if was_archived:
        output.data(f"{mark} Moved out of the archive: {increment.folder}")
    for warning in increment.warnings:
        output.talk(f"    {output.warn('note:')} {output.clean(warning)}")
    if resumed.outrun:
        output.talk("    Another process was faster by a moment; no reason was recorded here.")
    if resumed.step is Step.REOPEN and not increment.links:
        output.talk("    It has no linked items; unlatch link adds some.")


def _end(resumed: Resumed, delivered: Delivered, wanted: str) -> int:
    for line in sum_lines(resumed.scope) if resumed.scope else ():
        output.data(line)
    code = _code(resumed, delivered)
    if unwritten := resumed.increment.unwritten:
        output.talk(
            f"{output.warn('Not written yet:')} {', '.join(unwritten)}. "
            f"Next: unlatch resume {resumed.increment.id}"
        )
    elif code:
        tell_left(delivered)
    else:
        output.talk(f"Next: unlatch show {output.clean(wanted)}")
    return code


def _code(resumed: Resumed, delivered: Delivered) -> int:
    if resumed.increment.unwritten:
        return UNDELIVERED
    return 0 if delivered.by_wish else delivered_code(delivered.deliveries, delivered.left)


def _document(resumed: Resumed, delivered: Delivered) -> int:
    code = _code(resumed, delivered)
    increment = delivered.increment
    trackers = [resume_entry(delivery) for delivery in delivered.deliveries]
    if resumed.step is Step.REVIVE and not trackers:
        trackers = [untouched_entry(link) for link in increment.links]
    document: ResumeDocument = {
        "schema": "unlatch.resume/1",
        "increment": increment_entry(increment, resumed.previous),
        "reopen": reopen_entry(resumed.entry, increment),
        "trackers": trackers,
        "scope": scope_entry(resumed.scope),
        "warnings": warning_entries(resumed.warnings),
        "exitCode": code,
    }
    output.document(document)
    return code
