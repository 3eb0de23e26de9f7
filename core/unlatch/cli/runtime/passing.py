"""The context of a command that click runs, and its plan if it is saved or compared."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unlatch.cli.runtime.context import Context, Globals
from unlatch.cli.terminal import output
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from unlatch.increments.model.increment import Increment
    from unlatch.lifecycle.planned.saved import SavedPlan
    from unlatch.spi.item import RemoteItem

_PLANNING = f"{__name__}.planning"
# The parameter of `--plan-out`, which every command has that can be in a plan.
PLAN_OUT = "plan_out"
# What the reason is read from, once `settle_reason` has it.
REASON_SOURCES = ("file", "edit")


def with_context(function: Callable[..., Any]) -> Callable[..., Any]:
    """Pass the context to a command's function as its first argument."""

    @click.pass_context
    def run(ctx: click.Context, /, *args: Any, **kwargs: Any) -> Any:
        return function(context_of(ctx), *args, **kwargs)

    return run


def context_of(ctx: click.Context) -> Context:
    """The context of a command, the same one for its arguments and its function."""
    # While a shell completes a command line, the function that makes the options has not run.
    options = ctx.obj or Globals(root=_folder(ctx.find_root().params.get("root")))
    context: Context = ctx.meta.setdefault(__name__, Context(options))
    return context


def use_context(ctx: click.Context, context: Context) -> None:
    """Give a command this context."""
    ctx.meta[__name__] = context


def _folder(given: str | None) -> Path | None:
    return None if given is None else Path(given)


@dataclass(slots=True)
class Planning:
    """A command whose dry run is kept.

    Args:
        file: where the plan is saved (`--plan-out`); None where it is compared.
        silent: whether the document is kept without being printed.
        typed: the parameters of the command as they were typed.
        plan: what the dry run showed.
    """

    file: Path | None = None
    silent: bool = False
    typed: dict[str, Any] | None = None
    plan: SavedPlan | None = None


def planning_of(ctx: click.Context) -> Planning | None:
    """The planning of a command, if its dry run is kept."""
    return ctx.meta.get(_PLANNING)


def begin_planning(ctx: click.Context, planning: Planning) -> None:
    ctx.meta[_PLANNING] = planning


def settle_reason(ctx: click.Context, reason: str | None) -> None:
    """Keep the text of a reason in place of the file, pipe or editor that it came from."""
    if (planning := planning_of(ctx)) and planning.typed is not None and reason is not None:
        for source in REASON_SOURCES:
            planning.typed.pop(source, None)
        planning.typed["texts"] = (reason,)


def show_plan(
    context: Context,
    name: str,
    code: int,
    parts: output.Json,
    *,
    as_json: bool,
    about: Iterable[Increment] = (),
    read: Iterable[RemoteItem | None] = (),
) -> bool:
    """Keep the document of a dry run for a plan, and print it where it is for a program.

    Args:
        parts: those of the document.
        about: the increments that the dry run is about.
        read: the items that it read.

    Returns:
        Whether it was for a program; people are shown the same as text.

    Raises:
        UsageError: the plan cannot be saved; nothing was printed.
    """
    ctx = click.get_current_context()
    if planning := planning_of(ctx):
        from unlatch.cli.runtime.plan_making import make_plan, save_plan  # noqa: PLC0415  (rarely needed)

        document = output.whole_document(name, code, **parts)
        planning.plan = make_plan(
            ctx,
            context,
            document,
            of_command=context_of(ctx),
            typed=planning.typed or {},
            about=about,
            read=read,
        )
        if planning.file is not None:
            save_plan(ctx, planning.plan, planning.file)
    if as_json and not (planning and planning.silent):
        output.document(name, code, **parts)
    return as_json
