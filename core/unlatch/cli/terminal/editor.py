"""The user's editor."""

from __future__ import annotations

import os
import shlex

import click

from unlatch.cli.terminal.line_editor import data_apart
from unlatch.errors import UsageError
from unlatch.worklog.programs import find_program


def user_editor() -> str | None:
    """The command of VISUAL or EDITOR, with the program's absolute path."""
    try:
        command = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "")
    except ValueError:  # an open quote
        return None
    program = find_program(command[0]) if command else None
    return shlex.join([program, *command[1:]]) if program else None


def require_editor(hint: str) -> str:
    """The same; UsageError `editor-missing` if there is none."""
    if editor := user_editor():
        return editor
    raise UsageError("editor-missing", "VISUAL and EDITOR name no installed program", hint=hint)


def edit(text: str, editor: str, *, hint: str, extension: str = ".md") -> str | None:
    """The text after editing; None if it was not saved. UsageError `editor-failed`."""
    try:
        with data_apart():
            return click.edit(text, editor=editor, extension=extension)
    except click.ClickException as error:
        message = f"the editor failed: {error.format_message()}"
        raise UsageError("editor-failed", message, hint=hint) from error
    except UnicodeDecodeError as error:
        message = (
            f"the edited text is not UTF-8: byte {error.start} is {error.object[error.start]:#x}"
        )
        raise UsageError("editor-failed", message, hint=hint) from error
