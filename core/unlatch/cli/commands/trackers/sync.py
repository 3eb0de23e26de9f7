"""unlatch sync and ingest: sync with the trackers, all or after an event; deliver operations."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import click

from unlatch.cli.commands.items.pending import (
    PendingItems,
    find_pending,
    pending_line,
    sync_items,
    tell_pending,
)
from unlatch.cli.commands.trackers import sync_documents, sync_render
from unlatch.cli.commands.trackers.not_checked import allowance, not_checked, tell_passed_over
from unlatch.cli.commands.trackers.sync_report import report_preview, report_result
from unlatch.cli.options.delivery import YES, serving
from unlatch.cli.render.deliveries import show_deliveries
from unlatch.cli.render.describe import times
from unlatch.cli.runtime import output
from unlatch.cli.runtime.failure import UNDECIDED, error_lines
from unlatch.cli.runtime.session import (
    BY,
    JSON,
    Session,
    flag,
    increment_ids,
    is_interactive,
    with_session,
)
from unlatch.cli.table import Entry
from unlatch.delivery.task import Delivery
from unlatch.errors import UnlatchError
from unlatch.increments.model.increment import Increment
from unlatch.project.registry import Registry
from unlatch.publish.publish import PublishResult, sync_and_publish
from unlatch.publish.target import Way
from unlatch.spi.operation import Kind
from unlatch.sync.compare import Compared, Side, Verdict, local_side, remote_side
from unlatch.sync.ingest import event_sources, read_event
from unlatch.sync.plan import Move, SyncPlan
from unlatch.sync.sync import SyncOptions, preview

_MAX_ITEMS = click.option(
    "--max-items",
    type=click.IntRange(min=1),
    help="Maximum number of items to change; by default as configured.",
)
_FORCE = flag("--force", help="Also complete increments with open tasks.")
_ALLOW_MISSING = flag(
    "--allow-missing-tokens",
    help="List items that need a missing token as not checked, without exit code 5.",
)
_COMMIT = click.option(
    "--commit",
    "way",
    type=click.Choice([way.value for way in Way]),
    default=Way.NONE.value,
    show_default=True,
    help="Commit changed increments, and push them, or push a branch for a pull request.",
)


@dataclass(frozen=True, slots=True)
class _Options:
    """Options of the command rather than of the sync."""

    by: str | None
    way: str
    yes: bool
    allow_missing_tokens: bool
    as_json: bool


def _sync_options(function: Callable[..., Any]) -> Callable[..., Any]:
    def run(*args: Any, **typed: Any) -> Any:
        own = {one.name: typed.pop(one.name) for one in fields(_Options)}
        return function(*args, run=_Options(**own), **typed)

    decorated: Callable[..., Any] = run
    for option in (JSON, serving(*Kind), YES, BY, _COMMIT, _ALLOW_MISSING, _FORCE, _MAX_ITEMS):
        decorated = option(decorated)
    return decorated


def command(entry: Entry) -> click.Command:
    @click.command(entry.name, help=entry.own_help)
    @click.argument("ids", metavar="[ID...]", callback=increment_ids, nargs=-1)
    @flag("--all", "everything", help="Sync all increments (the default).")
    @click.option(
        "--changed-since", metavar="REF", help="Only sync increments that this branch changed."
    )
    @flag("--plan", "--dry-run", "plan", help="Show the changes on both sides, and write nothing.")
    @flag("--check", help="Like --plan; exit with 5 if both sides differ.")
    @_sync_options
    @with_session
    def sync(
        session: Session, *, everything: bool, plan: bool, check: bool, run: _Options, **typed: Any
    ) -> int:
        options = SyncOptions(**typed)
        if options.ids and everything:
            raise click.UsageError("name increments, or --all")
        is_all = not (options.ids or options.changed_since)
        if is_all and not (plan or check or session.has_project):
            return _sync_items(session, options, run)
        session.workspace.check_config()
        if plan or check:
            waiting = find_pending(session, in_project=True).records if is_all else []
            return _preview(session, options, run, waiting, plan=plan, check=check)
        pending = find_pending(session) if is_all else PendingItems(())
        return _run_sync(session, options, run, pending)

    return sync


def _sync_items(session: Session, options: SyncOptions, run: _Options) -> int:
    """Sync outside of a project: deliver this user's pending operations on items."""
    pending = find_pending(session)
    if not pending.records:
        _ = session.layout  # raises `no-project`
    _deliver_items(session, options, run, pending)
    code = tell_pending(pending, silent=run.as_json)
    if run.as_json:
        output.document("sync", code, **sync_documents.no_result(), items=pending.entries)
    return code


def _deliver_items(
    session: Session, options: SyncOptions, run: _Options, pending: PendingItems
) -> SyncOptions:
    """Deliver pending operations on items; the options for the increments that follow."""
    most, silent = options.max_items, run.as_json
    written = sync_items(session, pending, options.delivery, max_items=most, silent=silent)
    return replace(options, written=written)


def ingest(entry: Entry) -> click.Command:
    @click.command(entry.name, help=entry.own_help)
    @click.argument("file", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path))
    @click.option(
        "--from",
        "source",
        metavar="KIND",
        required=True,
        help=f"The kind of event in FILE: {' or '.join(event_sources(Registry()))}.",
    )
    @_sync_options
    @with_session
    def run_event(session: Session, *, file: Path, source: str, run: _Options, **typed: Any) -> int:
        tracker, event = read_event(session.workspace.registry, source, file)
        session.workspace.check_config()
        if event.note is not None and not run.as_json:
            output.talk(f"Nothing to do: {output.clean(event.note)}.")
            return 0
        options = SyncOptions(event=(tracker, event), **typed)
        return _run_sync(session, options, run, PendingItems(()))

    return run_event


def _preview(
    session: Session,
    options: SyncOptions,
    run: _Options,
    waiting: Sequence[Increment],
    *,
    plan: bool,
    check: bool,
) -> int:
    who = session.who(run.by, notes_guess=plan)
    with session.trackers() as trackers:
        found = preview(session.workspace, trackers, options, by=who, requests=plan)
    allowed = allowance(option=run.allow_missing_tokens, writes=False)
    missed = not_checked(found.plan, allowed, delivered=False)
    code = sync_documents.preview_code(found, missed, check=check)
    if check and waiting:
        code = max(code, UNDECIDED)
    if run.as_json:
        document = sync_documents.preview_document(found, missed, waiting)
        output.document("sync-plan", code, **document)
    elif not sync_render.tell_none_changed(options, found):
        sync_render.tell_preview(session, found, missed, requests=plan)
        output.data(*map(pending_line, waiting))
    if check and not options.ids:
        tell_passed_over(session)
    report_preview(session, found, missed, check=check, code=code)
    return code


def _run_sync(session: Session, options: SyncOptions, run: _Options, pending: PendingItems) -> int:
    who, way = session.who(run.by), Way(run.way)
    listener = _Listener(session, asks=not run.yes and not run.as_json, silent=run.as_json)
    with session.trackers() as trackers:
        result, published = sync_and_publish(
            session.workspace,
            trackers,
            options,
            way,
            by=who,
            listener=listener,
            first=lambda options: _deliver_items(session, options, run, pending),
        )
    allowed = allowance(option=run.allow_missing_tokens, writes=True)
    missed = not_checked(result.plan, allowed, delivered=True)
    code = sync_documents.result_code(result, missed, published)
    code = max(code, tell_pending(pending, silent=run.as_json))
    report_result(session, result, missed, published, code=code)
    if run.as_json:
        document = sync_documents.result_document(result, missed, published)
        output.document("sync", code, **document, items=pending.entries)
    elif not sync_render.tell_none_changed(options, result):
        left = [one for one in pending.results if one.left]
        is_all_done = not (left or pending.skipped or pending.broken)
        sync_render.tell_result(session, result, missed, is_all_done=is_all_done)
    return code


class _Listener:
    """Shows the progress of a sync, and asks its questions."""

    def __init__(self, session: Session, *, asks: bool, silent: bool) -> None:
        self._session = session
        self._asks = asks and is_interactive()
        self._silent = silent

    @contextmanager
    def delivering(
        self, increments: Sequence[Increment], operations: int
    ) -> Iterator[Callable[[str, Delivery], None]]:
        if len(increments) == 1 and not self._silent:
            output.talk(f"{increments[0].id}: delivering {times(operations, 'operation')}")
        with show_deliveries(self._session, operations, silent=self._silent) as report:
            yield report

    def applied(self, plan: SyncPlan, moved: Sequence[Move], other_branch: str | None) -> None:
        if self._silent:
            return
        if other_branch is not None:
            place = sync_render.place_of(other_branch)
            output.talk(f"{place} only pending operations are delivered.")
        sync_render.tell_moves(moved)
        sync_render.tell_compared(plan, changes=other_branch is not None)

    def choose(self, one: Compared) -> Verdict | None:
        return _ask(one) if self._asks else None

    def published(self, result: PublishResult) -> None:
        """Show the commit, or the reason for none."""
        if isinstance(result, UnlatchError):
            self._session.trace(result)
            output.talk(*error_lines(result))
        elif result and not self._silent:
            names = ", ".join(result.increments) or "increments"
            line = f"committed and pushed to {result.remote} {result.branch}: {names}"
            output.ok(output.clean(line))
            if result.proposal:
                output.talk(f"Next: {output.clean(result.proposal)}")


def _ask(one: Compared) -> Verdict | None:
    item = one.seen.item
    if item is None or one.decision is None:
        return None
    output.talk(
        f"{output.warn('!')} {output.strong(one.increment.id)} is {one.increment.status}; "
        f"{output.clean(one.seen.name)} is {output.clean(item.state)}: {one.decision.why}"
    )
    push = "reopen" if local_side(one.increment.status) is Side.OPEN else "close"
    pulls = {Side.OPEN: "reopen", Side.DONE: "complete", Side.DROPPED: "abandon"}
    pull = pulls[remote_side(item.category)]
    try:
        answer = output.prompt(
            f"  i = {push} the item, t = {pull} the increment, l = leave both",
            choices=["i", "t", "l"],
            default="l",
            show_choices=False,
        )
    except output.Unanswered as end:
        raise KeyboardInterrupt from end  # earlier operations may have been delivered
    return {"i": Verdict.PUSH, "t": Verdict.PULL, "l": Verdict.DRIFT}[answer]
