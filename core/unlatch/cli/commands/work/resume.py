"""unlatch resume and reopen: resume increments with their items; reopen also takes items alone."""

from typing import TYPE_CHECKING, Any

import click

from unlatch.cli.commands.work.resume_options import ResumeOptions
from unlatch.cli.options.delivery import DRY_RUN, FORCE, OFFLINE, YES, serving
from unlatch.cli.options.items import ITEM_ONLY, MAX_ITEMS
from unlatch.cli.options.reason import reason_option
from unlatch.cli.options.scope import scoping, take_scoping
from unlatch.cli.runtime.session import (
    BY,
    JSON,
    Session,
    flag,
    increment_ids,
    is_item,
    with_session,
)
from unlatch.cli.table import Entry
from unlatch.spi.operation import Kind

if TYPE_CHECKING:
    from collections.abc import Callable


def command(entry: Entry) -> click.Command:
    takes_items = entry.name == "reopen"
    metavar, check = ("ID|ITEM...", None) if takes_items else ("ID...", increment_ids)
    item_only: Callable[[Any], Any] = ITEM_ONLY if takes_items else lambda function: function

    @click.command(entry.name, help=entry.own_help)
    @click.argument("ids", metavar=metavar, callback=check, nargs=-1)
    @click.option(
        "--all-matching",
        "expressions",
        metavar="EXPR",
        multiple=True,
        help="Select increments matching EXPR (status=completed, title~words); repeat to combine.",
    )
    @MAX_ITEMS
    @reason_option("Record this reason, and post it on each item.")
    @BY
    @YES
    @OFFLINE
    @DRY_RUN
    @flag(
        "--reopen-items",
        help="Also reopen the closed items of an increment that was not completed.",
    )
    @scoping
    @click.option(
        "--category", metavar="WORD", help="Category of the reason, as configured in [reopen]."
    )
    @FORCE
    @item_only
    @serving(Kind.REOPEN)
    @JSON
    @with_session
    def run(session: Session, *, ids: tuple[str, ...], **options: Any) -> int:
        if any(map(is_item, ids)) and takes_items:
            from unlatch.cli.commands.items.reopen import reopen_items  # noqa: PLC0415

            def resume(increment: str) -> int:
                return _resume(session, ids=(increment,), **_without(options, "item_only"))

            return reopen_items(session, ids, options, resume)
        increment_ids(click.get_current_context(), run.params[0], ids)
        if options.get("item_only"):
            raise click.UsageError("--item-only goes with an item's address or name")
        return _resume(session, ids=ids, **_without(options, "item_only"))

    return run


def _without(options: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in options.items() if key != name}


def _resume(
    session: Session,
    *,
    ids: tuple[str, ...],
    expressions: tuple[str, ...],
    max_items: int | None,
    **options: Any,
) -> int:
    if bool(ids) is bool(expressions):
        raise click.UsageError("pass either IDs or --all-matching EXPR")
    typed = ResumeOptions(scoping=take_scoping(options), **options)
    if len(ids) == 1:
        from unlatch.cli.commands.work.resume_one import resume_one  # noqa: PLC0415

        return resume_one(session, ids[0], typed)
    from unlatch.cli.commands.work.resume_many import resume_selected  # noqa: PLC0415

    if typed.scoping is not None:
        raise click.UsageError("options that change the work take one increment")
    return resume_selected(session, typed, ids, expressions, max_items=max_items)
