"""The user's editor."""

from __future__ import annotations

import os
import shlex
from contextlib import suppress

import click

from unlatch.cli.terminal.line_editor import data_apart
from unlatch.errors import UsageError
from unlatch.worklog.programs import find_program


def user_editor() -> str | None:
    """The command of VISUAL, else EDITOR, with the program's absolute path."""
    with suppress(UsageError):
        return require_editor("")
    return None


def require_editor(otherwise: str) -> str:
    """The same; UsageError `editor-missing` if it is not set, or names no program."""
    name = "VISUAL" if os.environ.get("VISUAL") else "EDITOR"
    hint = f"set {name}, or {otherwise}"
    try:
        command = shlex.split(os.environ.get(name, ""))
    except ValueError as error:
        message = f"{name} is no command: {str(error).lower()}"
        raise UsageError("editor-missing", message, hint=hint) from error
    if not command:
        raise UsageError("editor-missing", "VISUAL and EDITOR are not set", hint=hint)
    if program := find_program(command[0]):
        return shlex.join([program, *command[1:]])
    message = f"{name} names no installed program: {command[0]}"
    raise UsageError("editor-missing", message, hint=hint)


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
