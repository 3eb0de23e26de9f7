"""unlatch resume: resume increments, and reopen their items."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from unlatch.cli import output
from unlatch.cli.admission import CATEGORY, FORCE, foretold, tell_warnings, with_category
from unlatch.cli.app import reach
from unlatch.cli.delivery_options import DRY_RUN, OFFLINE, YES, serving
from unlatch.cli.describe import times
from unlatch.cli.dialogue import Wishes, ask, warn_of_frequency
from unlatch.cli.preview import preview_and_tell
from unlatch.cli.resume_result import resume_code, resume_document, tell_end
from unlatch.cli.scope_report import document_lines
from unlatch.cli.scoping import Scoping, scoping
from unlatch.cli.serve import deliver_or_postpone
from unlatch.cli.session import BY, JSON, REASON, Session, with_session
from unlatch.domain.operation import Kind
from unlatch.engine.admission import Wish, admit
from unlatch.engine.resume import Request, Resumed, Step, next_step, plan_resume, resume
from unlatch.engine.scope import spared_by
from unlatch.store.manager import checked_reason

if TYPE_CHECKING:
    from unlatch.cli.table import Entry
    from unlatch.domain.amendment import Amendment
    from unlatch.domain.increment import Increment
    from unlatch.domain.options import DeliveryOptions
    from unlatch.errors import UnlatchError
    from unlatch.project.trackers import Trackers

DECLINED = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """What was typed, by the options' names."""

    reason: str | None
    by: str | None
    yes: bool
    offline: bool
    dry_run: bool
    reopen_items: bool
    category: str | None
    force: bool
    scoping: Scoping
    delivery: DeliveryOptions
    as_json: bool

    def request(self, session: Session) -> Request:
        """What is asked for, before any question is answered."""
        wish = Wish(self.category, self.force)
        who = session.who(self.by)
        return Request(who, self.reason, self.reopen_items, self.delivery, wish)


def command(entry: Entry) -> click.Command:
    """The command."""

    @click.command(entry.name, help=reach(entry))
    @click.argument("ids", metavar="ID...", nargs=-1)
    @click.option(
        "--all-matching",
        "expressions",
        metavar="EXPR",
        multiple=True,
        help="Select increments matching EXPR (status=completed, title~words); repeat to combine.",
    )
    @click.option(
        "--max-items", type=click.IntRange(min=1), help="Maximum number of items to change."
    )
    @REASON
    @BY
    @YES
    @OFFLINE
    @DRY_RUN
    @click.option(
        "--reopen-items", is_flag=True, help="Also reopen the items of an abandoned increment."
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
        typed = Typed(**options)
        if len(ids) == 1:
            return _run(session, ids[0], typed)
        from unlatch.cli.resume_many import Chosen, run_many  # noqa: PLC0415  (rarely needed)

        if typed.scoping.is_wanted:
            raise click.UsageError("the work of one increment alone can be changed at once")
        return run_many(session, Chosen(ids, expressions, max_items), typed)

    return run


def _run(session: Session, wanted: str, typed: Typed) -> int:
    increment = session.workspace.manager.read(wanted)
    session.workspace.check_config()
    request = typed.request(session)
    if typed.dry_run:
        return _preview(session, increment, request, typed)
    with session.trackers() as trackers:
        agreed = _agreed(session, trackers, increment, request, typed)
        if agreed is None:
            output.talk("Nothing was changed.")
            return DECLINED
        request, told = agreed
        resumed = resume(session.workspace, increment.id, request)
        if not typed.as_json:
            _tell(resumed)
            known = {one.id for one in told}
            tell_warnings(one for one in resumed.warnings if one.id not in known)
            if resumed.entry and typed.yes:
                warn_of_frequency(session, resumed.increment, told=resumed.warnings)
        delivered = deliver_or_postpone(
            session,
            trackers,
            resumed.increment,
            options=request.options,
            fresh=resumed.fresh,
            offline=typed.offline,
            silent=typed.as_json,
        )
    if typed.as_json:
        output.document(resume_document(resumed, delivered))
    else:
        tell_end(resumed, delivered, wanted)
    return resume_code(resumed, delivered)


def _preview(session: Session, increment: Increment, request: Request, typed: Typed) -> int:
    if typed.scoping.is_wanted:
        from unlatch.cli.scope import foreseen_scope  # noqa: PLC0415  (rarely needed)

        amendment = foreseen_scope(session, increment, typed.scoping, reason=typed.reason)
        request = replace(request, amendment=amendment)
    plan, scope = plan_resume(session.workspace, increment, request)
    warnings = admit(session.workspace, increment, request.wish).warnings
    return preview_and_tell(
        session,
        plan,
        typed.delivery,
        offline=typed.offline,
        as_json=typed.as_json,
        warnings=warnings,
        scope=scope,
    )


def _agreed(
    session: Session, trackers: Trackers, increment: Increment, request: Request, typed: Typed
) -> tuple[Request, tuple[UnlatchError, ...]] | None:
    """What is asked for once all questions are answered, and the warnings that were shown.

    Returns:
        None if it was declined.

    Raises:
        UsageError: what was typed cannot be done, or there is no terminal to ask at.
    """
    step = next_step(increment)
    told: tuple[UnlatchError, ...] = ()
    if request.reason is not None:
        request = replace(request, reason=checked_reason(request.reason))
    if typed.scoping.names_parts:
        # Parts that do not exist are reported before anything is asked.
        request = replace(request, amendment=_work(session, increment, request, typed))
    if step.needs_reason and (request.reason is None or not typed.yes):
        told = foretold(session, increment, request.wish)
        answered = _asked(session, trackers, increment, request, typed, told=told)
        if answered is None:
            return None
        request = answered
    if request.amendment is None:
        request = replace(request, amendment=_work(session, increment, request, typed))
    if typed.scoping.is_wanted and request.amendment is None:
        return None
    return request, told


def _asked(
    session: Session,
    trackers: Trackers,
    increment: Increment,
    request: Request,
    typed: Typed,
    *,
    told: tuple[UnlatchError, ...],
) -> Request | None:
    spared = len(spared_by(increment, request.amendment)) if request.amendment else 0
    wishes = Wishes(
        request.reason,
        typed.yes,
        typed.reopen_items,
        typed.offline,
        told,
        spared,
        request.options.even_if_not_planned,
    )
    answer = ask(session, trackers, increment, next_step(increment), wishes)
    if answer is None:
        return None
    return replace(
        request,
        reason=answer.reason,
        options=replace(request.options, even_if_not_planned=answer.even_if_not_planned),
        wish=with_category(session, increment, request.wish),
    )


def _work(
    session: Session, increment: Increment, request: Request, typed: Typed
) -> Amendment | None:
    """What changes about the work; None if nothing does, or it was declined."""
    if not typed.scoping.is_wanted:
        return None
    from unlatch.cli.scope import changed_work  # noqa: PLC0415  (rarely needed)

    return changed_work(session, increment, typed.scoping, reason=request.reason, yes=typed.yes)


def _tell(resumed: Resumed) -> None:
    increment = resumed.increment
    mark = output.good(output.sign("ok"))
    output.data(f"{mark} Increment {increment.id} {_done(resumed)}")
    for line in document_lines(resumed.scope) if resumed.scope else ():
        output.data(line)
    if resumed.is_known:
        output.talk("    That change of its work was made before; it is not made again.")
    if resumed.before.archived:
        output.data(f"{mark} Moved out of the archive: {increment.folder}")
    for warning in increment.warnings:
        output.talk(f"    {output.warn('note:')} {output.clean(warning)}")
    if resumed.outrun:
        output.talk("    Another process was faster by a moment; no reason was recorded here.")
    if resumed.step is Step.REOPEN and not increment.links:
        output.talk("    It has no linked items; unlatch link adds some.")


def _done(resumed: Resumed) -> str:
    increment = resumed.increment
    if resumed.step is Step.NOTHING:
        return "is active already; nothing is pending"
    if resumed.step is Step.DELIVER:
        return f"is active already; delivering {times(len(increment.pending), 'operation')}"
    if resumed.step is Step.AMEND:
        return "is active already; its work was changed"
    by = f" (by {output.clean(resumed.entry.reopened_by)})" if resumed.entry else ""
    word = "reopened" if resumed.entry else "resumed"
    return f"{word}: {resumed.previous} -> {increment.status}{by}"
