"""The CI system that runs a command: a package knows it, which only a command in a job loads.

The package registers functions by entry points of the group `unlatch.ci`: `is_fork`, `error`,
`preview` and `result` for a job, and `publisher` for a sync that publishes.
"""

from __future__ import annotations

import os
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

from unlatch.cli.terminal import output
from unlatch.errors import PluginBroken, UnlatchError
from unlatch.worklog.text.neutral import without_passwords

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
