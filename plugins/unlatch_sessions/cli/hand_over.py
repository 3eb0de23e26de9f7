"""Hand a session's context to an agent's program."""

from __future__ import annotations

import shlex
import subprocess
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING

from unlatch.cli.runtime.failure import UNDELIVERED
from unlatch.errors import UnlatchError, UsageError
from unlatch.project.program_environment import program_environment, secret_variables
from unlatch.worklog.disk.user_files import state_folder
from unlatch.worklog.search_path import find_program
from unlatch_sessions.continuing.message import context_message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.cli.runtime.context import Context
    from unlatch_sessions.session_model import Session


class HandOverFailed(UnlatchError):
    """The session was resumed, but the program could not be started."""

    exit_code = UNDELIVERED


_PLACE = "{}"


def program_of(context: Context, command: str) -> list[str]:
    """The argument list of a command as it was typed, with the program's absolute path.

    Raises:
        UsageError: `exec-invalid`.
    """
    hint = "give the program and its arguments, as in --exec 'claude -p'"
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError("exec-invalid", f"--exec cannot be read: {error}", hint=hint) from None
    program = find_program(words[0], apart=context.paths.root) if words else None
    if program is None:
        message = f"--exec names no program on your PATH: {command!r}"
        raise UsageError("exec-invalid", message, hint=hint)
    return [program, *words[1:]]


def hand_over(
    context: Context, argv: Sequence[str], session: Session, past: str, *, passed: Sequence[str]
) -> int:
    """Run the program with the context as its standard input; returns its exit code.

    It gets the user's environment without the trackers' tokens, except those `passed`. An argument
    `{}` becomes the path of a file with the same text, which only the user can read.
    """
    workspace = context.workspace
    environ = program_environment(
        workspace.environ, secrets=secret_variables(workspace.registry), passed=passed
    )
    folder = state_folder(context.paths.root)
    with NamedTemporaryFile("w+", dir=folder, prefix="context-", suffix=".md") as file:
        file.write(context_message(session.id, past))
        file.flush()
        file.seek(0)
        words = [word.replace(_PLACE, str(Path(file.name))) for word in argv]
        try:
            process = subprocess.Popen(words, stdin=file, cwd=context.paths.root, env=environ)  # noqa: S603
        except OSError as error:
            message = f"{words[0]} cannot be started: {error.strerror}"
            hint = f"the session is active; unlatch session pause {shlex.quote(session.id)}"
            raise HandOverFailed("exec-failed", message, hint=hint) from error
        while True:
            with suppress(
                KeyboardInterrupt
            ):  # the program got the interrupt too, and decides how it ends
                return process.wait()
