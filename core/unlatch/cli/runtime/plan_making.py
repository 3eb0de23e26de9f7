"""New files at a place that the user names."""

from __future__ import annotations

import json
import os
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from unlatch.cli.terminal import output
from unlatch.errors import PlanOutdated, StoreError, UsageError
from unlatch.errors.known_secrets import remember_secrets
from unlatch.lifecycle.planned.comparison import is_unread, items_of
from unlatch.lifecycle.planned.saved import (
    PlannedCommand,
    SavedPlan,
    accounts_of,
    increment_basis,
    item_basis,
    plan_text,
    project_name,
)
from unlatch.lifecycle.resume_plan import NO_REASON
from unlatch.project.program_environment import secret_variables
from unlatch.worklog.times import stamp

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from unlatch.cli.runtime.context import Context
    from unlatch.increments.model.increment import Increment
    from unlatch.spi.item import RemoteItem


STDOUT = Path("-")

# The value is None for stdout.
OUTPUT = click.option(
    "--output",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    callback=lambda _ctx, _option, value: None if value == STDOUT else value,
    help="Write to this file, which must not exist; by default to stdout.",
)


def write_new(file: Path, text: str) -> None:
    """Write a file that only its owner can read; StoreError `not-writable` if it exists."""
    # A lone surrogate has no UTF-8 form.
    content = text.encode(errors="backslashreplace")
    try:
        private = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(private, "wb") as opened:
            opened.write(content)
    except OSError as error:
        message = f"cannot write {file}: {error.strerror}"
        raise StoreError("not-writable", message, hint="choose another file") from error


# The parameters that a plan can have, besides the options of trackers and the arguments. None reads
# a file, publishes, changes what is trusted, or starts a program, as new scope does for its tasks.
OPTIONS = frozenset(
    (
        *("texts", "by", "key", "comment", "add_labels", "remove_labels", "no_labels", "follow"),
        *("force", "offline", "max_items", "category", "current", "reopen_items", "item_only"),
        *("comment_anyway", "even_if_not_planned", "expressions", "only", "without", "item"),
        *(
            "tasks",
            "stories",
            "criteria",
            "creates",
            "per_story",
            "another",
            "everything",
            "changed_since",
            "retry_refused",
        ),
        "allow_missing_tokens",
    )
)
_OF_TRACKERS = "plugin_"
# What belongs to one run of a command.
_OF_RUN = frozenset(("dry_run", "plan", "plan_out", "yes", "as_json", "verbose", "max_time"))
_STDIN = "-"
_SELECTING = ("expressions", "everything", "changed_since")


def make_plan(
    ctx: click.Context,
    context: Context,
    document: output.Json,
    *,
    of_command: Context,
    typed: Mapping[str, Any],
    about: Iterable[Increment],
    read: Iterable[RemoteItem | None],
) -> SavedPlan:
    """The plan of the command that runs, from the document of its dry run.

    Args:
        context: that of the dry run; records of items have one of their own.

    Raises:
        UsageError: `plan-not-possible`.
        UnlatchError: `plan-not-checked`: an item could not be read; a tracker cannot be asked for
            the account.
    """
    items = items_of(document)
    if unread := next(filter(is_unread, items), None):
        message = f"{unread['url']} could not be read: {unread['error']['message']}"
        raise PlanOutdated("plan-not-checked", message, hint=unread["error"]["hint"])
    if "texts" not in typed and any(NO_REASON in (item["comment"] or "") for item in items):
        message = "the plan of a reopen needs a reason"
        raise UsageError("reason-missing", message, hint="add --reason TEXT")
    # Also those that this command has not used.
    secrets, environ = secret_variables(context.workspace.registry), context.workspace.environ
    remember_secrets(*(value for name, value in environ.items() if name in secrets))
    by = of_command.who(typed.get("by"), notes_guess=False)
    written = {item["tracker"] for item in items if item["requests"]}
    with context.trackers() as trackers:
        accounts = accounts_of(trackers, written)
    return SavedPlan(
        schema="unlatch.plan/1",
        made=stamp(context.workspace.clock()),
        by=by,
        project=project_name(of_command.paths.root) if of_command.has_project else "",
        accounts=accounts,
        command=command_of(ctx, typed, by=by),
        increments=[increment_basis(increment) for increment in about],
        items=[*{item.ref.url: item_basis(item) for item in read if item}.values()],
        # As in the file: names of states are texts, and tuples are lists.
        preview=json.loads(json.dumps(document)),
    )


def save_plan(ctx: click.Context, plan: SavedPlan, file: Path) -> None:
    """Write a plan to a new file, and show the command that applies it once the dry run is shown.

    Raises:
        UsageError: `secret-in-text` or `plan-too-long`.
        StoreError: `not-writable`.
    """
    write_new(file, plan_text(plan).decode())
    ctx.call_on_close(
        lambda: output.talk(f"The plan is in {file}. Next: unlatch apply {quote(str(file))}")
    )


def command_of(ctx: click.Context, typed: Mapping[str, Any], *, by: str) -> PlannedCommand:
    """The command as it was typed, for a plan; UsageError `plan-not-possible`."""
    options: dict[str, list[str]] = {}
    words: list[str] = []
    for parameter in ctx.command.params:
        name = parameter.name or ""
        value = (by,) if name == "by" else typed.get(name)
        if isinstance(parameter, click.Argument):
            words += (value,) if isinstance(value, str) else value or ()
        elif value not in (None, False, ()) and is_allowed(name):
            option = parameter.opts[0]
            is_flag = isinstance(parameter, click.Option) and parameter.is_flag
            values = value if isinstance(value, tuple | list) else (value,)
            options[option] = [] if is_flag else [*map(str, values)]
    if _STDIN in words:
        raise _impossible("a plan takes no list from stdin", "name the items in the command")
    if not words and ctx.info_name != "sync" and not any(map(typed.get, _SELECTING)):
        raise _impossible("a plan needs the ID in the command", "add the ID of an increment")
    name = " ".join(ctx.command_path.split()[1:])
    return PlannedCommand(name=name, options=options, words=words)


def check_options(
    ctx: click.Context, typed: Mapping[str, Any], *, of_reason: Collection[str]
) -> None:
    """Check that a plan can have the options that were typed; UsageError `plan-not-possible`.

    Args:
        of_reason: those that a reason is read from; the plan has its text.
    """
    options = [option for option in ctx.command.params if isinstance(option, click.Option)]
    has_reason = any(option.name == "texts" for option in options)
    others = _OF_RUN | frozenset(of_reason if has_reason else ())
    for option in options:
        name = option.name or ""
        if name in typed and not (name in others or is_allowed(name)):
            raise _impossible(
                f"{option.opts[0]} cannot be in a plan", f"leave out {option.opts[0]}"
            )


def is_allowed(name: str) -> bool:
    """Whether a parameter can be in a plan."""
    return name in OPTIONS or name.startswith(_OF_TRACKERS)


def _impossible(message: str, hint: str) -> UsageError:
    return UsageError("plan-not-possible", message, hint=hint)
