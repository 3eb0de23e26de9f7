"""unlatch resume: resume increments, and reopen their items."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from unlatch.cli.commands.work.resume_options import ResumeOptions
from unlatch.cli.commands.work.resume_result import resume_code, resume_document, tell_end
from unlatch.cli.options.delivery import DRY_RUN, OFFLINE, YES, serving
from unlatch.cli.options.scope import Scoping, scoping, take_scoping
from unlatch.cli.render.delivery import deliver_and_tell
from unlatch.cli.render.describe import times
from unlatch.cli.render.preview import preview_and_tell
from unlatch.cli.render.rule_warnings import (
    CATEGORY,
    FORCE,
    foretold,
    tell_warnings,
    warn_of_frequency,
)
from unlatch.cli.render.scope_report import document_lines
from unlatch.cli.runtime import output
from unlatch.cli.runtime.session import BY, JSON, REASON, Session, with_session
from unlatch.increments.model.reopening import checked_reason
from unlatch.lifecycle.activation_guard import check_activation
from unlatch.lifecycle.resume import ResumeRequest, ResumeResult, ResumeStep, plan_resume, resume
from unlatch.spi.operation import Kind

if TYPE_CHECKING:
    from unlatch.cli.table import Entry
    from unlatch.increments.model.increment import Increment
    from unlatch.project.trackers import Trackers

DECLINED = 2


def command(entry: Entry) -> click.Command:
    """The command."""

    @click.command(entry.name, help=entry.own_help)
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
        typed = ResumeOptions(scoping=take_scoping(options), **options)
        if len(ids) == 1:
            return _run(session, ids[0], typed)
        from unlatch.cli.commands.work.resume_many import Chosen, run_many  # noqa: PLC0415  (rarely needed)

        if typed.scoping is not None:
            raise click.UsageError("the work of one increment alone can be changed at once")
        return run_many(session, Chosen(ids, expressions, max_items), typed)

    return run


def _run(session: Session, wanted: str, typed: ResumeOptions) -> int:
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
        request, shown = agreed
        resumed = resume(session.workspace, increment.id, request)
        if not typed.as_json:
            _tell(resumed)
            tell_warnings(resumed.warnings, known=shown)
            if resumed.entry and typed.yes:
                warn_of_frequency(session, resumed.increment, told=resumed.warnings)
        delivered = deliver_and_tell(
            session,
            trackers,
            resumed.increment,
            options=request.options,
            fresh=resumed.fresh,
            offline=typed.offline,
            silent=typed.as_json,
        )
    code = resume_code(resumed, delivered)
    if typed.as_json:
        output.document("resume", code, **resume_document(resumed, delivered))
    else:
        tell_end(resumed, delivered, wanted, code)
    return code


def _preview(
    session: Session, increment: Increment, request: ResumeRequest, typed: ResumeOptions
) -> int:
    if typed.scoping is not None:
        from unlatch.cli.commands.work.scope import foreseen_scope  # noqa: PLC0415  (rarely needed)

        amendment = foreseen_scope(session, increment, typed.scoping, reason=typed.reason)
        request = replace(request, amendment=amendment)
    plan, scope = plan_resume(session.workspace, increment, request)
    warnings = check_activation(session.workspace, increment, request.activation).warnings
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
    session: Session,
    trackers: Trackers,
    increment: Increment,
    request: ResumeRequest,
    typed: ResumeOptions,
) -> tuple[ResumeRequest, frozenset[str]] | None:
    """The request after all questions are answered, and the ids of the warnings shown.

    Returns:
        None if it was declined.

    Raises:
        UsageError: what was typed cannot be done, or there is no terminal to ask at.
    """
    shown: frozenset[str] = frozenset()
    work = typed.scoping
    if request.reason is not None:
        request = replace(request, reason=checked_reason(request.reason))
    if work is not None and not work.update:
        # Parts that do not exist are reported before anything is asked.
        request = _with_work(session, increment, request, work, yes=typed.yes)
    if increment.status.is_finished and (request.reason is None or not typed.yes):
        from unlatch.cli.commands.work.dialogue import ask  # noqa: PLC0415  (a script answers beforehand)

        warnings = foretold(session, increment, request.activation)
        answered = ask(session, trackers, increment, request, typed, warnings=warnings)
        if answered is None:
            return None
        request, shown = answered, frozenset(one.id for one in warnings)
    if work is not None and request.amendment is None:
        request = _with_work(session, increment, request, work, yes=typed.yes)
        if request.amendment is None:
            return None
    return request, shown


def _with_work(
    session: Session, increment: Increment, request: ResumeRequest, scoping: Scoping, *, yes: bool
) -> ResumeRequest:
    """The request with what changes about the work; as it was if that was declined."""
    from unlatch.cli.commands.work.scope import changed_work  # noqa: PLC0415  (rarely needed)

    amendment = changed_work(session, increment, scoping, reason=request.reason, yes=yes)
    return replace(request, amendment=amendment)


def _tell(resumed: ResumeResult) -> None:
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
    if resumed.step is ResumeStep.REOPEN and not increment.links:
        output.talk("    It has no linked items; unlatch link adds some.")


def _done(resumed: ResumeResult) -> str:
    increment = resumed.increment
    if resumed.step is ResumeStep.NOTHING:
        return "is active already; nothing is pending"
    if resumed.step is ResumeStep.DELIVER:
        return f"is active already; delivering {times(len(increment.pending), 'operation')}"
    if resumed.step is ResumeStep.AMEND:
        return "is active already; its work was changed"
    by = f" (by {output.clean(resumed.entry.reopened_by)})" if resumed.entry else ""
    word = "reopened" if resumed.entry else "resumed"
    return f"{word}: {resumed.before.status} -> {increment.status}{by}"
