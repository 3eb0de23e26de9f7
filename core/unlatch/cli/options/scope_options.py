"""The options for changes of an increment's work."""

import re
from pathlib import Path
from typing import Any

import click

from unlatch.cli.options.common import flag, text_option, together
from unlatch.errors import UsageError
from unlatch.patterns import pattern
from unlatch.values import dataclass

# `take_scoping` reads them.
scoping = together(
    flag("--update-scope", help="Reopen with new scope: describe the change and add tasks."),
    text_option("--scope", metavar="TEXT", help="Describe the change; implies --update-scope."),
    click.option(
        "--tasks-file",
        metavar="FILE",
        type=click.Path(exists=True, dir_okay=False),
        help="New tasks: JSON, or one title a line; implies --update-scope.",
    ),
    flag("--update-description", help="Also list the new tasks in items that you linked."),
    text_option(
        "--task",
        "tasks",
        metavar="ID|TITLE",
        multiple=True,
        help="Reopen this task, by its id; with --update-scope, the title of a new one.",
    ),
    click.option(
        "--story",
        "stories",
        metavar="ID",
        multiple=True,
        help="Reopen this user story; with --update-scope, the one that new tasks belong to.",
    ),
    click.option(
        "--criterion",
        "criteria",
        metavar="ID",
        multiple=True,
        help="Reopen this acceptance criterion; with --update-scope, a criterion of the new tasks.",
    ),
)
_TASK_ID = pattern(
    r"T-?(?:US-?[0-9]+[A-Za-z]?-)?[0-9]+[A-Za-z]?(?:-\w+)*", re.IGNORECASE | re.ASCII
)


@dataclass(frozen=True, slots=True)
class Scoping:
    """A change of the work, as it was typed.

    With `update` there is new work: the titles of new tasks, and the story and the criteria that
    they belong to. Without it the ids are of tasks, stories and criteria to be done again.
    """

    update: bool = False
    change: str | None = None
    tasks_file: Path | None = None
    tasks: tuple[str, ...] = ()
    stories: tuple[str, ...] = ()
    criteria: tuple[str, ...] = ()
    describe: bool = False


def take_scoping(options: dict[str, Any]) -> Scoping | None:
    """Take these options out of a command's; None if the work does not change."""
    change, file = options.pop("scope"), options.pop("tasks_file")
    update = options.pop("update_scope") or change is not None or file is not None
    tasks, stories, criteria = (options.pop(name) for name in ("tasks", "stories", "criteria"))
    describe = options.pop("update_description")
    if describe and not update:
        raise click.UsageError("--update-description goes with --scope or --tasks-file")
    if not (update or tasks or stories or criteria):
        return None
    if update:
        _check(tasks, stories)
    else:
        _check_ids(tasks)
    path = Path(file) if file else None
    return Scoping(update, change, path, tasks, stories, criteria, describe)


def _check_ids(tasks: tuple[str, ...]) -> None:
    for title in tasks:
        if len(title.split()) > 1:
            raise UsageError(
                "item-unknown",
                f"without --scope, --task takes the id of a task, not a title: {title}",
                hint="to add a new task, describe the change with --scope TEXT",
            )


def _check(tasks: tuple[str, ...], stories: tuple[str, ...]) -> None:
    for title in tasks:
        if _TASK_ID.fullmatch(title.strip()):
            raise UsageError(
                "task-is-id",
                f"with --update-scope, --task takes the title of a new task, not an id: {title}",
                hint="reopen that task in a separate command, without --update-scope, --scope and "
                "--tasks-file",
            )
    if len(stories) > 1:
        raise UsageError(
            "usage",
            "with --update-scope, --story can be given once: new tasks belong to one user story",
            hint="--tasks-file FILE, with JSON, can name one for each task",
        )
