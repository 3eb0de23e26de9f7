"""unlatch resume: resume increments with their items."""

from typing import Any

import click

from unlatch.cli.commands.work.resume_options import ResumeOptions
from unlatch.cli.options.common import MainCommand
from unlatch.cli.options.increments import increment_argument, increment_ids, pick_increment
from unlatch.cli.options.kinds import INCREMENT, take_kinds
from unlatch.cli.options.resume import resuming
from unlatch.cli.options.scope import take_scoping
from unlatch.cli.runtime.context import Context
from unlatch.cli.runtime.increments import Named
from unlatch.cli.runtime.passing import with_context
from unlatch.cli.runtime.references import Reference, read_reference, run_instead
from unlatch.cli.table import Entry

_EXAMPLE = "unlatch resume 7 --reason 'Still fails'"


def command(entry: Entry) -> click.Command:
    @click.command(entry.name, cls=MainCommand, help=entry.own_help, example=_EXAMPLE)
    @increment_argument("ids", metavar="ID...", callback=_meant, nargs=-1)
    @resuming
    @click.option("--planned", hidden=True, help="Refuse any change but that of this dry run.")
    @click.option(
        "--source", hidden=True, help="The comment that the words of the reason are from."
    )
    @with_context
    def run(context: Context, *, ids: Named | Reference, **options: Any) -> int:
        if isinstance(ids, Reference):
            return run_instead(ids, "resume", without=("yes",))
        return resume(context, ids, **options)

    return run


def _meant(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> Named | Reference:
    reference = read_reference(value[0]) if len(value) == 1 else None
    return reference or increment_ids(ctx, param, value)


def resume(
    context: Context,
    ids: Named,
    *,
    expressions: tuple[str, ...],
    max_items: int | None,
    **options: Any,
) -> int:
    """Resume the increments with these names, or those that the expressions select."""
    if not (ids.names or expressions) and (picked := pick_increment(click.get_current_context())):
        ids = Named((picked,))
    if bool(ids.names) is bool(expressions):
        raise click.UsageError("pass either IDs or --all-matching EXPR")
    scoping, kinds = take_scoping(options), take_kinds(options)
    typed = ResumeOptions(scoping=scoping, kinds=kinds, **options)
    if INCREMENT not in kinds:
        return _resume_others(context, ids, typed)
    if ids.names and not ids.is_many:
        from unlatch.cli.commands.work.resume_one import resume_one  # noqa: PLC0415

        with context.trackers() as trackers:
            return resume_one(context, trackers, ids.names[0], typed, max_items=max_items)
    from unlatch.cli.commands.work.resume_many import resume_selected  # noqa: PLC0415

    if typed.scoping is not None or typed.current:
        raise click.UsageError("--current and options that change the work take one increment")
    return resume_selected(context, typed, ids.names, expressions, max_items=max_items)


def _resume_others(context: Context, ids: Named, typed: ResumeOptions) -> int:
    if len(ids.names) != 1 or typed.scoping is not None:
        raise click.UsageError("without the increment itself, name one, and no change of its work")
    from unlatch.cli.commands.work.other_work import resume_only_others  # noqa: PLC0415

    return resume_only_others(context, ids.names[0], typed)
