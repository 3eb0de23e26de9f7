"""The options that many commands have, and the kinds of options."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unlatch.cli.runtime.passing import (
    PLAN_OUT,
    REASON_SOURCES,
    Planning,
    begin_planning,
    planning_of,
    with_context,
)
from unlatch.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class MainCommand(click.Command):
    """A command whose help begins with an example, and groups the options.

    Args:
        example: the command line of the main case.
    """

    def __init__(self, *args: Any, example: str, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self._example = example

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the example, and the options under headings."""
        from unlatch.cli.terminal.help_layout import write_grouped  # noqa: PLC0415  (for help alone)

        with formatter.section("Example"):
            formatter.write(f"  {self._example}\n")
        write_grouped(self, ctx, formatter)


def _filled(ctx: click.Context, option: click.Parameter, value: Any) -> Any:
    """The value of a filter; UsageError `filter-invalid` if it is empty.

    It may come from a variable that a script did not set, and would select everything.
    """
    given = value if isinstance(value, tuple) else () if value is None else (value,)
    if not all(text.strip(" ,") for text in given) and not ctx.resilient_parsing:
        message = f"{option.opts[0]} is empty"
        hint = f"give {option.opts[0]} a value, or leave it out"
        raise UsageError("filter-invalid", message, hint=hint)
    return value


def without_placeholder(ctx: click.Context, parameter: click.Parameter, value: Any) -> Any:
    """The value of a text that is recorded or posted; UsageError `placeholder`."""
    given = value if isinstance(value, tuple) else () if value is None else (value,)
    if given and not ctx.resilient_parsing:
        from unlatch.increments.model.reason import refuse_placeholder  # noqa: PLC0415  (rarely needed)

        is_option = isinstance(parameter, click.Option)
        for text in given:
            refuse_placeholder(text, parameter.opts[0] if is_option else f"the {parameter.name}")
    return value


flag = partial(click.option, is_flag=True)
filter_option = partial(click.option, callback=_filled)
text_option = partial(click.option, callback=without_placeholder)
text_argument = partial(click.argument, callback=without_placeholder)


def together(*options: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Options that are added to a command as one, in this order."""

    def add(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return add


BY = text_option(
    "--by",
    metavar="NAME",
    help="Record this name in the history; by default your name in CI or git.",
)
JSON = flag("--json", "as_json", help="Print one JSON document.")
# The function gets the context as its first argument.
with_json = together(JSON, with_context)
PASS_ENV = click.option(
    "--pass-env",
    multiple=True,
    metavar="NAME",
    help="Pass this variable to programs although it holds a tracker's token.",
)


def complete_tracker(_ctx: click.Context, _param: click.Parameter, begun: str) -> list[str]:
    """The installed trackers whose names begin so."""
    from unlatch.worklog.entry_points import PLUGINS, entry_points  # noqa: PLC0415

    return [name for name in entry_points(PLUGINS) if name.startswith(begun)]


# The types of what was typed; click has a value of its own for the rest.
_TYPED = (str, bool, tuple, list)


class _PlanOut(click.Option):
    """The option `--plan-out`, which also keeps what was typed."""

    def handle_parse_result(
        self, ctx: click.Context, opts: Mapping[str, Any], args: list[str]
    ) -> tuple[Any, list[str]]:
        file, args = super().handle_parse_result(ctx, opts, args)
        if isinstance(file, Path):  # else it is not given
            begin_planning(ctx, Planning(file))
        if planning := planning_of(ctx):
            from unlatch.cli.runtime.plan_making import check_options  # noqa: PLC0415  (slow to load)

            planning.typed = {
                key: value for key, value in opts.items() if isinstance(value, _TYPED)
            }
            check_options(ctx, planning.typed, of_reason=REASON_SOURCES)
        return file, args


def _is_dry(ctx: click.Context, _option: click.Parameter, value: bool) -> bool:
    return value or planning_of(ctx) is not None


def dry_run_option(help: str) -> Callable[[Any], Any]:
    """Give a command --dry-run, and the option that saves it."""
    plan_out = click.option(
        "--plan-out",
        PLAN_OUT,
        cls=_PlanOut,
        # It is known before the other options are read.
        is_eager=True,
        expose_value=False,
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Save the dry run to FILE, which must not exist, for unlatch apply.",
    )
    return together(flag("--dry-run", callback=_is_dry, help=help), plan_out)
