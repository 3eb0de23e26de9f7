"""How help looks: wrapped at words, and with the options of the main case first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterable

# Looks like a hyphen, and textwrap breaks no line at it.
_UNBROKEN = "\u2011"
_MAIN = "Options"
_GROUPS = {
    "Items": (
        *("--item-only", "--comment-anyway", "--even-if-not-planned", "--reopen-items"),
        *("--follow", "--no-notify"),
    ),
    "Several at once": ("--all-matching", "--max-items", "--max-time"),
    "Scope": (
        *("--update-scope", "--scope", "--tasks-file", "--update-description"),
        *("--task", "--story", "--criterion"),
    ),
    "Rules and records": ("--category", "--force", "--current", "--by", "--key"),
    "Other work": ("--only", "--without"),
    "Output": ("--verbose", "--json"),
}
_HEADINGS = {name: heading for heading, names in _GROUPS.items() for name in names}


class HelpFormatter(click.HelpFormatter):
    """click's, which would also break lines within the name of an option."""

    def write_text(self, text: str) -> None:
        super().write_text(text.replace("-", _UNBROKEN))

    def write_dl(
        self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2
    ) -> None:
        unbroken = [(names, text.replace("-", _UNBROKEN)) for names, text in rows]
        super().write_dl(unbroken, col_max, col_spacing)

    def getvalue(self) -> str:
        return super().getvalue().replace(_UNBROKEN, "-")


def write_grouped(command: click.Command, ctx: click.Context, to: click.HelpFormatter) -> None:
    """Write the options under headings, those of the main case first."""
    from unlatch.project.registry import Registry  # noqa: PLC0415  (the first help has no groups)

    offering = Registry().offering.items()
    titles = {f"--{name}": its[0].title for name, its in offering if len(its) == 1}
    sections: dict[str, list[tuple[str, str]]] = {
        heading: [] for heading in (_MAIN, "Items", *titles.values(), *_GROUPS)
    }
    for option in command.get_params(ctx):
        if isinstance(option, click.Option) and (record := option.get_help_record(ctx)):
            headings = (_HEADINGS.get(name) or titles.get(name) for name in option.opts)
            sections[next(filter(None, headings), _MAIN)].append(record)
    for heading, rows in sections.items():
        if rows:
            with to.section(heading):
                to.write_dl(rows)
