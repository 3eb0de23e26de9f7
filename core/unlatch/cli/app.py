"""The command group; it loads a command when it is run."""

from __future__ import annotations

from contextlib import suppress
from math import isfinite
from typing import TYPE_CHECKING, Any

import click

from unlatch import __version__
from unlatch.cli.runtime.groups import Group, load_command
from unlatch.cli.table import COMMANDS, FRONT, MORE, find_entry, front_line, outside_names
from unlatch.errors import PluginBroken, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from click.shell_completion import CompletionItem


class App(Group):
    """All commands, and one group for each installed tracker."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*COMMANDS, *outside_names(), *_trackers()]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        try:
            if entry := find_entry(name):
                return load_command(entry)
            if name in _trackers():
                from unlatch.cli.commands.trackers.tracker import tracker_group  # noqa: PLC0415

                return tracker_group(name)
        except PluginBroken:
            if not ctx.resilient_parsing:  # an error would break the line that is being typed
                raise
        return None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if ctx.resilient_parsing:  # a shell completes the arguments of an alias
            from unlatch.cli.runtime.aliases import without_alias  # noqa: PLC0415

            with suppress(UsageError):
                args = without_alias(args, self)
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        from unlatch.cli.runtime.aliases import complete_alias  # noqa: PLC0415

        return [*super().shell_complete(ctx, incomplete), *complete_alias(ctx, self, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the most used commands, from the table alone."""
        for section, names in FRONT.items():
            with formatter.section(section):
                formatter.write_dl([(name, front_line(name)) for name in names])
        formatter.write("\n")
        formatter.write_text(f"More: unlatch help TOPIC, of {', '.join(MORE)}")


def _formatter(*, width: int | None, max_width: int | None) -> click.HelpFormatter:
    from unlatch.cli.terminal.help_layout import HelpFormatter  # noqa: PLC0415  (for help alone)

    return HelpFormatter(width=width, max_width=max_width)


# Of all commands; click asks a class of contexts for it, and commands make theirs themselves.
click.Context.formatter_class = staticmethod(_formatter)  # type: ignore[assignment]


def _trackers() -> Iterable[str]:
    from unlatch.worklog.entry_points import PLUGINS, entry_points  # noqa: PLC0415  (slow to load)

    return entry_points(PLUGINS)


def _finite(ctx: click.Context, option: click.Parameter, value: float) -> float:
    # As options.number.Number, which would be another module to load.
    if not isfinite(value):
        raise click.BadParameter(f"{value!r} is not a number.", ctx, option)
    return value


@click.group(
    cls=App,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    help="Reopen finished work everywhere at once: the increment, its GitHub issue, its Azure "
    "DevOps work item and its Jira issue.",
)
@click.option(
    "--root",
    type=click.Path(exists=True, file_okay=False),
    help="Use this project folder; by default the nearest one above the current folder.",
)
@click.option("--debug", is_flag=True, help="Show a traceback when something fails.")
@click.option(
    "--max-wait",
    type=click.FloatRange(min=0),
    callback=_finite,
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="Maximum total time to wait for rate limits, in seconds.",
)
@click.option(
    "--trace-http",
    type=click.Path(dir_okay=False),
    help="Write all requests and responses to this file, without secrets.",
)
@click.option(
    "--no-pager", is_flag=True, help="Do not show long output in a pager (UNLATCH_PAGER, PAGER)."
)
@click.version_option(__version__, "--version", message="unlatch %(version)s")
@click.pass_context
def app(ctx: click.Context, /, *, root: str | None, trace_http: str | None, **options: Any) -> None:
    """Keep the options for the command."""
    from pathlib import Path  # noqa: PLC0415  (--help does without)

    from unlatch.cli.runtime.context import Globals  # noqa: PLC0415  (as above)

    ctx.obj = Globals(
        root=Path(root) if root else None,
        trace_http=Path(trace_http) if trace_http else None,
        **options,
    )
