"""The CI system that runs a command: a package knows it, which only a command in a job loads.

The package registers functions by entry points of the group `unlatch.ci`: `is_fork`, `error`,
`preview` and `result` for a job, and `publisher` for a sync that publishes.
"""

from __future__ import annotations

import io
import os
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unlatch.cli.terminal import output
from unlatch.errors import PluginBroken, UnlatchError, UsageError, unexpected
from unlatch.worklog.text.neutral import visible, without_passwords

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


_GROUP = "unlatch.ci"
# The variables of GitHub Actions, Azure Pipelines and GitLab CI.
SIGNS = ("GITHUB_ACTIONS", "TF_BUILD", "GITLAB_CI")


def in_job(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether a CI system runs this process."""
    return any(environ.get(sign, "").casefold() == "true" for sign in SIGNS)


def part(name: str, *, of: str = _GROUP) -> Any:
    """A function that a package brings.

    Args:
        of: the group of entry points; by default that for CI systems.

    Raises:
        PluginBroken: `plugin-broken`: the package cannot be loaded.
    """
    from unlatch.worklog.entry_points import entry_points  # noqa: PLC0415  (slow to load)

    target = entry_points(of)[name]
    module, _, attribute = target.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except Exception as error:
        message = f"'{name}' of {of} cannot be loaded: {error}"
        raise PluginBroken("plugin-broken", message, where=target) from error


DECLINED = 2
UNDELIVERED = 3
# A person must decide about an item, or something could not be checked.
UNDECIDED = 5
UNAUTHORISED = 4
INTERRUPTED = 130


# With these a command says that it changed nothing.
_UNCHANGED = (1, DECLINED, UNAUTHORISED)


def code_of_many(codes: Iterable[int], *, changed: bool) -> int:
    """The exit code of a command on several increments, from the codes of each.

    Pending operations outweigh refusals. If some increments were changed, or would be in a dry run,
    a refusal of others is left to a person.
    """
    exit_codes = [*codes]
    code = UNDELIVERED if UNDELIVERED in exit_codes else max(exit_codes, default=0)
    return UNDECIDED if changed and code in _UNCHANGED else code


def exit_code_of(error: UnlatchError) -> int:
    """The exit code of a command that an error ended."""
    from unlatch.errors import Unauthorised  # noqa: PLC0415  (loaded at its first use)

    # Commands that recorded a change first do not get here: the delivery has the error.
    return UNAUTHORISED if isinstance(error, Unauthorised) else error.exit_code


def tell_end(error: Exception | KeyboardInterrupt, arguments: list[str]) -> int:
    """Show the error or the interruption that ended a command; return the exit code."""
    if isinstance(error, KeyboardInterrupt | click.Abort):
        return _tell_interrupt(error)
    if isinstance(error, click.ClickException):
        return _tell_usage(error, arguments)
    if isinstance(error, UnlatchError):
        return _tell(error, arguments)
    return _tell_unexpected(error, arguments)


def _tell_unexpected(error: Exception, arguments: list[str]) -> int:
    # click writes --help and --version itself.
    if isinstance(error, OSError) and output.is_stdout_lost():
        return 0
    if isinstance(error, FileNotFoundError) and not _has_folder():
        hint = "change to a folder that exists"
        message = "the current folder was removed"
        return _tell(UnlatchError("no-folder", message, hint=hint), arguments)
    return _tell(unexpected(error), arguments)


def _has_folder() -> bool:
    try:
        Path.cwd()
    except FileNotFoundError:
        return False
    return True


def _tell_interrupt(stop: BaseException) -> int:
    from unlatch.cli.terminal import prompts  # noqa: PLC0415

    # Commands prompt before they change anything; sync does not, and raises another interruption.
    is_early = isinstance(stop, prompts.Unanswered)
    left = (
        "Nothing was changed." if is_early else "Recorded changes are kept; see `unlatch status`."
    )
    # click ends the line of an interruption that it turns into Abort.
    line_end = () if type(stop) is click.Abort else ("",)
    output.talk(*line_end, f"Interrupted. {left}")
    return INTERRUPTED


def _tell_usage(error: click.ClickException, arguments: list[str]) -> int:
    from unlatch.cli.runtime.suggest import is_misplaced, suggestion  # noqa: PLC0415

    meant = suggestion(error, arguments)
    if isinstance(error, click.NoSuchOption):
        # click names similar options; the suggested command has the most similar one.
        error.possibilities = None  # type: ignore[misc]  # final, but the error ends here
        if is_misplaced(error):
            error.message += " It goes before the command."  # type: ignore[misc]  # as above
    if "--json" in arguments:
        hint = meant or f"{_path(error)} --help"
        return _tell(UsageError("usage", error.format_message(), hint=hint), arguments)
    # A message quotes user input, so only click's own line breaks count. Help quotes none.
    if not isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.message = visible(error.message)  # type: ignore[misc]  # as above
    buffer = io.StringIO()
    error.show(buffer)
    output.talk(*buffer.getvalue().removesuffix("\n").split("\n"))
    if meant:
        output.talk(f"  next: {meant}")
    if not isinstance(error, click.exceptions.NoArgsIsHelpError):
        _annotate(UsageError("usage", visible(error.format_message()), hint=meant))
    return error.exit_code


def _path(error: click.ClickException) -> str:
    ctx = error.ctx if isinstance(error, click.UsageError) else None
    return ctx.command_path if ctx else "unlatch"


def _tell(error: UnlatchError, arguments: list[str]) -> int:
    from unlatch.cli.runtime.suggest import suggestion  # noqa: PLC0415

    error.hint = error.hint or suggestion(error, arguments)
    return tell(error, arguments)


def tell(error: UnlatchError, arguments: list[str]) -> int:
    """Show an error, as a document with `--json`; return the exit code."""
    code = exit_code_of(error)
    _mask_passwords(error)
    if "--debug" in arguments:
        output.traceback(error)
    if "--json" in arguments:
        output.document("error", code, error=error_entry(error))
    output.talk(*error_lines(error))
    _annotate(error)
    return code


def _mask_passwords(error: UnlatchError) -> None:
    mask = without_passwords
    error.message, error.problems = mask(error.message), tuple(map(mask, error.problems))
    error.where, error.hint = error.where and mask(error.where), error.hint and mask(error.hint)


def _annotate(error: UnlatchError) -> None:
    """Show the error beside the job, where a CI system runs this."""
    if in_job():
        with suppress(UnlatchError):  # of the package; this error is shown
            part("error")(error)


def error_entry(error: UnlatchError) -> output.Json:
    """An error that ended a command."""
    return output.fields(error, "id", "message", "where", "hint", "problems")


def problem_entry(error: UnlatchError) -> output.Json:
    """The error of one item."""
    problems = f": {'; '.join(error.problems)}" if error.problems else ""
    return {"id": error.id, "message": f"{error.message}{problems}", "hint": error.hint}


def error_lines(error: UnlatchError) -> list[str]:
    """An error for people: id, message, place, and next step."""
    lines = [
        f"error[{error.id}]: {error.message}",
        *(f"  - {problem}" for problem in error.problems),
    ]
    if error.where:
        lines.append(f"  at: {error.where}")
    if error.hint:
        lines.append(f"  next: {error.hint}")
    return lines
