"""The user's editor."""

from __future__ import annotations

import os
import shlex

import click

from unlatch.errors import UsageError
from unlatch.worklog.programs import find_program


def user_editor() -> str | None:
    """The command of VISUAL or EDITOR, with the program's absolute path."""
    command = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "")
    program = find_program(command[0]) if command else None
    return shlex.join([program, *command[1:]]) if program else None


def edit(text: str, editor: str, *, hint: str) -> str | None:
    """The text after editing; None if it was not saved. UsageError `editor-failed`."""
    try:
        return click.edit(text, editor=editor, extension=".md")
    except click.ClickException as error:
        message = f"the editor failed: {error.format_message()}"
        raise UsageError("editor-failed", message, hint=hint) from error
