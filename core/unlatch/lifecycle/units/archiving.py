"""Archive a completed unit with its tool's own program, for `complete --archive`."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from unlatch.errors import StoreError, UsageError
from unlatch.increments.files.work.files import files_of
from unlatch.project.program_environment import program_environment, secret_variables
from unlatch.worklog.programs import run
from unlatch.worklog.search_path import find_program
from unlatch.worklog.text.neutral import without_controls

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.increments.model.increment import Increment
    from unlatch.project.workspace import Workspace

# Seconds; it rewrites a few Markdown files.
_PATIENCE = 120.0
_MOST_BYTES = 1_000_000
_MOST_SAID = 500


class NotArchived(StoreError):
    """The increment is completed, and its tool did not archive it."""

    exit_code = 5


def archive_command(increment: Increment) -> Sequence[str]:
    """The command of the tool that archives a unit; empty if it has none."""
    return files_of(increment).layout.archive_command(increment.unit) if increment.unit else ()


def check_archive(workspace: Workspace, increment: Increment) -> None:
    """Check that a unit can be archived before anything is changed.

    Raises:
        UsageError: `archive-unsupported` or `archive-program-missing`.
    """
    _find(workspace, increment)


def _find(workspace: Workspace, increment: Increment) -> list[str]:
    command = archive_command(increment)
    without = f"unlatch complete {shlex.quote(increment.id)}"
    if not command:
        raise UsageError(
            "archive-unsupported",
            f"no tool archives {increment.id}",
            where=increment.id,
            hint=without,
        )
    program = find_program(command[0], apart=workspace.paths.root)
    if program is None:
        raise UsageError(
            "archive-program-missing",
            f"the program {command[0]} is not on the PATH",
            where=increment.id,
            hint=f"install it, or leave --archive out: {without}",
        )
    return [program, *command[1:]]


def archive_unit(workspace: Workspace, increment: Increment) -> None:
    """Run the tool's program that archives a unit, without a shell and without tracker tokens.

    Raises:
        UsageError: `archive-unsupported` or `archive-program-missing`.
        NotArchived: `archive-failed`.
    """
    argv = _find(workspace, increment)
    secrets = secret_variables(workspace.registry)
    environ = program_environment(workspace.environ, secrets=secrets)
    command = shlex.join(archive_command(increment))
    try:
        root = workspace.paths.root
        done = run(argv, cwd=root, environ=environ, seconds=_PATIENCE, most=_MOST_BYTES)
    except OSError as error:
        raise _failed(increment, f"`{command}` could not be run: {error}", command) from error
    if done.code:
        said = without_controls((done.err or done.out).decode("utf-8", "replace"))
        why = " ".join(said.split())[-_MOST_SAID:]
        raise _failed(increment, f"`{command}` ended with exit code {done.code}: {why}", command)


def _failed(increment: Increment, message: str, command: str) -> NotArchived:
    return NotArchived("archive-failed", message, where=increment.id, hint=command)
