"""Carry out what the policy says of causes, record results of tests, and publish both."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any

from unlatch.cli.runtime.failure import UNDECIDED, error_lines, in_job, part
from unlatch.cli.terminal import output
from unlatch.config.choices import Reaction
from unlatch.errors import UnlatchError
from unlatch.increments.files.locks import SYNC, delivery_lock
from unlatch.lifecycle.carry_out import carry_out
from unlatch.lifecycle.change import Change, ChangeOptions, Place, Work
from unlatch.sync.publishing import RUN_PATIENCE, Publish, PublishResult, Way
from unlatch_regressions.acting import changes_for
from unlatch_regressions.cli.apply import ApplyDialog
from unlatch_regressions.cli.pull_request import pull_request, tell_pull_request
from unlatch_regressions.cli.recording import record_tests
from unlatch_regressions.cli.showing import report_to_job, tell_survey
from unlatch_regressions.noting import Note

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from unlatch.cli.runtime.context import Context
    from unlatch.spi.operation import DeliveryOptions
    from unlatch_regressions.survey import Survey

_LISTING = "unlatch regressions --apply --dry-run"


def run_survey(
    context: Context,
    seen: Survey,
    *,
    apply: bool,
    record: bool,
    by: str | None,
    way: str,
    delivery: DeliveryOptions,
    **given: Any,
) -> int:
    """Show what was seen, and do what was asked for; the exit code."""
    options = ChangeOptions(
        command="regressions", listing=_LISTING, is_many=True, activates=True, **given
    )
    if not options.as_json:
        tell_survey(seen, apply=apply)
    changes = [*_changes(context, seen, by, delivery)] if apply else []
    if options.dry_run:
        changes = [*_foreseeable(changes)]
    publishes = Way(way) is not Way.NONE and not options.dry_run and bool(changes or record)
    dialog = ApplyDialog(context, options, seen)
    with _alone(context) if publishes else nullcontext():
        publish = _publisher(context, Way(way), by) if publishes else None
        if record:
            dialog.recorded = record_tests(seen, by=context.who(by), dry_run=options.dry_run)
        code = _change(context, seen, dialog, changes, apply=apply)
        published = _publish(publish)
    if isinstance(published, UnlatchError):
        code = max(code, published.exit_code)
    if in_job():
        changed = bool(dialog.changed_ids) or published is not None
        report_to_job(context, seen, code=code, changed=changed, published=published)
    return code


def _changes(
    context: Context, seen: Survey, by: str | None, delivery: DeliveryOptions
) -> Sequence[Change]:
    """The changes that follow; in a checkout that only suggests, none."""
    if seen.branch.limit is not Reaction.REOPEN:
        return ()
    works, mentions = seen.request.work, context.workspace.config.mentions
    is_left = any(work.increment.pending and work.recorded.at for work in works.values())
    if not (is_left or any(verdict.acts for verdict in seen.verdicts)):
        return ()
    who = context.who(by)
    return [*changes_for(seen.verdicts, works, by=who, options=delivery, mentions=mentions)]


def _foreseeable(changes: Iterable[Change]) -> Iterator[Change]:
    """The changes that a dry run shows.

    Of the present work, which is still completed, a silent note says that it stays so.
    """
    yield from (each for each in changes if not (isinstance(each, Note) and each.is_silent))


def _change(
    context: Context,
    seen: Survey,
    dialog: ApplyDialog,
    changes: Sequence[Change],
    *,
    apply: bool,
) -> int:
    code, options = 0 if seen.is_whole else UNDECIDED, dialog.options
    writes = apply and not (options.dry_run or options.offline)
    pull = _pull_request(context, seen) if writes else None
    if changes or pull:
        with context.trackers() as trackers:
            if pull:
                tell_pull_request(trackers, seen, pull)
            if changes:
                work = Work(Place(context.workspace, trackers), changes)
                code = max(code, carry_out([work], dialog, options))
    if options.as_json and not changes:
        dialog.write_document((), code)
    return code


def _pull_request(context: Context, seen: Survey) -> str | None:
    """The pull request to comment on, if there is one and the settings want it.

    A job for a fork has no token that could.
    """
    environ = context.workspace.environ
    if not seen.settings.comment or not in_job(environ) or part("is_fork")(environ):
        return None
    return pull_request(environ)


def _alone(context: Context) -> AbstractContextManager[None]:
    """Publishing runs run one at a time in a checkout, as those of sync."""
    return delivery_lock(context.workspace.paths, SYNC, patience=RUN_PATIENCE)


def _publisher(context: Context, way: Way, by: str | None) -> Publish:
    """What commits and pushes; raises before anything is changed if that cannot succeed."""
    # The name is asked for only if there is a commit to sign.
    publish: Publish = part("publisher")(context.workspace, way, by=partial(context.who, by))
    return publish


def _publish(publish: Publish | None) -> PublishResult:
    """Publish what was changed; an error is shown, since the changes stay."""
    if publish is None:
        return None
    try:
        published = publish()
    except UnlatchError as error:
        output.talk(*error_lines(error))
        return error
    if published is not None:
        output.talk(f"Pushed to {output.clean(published.branch)}.")
        output.talk(*filter(None, [published.proposal]))
    return published
