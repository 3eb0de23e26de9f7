"""unlatch resume: resume increments, and reopen their items."""

from typing import Any

import click

from unlatch.cli.commands.work.resume_options import ResumeOptions
from unlatch.cli.options.delivery import DRY_RUN, FORCE, OFFLINE, YES, serving
from unlatch.cli.options.reason import reason_option
from unlatch.cli.options.scope import scoping, take_scoping
from unlatch.cli.runtime.session import BY, JSON, Session, flag, increment_ids, with_session
from unlatch.cli.table import Entry
from unlatch.spi.operation import Kind


def command(entry: Entry) -> click.Command:
    @click.command(entry.name, help=entry.own_help)
    @click.argument("ids", metavar="ID...", callback=increment_ids, nargs=-1)
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
    @serving(Kind.REOPEN)
    @JSON
    @with_session
    def run(session: Session, **options: Any) -> int:
        return _resume(session, **options)

    return run


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
