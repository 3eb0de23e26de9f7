"""unlatch sync and ingest: sync with the trackers, all or after an event; deliver operations."""

from __future__ import annotations

import os
from dataclasses import fields, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import click

from unlatch.cli.commands.items.pending import (
    PendingItems,
    count_duplicates,
    find_pending,
    find_refused,
    retry_refused,
    sync_elsewhere,
    sync_items,
    tell_elsewhere,
    tell_none_pending,
    tell_pending,
)
from unlatch.cli.commands.items.render import tell_broken
from unlatch.cli.commands.trackers import sync_documents, sync_render
from unlatch.cli.commands.trackers.not_checked import (
    allowance,
    in_fork,
    is_allowed,
    not_checked,
    tell_left_out,
    tell_passed_over,
)
from unlatch.cli.commands.trackers.sync_listener import Listener
from unlatch.cli.options.common import BY, JSON, dry_run_option, flag, together
from unlatch.cli.options.delivery import YES, serving
from unlatch.cli.options.increments import increment_argument, increment_ids
from unlatch.cli.render import delivery_documents
from unlatch.cli.runtime.failure import UNDECIDED, in_job, part
from unlatch.cli.runtime.passing import show_plan, with_context
from unlatch.cli.terminal import output
from unlatch.spi.operation import Kind
from unlatch.sync.publishing import PublishResult, Way, sync_and_publish
from unlatch.sync.sync import SyncOptions, SyncPreview, SyncResult, preview
from unlatch.values import dataclass
from unlatch.worklog.disk.user_files import items_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from unlatch.cli.runtime.context import Context
    from unlatch.cli.runtime.increments import Named
    from unlatch.cli.table import Entry

_MAX_ITEMS = click.option(
    "--max-items",
    type=click.IntRange(min=1),
    help="Maximum number of items to change; by default as configured.",
)
_FORCE = flag("--force", help="Also complete increments with open tasks, and override limits.")
_RETRY_REFUSED = flag(
    "--retry-refused",
    help="Ask again for what trackers refused: labels and blocked operations.",
)
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


NOTHING_PENDING = PendingItems(), PendingItems()


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Options of the command rather than of the sync."""

    by: str | None
    way: str
    yes: bool
    allow_missing_tokens: bool
    as_json: bool


def sync_options(function: Callable[..., Any]) -> Any:
    def run(*args: Any, **typed: Any) -> Any:
        own = {field.name: typed.pop(field.name) for field in fields(RunOptions)}
        return function(*args, run=RunOptions(**own), **typed)

    options = (_MAX_ITEMS, _FORCE, _ALLOW_MISSING, _COMMIT, BY, YES, serving(*Kind), JSON)
    return together(*options)(run)


def command(entry: Entry) -> click.Command:
    @click.command(entry.name, help=entry.own_help)
    @increment_argument("ids", metavar="[ID...]", callback=increment_ids, nargs=-1)
    @flag("--all", "everything", help="Sync all increments (the default).")
    @click.option(
        "--changed-since", metavar="REF", help="Only sync increments that this branch changed."
    )
    @dry_run_option("Show the changes, and write nothing.")
    @flag("--check", help="Like --dry-run; exit with 5 if both sides differ.")
    @flag("--comments", help="First carry out the commands in new comments on items.")
    @_RETRY_REFUSED
    @sync_options
    @with_context
    def sync(
        context: Context,
        *,
        ids: Named,
        everything: bool,
        dry_run: bool,
        check: bool,
        comments: bool,
        run: RunOptions,
        **typed: Any,
    ) -> int:
        options = SyncOptions(ids=ids.names, **typed)
        if options.ids and everything:
            raise click.UsageError("name increments, or --all")
        is_all = not (options.ids or options.changed_since)
        if comments and (dry_run or check or not is_all):
            raise click.UsageError("--comments is for a sync of all increments that may write")
        if is_all and not (check or comments or context.has_project):
            return (_preview_items if dry_run else _sync_items)(context, options, run)
        context.workspace.check_config()
        if is_all and options.retry_refused and not (dry_run or check):
            retry_refused(context, by=context.who(run.by))
        pending = (
            find_pending(context, in_project=check, recent=True) if is_all else NOTHING_PENDING
        )
        if dry_run or check:
            return _preview(context, options, run, pending, plan=dry_run, check=check)
        looked = part("look_back")(context, run, options.max_items) if comments else None
        return run_sync(context, options, run, pending, looked)

    return sync


def _sync_items(context: Context, options: SyncOptions, run: RunOptions) -> int:
    """Sync outside of a project: deliver this user's pending operations on items."""
    if options.retry_refused:
        retry_refused(context, by=context.who(run.by))
    pending, silent = _find_of_user(context), run.as_json
    sync_items(context, pending, options, silent=silent)
    code = max(tell_pending(pending, silent=silent), tell_broken(pending.broken))
    if not silent:
        sync_render.tell_duplicates(pending.duplicates)
        if pending.is_done and not pending.results:
            tell_none_pending(context)
    if run.as_json:
        refused = find_refused(context)
        document = sync_documents.no_result(pending.broken, pending.duplicates, refused)
        parts = {**document, "items": pending.entries}
        retry = delivery_documents.retry_of_all(parts)
        is_left = code and retry["retry"] == "none"
        output.document("sync", code, **parts, **(delivery_documents.PERSON if is_left else retry))
    return code


def _preview_items(context: Context, options: SyncOptions, run: RunOptions) -> int:
    """Preview the same."""
    from unlatch.cli.commands.items.preview import (  # noqa: PLC0415  (slow to load)
        preview_items,
        tell_not_previewed,
    )

    pending = _find_of_user(context)
    items = preview_items(context, pending, options.delivery)
    duplicates = tuple(count_duplicates(context, pending))
    preview = SyncPreview(alone=tuple(items), broken=pending.broken, duplicates=duplicates)
    code = UNDECIDED if pending.broken or any(item.is_unread for item in items) else 0
    document = sync_documents.preview_document(preview, here=pending.records)
    read = [item.item for item in preview.previewed]
    if show_plan(context, "sync-plan", code, document, as_json=run.as_json, read=read):
        return code
    for group, _ in pending.found[:1]:
        preview = replace(preview, broken=())  # named below, with their folders
        own = context.over(group.workspace)
        sync_render.tell_preview(own, preview, (), (), requests=True)
    if pending.is_done:
        tell_none_pending(context)
    tell_not_previewed(pending, PendingItems(), items)
    tell_broken(pending.broken)
    return code


def _find_of_user(context: Context) -> PendingItems:
    pending, _ = find_pending(context, recent=True)
    if pending.is_done and not (pending.found or os.path.lexists(items_folder())):
        _ = context.paths  # raises `no-project`: nothing was ever recorded, so the folder is wrong
    return pending


def _preview(
    context: Context,
    options: SyncOptions,
    run: RunOptions,
    pending: tuple[PendingItems, PendingItems],
    *,
    plan: bool,
    check: bool,
) -> int:
    from unlatch.cli.commands.items.preview import (  # noqa: PLC0415  (as above)
        preview_items,
        tell_not_previewed,
    )

    who, (here, elsewhere) = context.who(run.by, notes_guess=plan), pending
    items = preview_items(context, here, options.delivery) if plan else []
    others = preview_items(context, elsewhere, options.delivery) if plan else []
    with context.trackers() as trackers:
        previewed = preview(
            context.workspace, trackers, options, by=who, requests=plan, alone=items
        )
    broken = (*previewed.broken, *here.broken)
    twice = count_duplicates(context, here, elsewhere)
    previewed = replace(previewed, alone=(*items, *others), broken=broken)
    previewed = replace(previewed, duplicates=(*previewed.duplicates, *twice))
    allowed = allowance(option=run.allow_missing_tokens, writes=False)
    missed = not_checked(previewed.plan, allowed, delivered=False)
    code = sync_documents.preview_code(previewed, missed, check=check)
    waiting = () if in_fork() else here.records
    unread = [item for item in items if item.is_unread and not is_allowed(item.error, allowed)]
    if (check and waiting) or unread:
        code = max(code, UNDECIDED)
    is_all = not (options.ids or options.changed_since)
    refused = find_refused(context, in_project=check) if is_all else []
    records = here.records, elsewhere.records
    document = sync_documents.preview_document(previewed, missed, *records, refused)
    read = [item.item for item in previewed.previewed] + [
        link.seen.item for link in previewed.plan.links
    ]
    about, as_json = previewed.chosen.increments, run.as_json
    is_shown = show_plan(
        context, "sync-plan", code, document, as_json=as_json, about=about, read=read
    )
    if not is_shown and not sync_render.tell_none_changed(context, options, previewed):
        is_all_done = here.is_done
        sync_render.tell_preview(
            context, previewed, missed, refused, requests=plan, is_all_done=is_all_done
        )
        tell_not_previewed(here, elsewhere, previewed.alone)
    tell_left_out(context, previewed.chosen)
    if check and not options.ids:
        tell_passed_over(context)
    if in_job():
        part("preview")(context, previewed, missed, waiting, check=check, code=code)
    return code


def run_sync(
    context: Context,
    options: SyncOptions,
    run: RunOptions,
    pending: tuple[PendingItems, PendingItems],
    looked: Sequence[Any] | None = None,
) -> int:
    """Sync, and tell the result; `looked` are those of the comments, if they were read."""
    (here, elsewhere), silent = pending, run.as_json
    who, way = cache(partial(context.who, run.by)), Way(run.way)
    if run.by:
        who()  # refuses a bad name before anything is written

    def deliver_items(options: SyncOptions) -> SyncOptions:
        """Deliver pending operations on items; the options for the increments that follow."""
        written = sync_items(context, here, options, silent=silent)
        sync_elsewhere(context, elsewhere, options, silent=silent)
        return replace(options, written=written)

    listener = Listener(context, yes=run.yes, silent=silent, alone=here.found)
    find_target = (
        partial(part("publisher"), context.workspace, way, by=who) if way is not Way.NONE else None
    )
    with context.trackers() as trackers:
        result, published = sync_and_publish(
            context.workspace,
            trackers,
            options,
            find_target,
            by=who,
            listener=listener,
            in_job=in_job(context.workspace.environ),
            first=deliver_items,
        )
    twice = (*result.duplicates, *here.duplicates, *elsewhere.duplicates)
    result = replace(result, broken=(*result.broken, *here.broken), duplicates=twice)
    return _tell_result(
        context, options, run, pending, result=result, published=published, looked=looked
    )


def _tell_result(
    context: Context,
    options: SyncOptions,
    run: RunOptions,
    pending: tuple[PendingItems, PendingItems],
    *,
    result: SyncResult,
    published: PublishResult,
    looked: Sequence[Any] | None,
) -> int:
    """Show and report the result of a sync; returns the exit code."""
    here, elsewhere = pending
    allowed = allowance(option=run.allow_missing_tokens, writes=True)
    missed = not_checked(result.plan, allowed, delivered=True)
    code = sync_documents.result_code(result, missed, published)
    codes: list[int] = [item.code for item in looked or ()]
    code = max(code, tell_pending(here, silent=run.as_json), *codes)
    tell_elsewhere(elsewhere)
    told = replace(result, delivered=(*result.delivered, *here.results))
    is_all = not (options.ids or options.changed_since or options.event)
    refused = find_refused(context) if is_all else []
    document = sync_documents.result_document(result, missed, published, refused)
    document["items"] = [*here.entries, *elsewhere.entries]
    if looked is not None:
        document["comments"] = [item.entry for item in looked]
    own = [*document["increments"], *here.entries]
    retry = sync_documents.retry_entry(result, published, own, code=code)
    if in_job():
        part("result")(context, told, missed, published, code=code, retry=retry)
    if run.as_json:
        output.document("sync", code, **document, **retry)
    elif not sync_render.tell_none_changed(context, options, result):
        is_all_done = here.is_done and elsewhere.is_done
        asked = {delivery.operation.key for each in here.results for delivery in each.deliveries}
        left = [pair for pair in refused if pair[1].refusal.key not in asked]
        sync_render.tell_result(context, result, missed, left, is_all_done=is_all_done)
    tell_left_out(context, result.chosen)
    return code
