"""The error tree.

Every error that a user may see has a stable kebab-case id, a message, a place and a next step.
Subclasses differ by the caller's reaction, never by the part of the program that raises them.

All can be imported from here. Those of trackers and chat models are loaded at their first use: most
commands send no request.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from unlatch.errors.known_secrets import without_known_secrets

if TYPE_CHECKING:
    from unlatch.errors.models import ModelError as ModelError
    from unlatch.errors.models import ModelUnauthorised as ModelUnauthorised
    from unlatch.errors.models import ModelUnavailable as ModelUnavailable
    from unlatch.errors.trackers import Conflict as Conflict
    from unlatch.errors.trackers import CredentialMissing as CredentialMissing
    from unlatch.errors.trackers import Forbidden as Forbidden
    from unlatch.errors.trackers import Limited as Limited
    from unlatch.errors.trackers import Moved as Moved
    from unlatch.errors.trackers import NotFound as NotFound
    from unlatch.errors.trackers import Redirected as Redirected
    from unlatch.errors.trackers import Rejected as Rejected
    from unlatch.errors.trackers import SignOnRequired as SignOnRequired
    from unlatch.errors.trackers import TrackerError as TrackerError
    from unlatch.errors.trackers import Transient as Transient
    from unlatch.errors.trackers import Unauthorised as Unauthorised
    from unlatch.errors.trackers import UnknownOutcome as UnknownOutcome
    from unlatch.errors.trackers import Unreachable as Unreachable

if not TYPE_CHECKING:  # type checkers would accept every misspelt name

    def __getattr__(name: str) -> Any:
        """Load an error of a tracker or a chat model."""
        part = "models" if name.startswith("Model") else "trackers"
        loaded = globals()[name] = getattr(import_module(f"{__name__}.{part}"), name)
        return loaded


class UnlatchError(Exception):
    """An error for the user.

    Args:
        id: stable kebab-case name; documented, so that it can be searched for.
        message: the problem, in one sentence.
        where: the file, item or host with the problem.
        hint: the next thing to do, a command where there is one.
        problems: each problem with its place, where there are several.
    """

    exit_code = 1

    def __init__(
        self,
        id: str,
        message: str,
        *,
        where: str | None = None,
        hint: str | None = None,
        problems: tuple[str, ...] = (),
    ) -> None:
        mask = without_known_secrets
        self.message = mask(str(message))  # a plugin may pass an exception
        super().__init__(self.message)
        self.id, self.where, self.hint = mask(id), where and mask(where), hint and mask(hint)
        self.problems = tuple(map(mask, problems))

    def __str__(self) -> str:
        return f"{self.id}: {self.message}" + (f" ({self.where})" if self.where else "")


def unexpected(error: Exception) -> UnlatchError:
    """Return an error as ours: unchanged if it is, else with the error as its cause."""
    if isinstance(error, UnlatchError):
        return error
    wrapped = UnlatchError(
        "unexpected",
        f"{type(error).__name__}: {error}",
        hint="run it again with --debug before the command's name, and report the output",
    )
    wrapped.__cause__ = error
    return wrapped


class UsageError(UnlatchError):
    """The command cannot be carried out as it was typed; nothing was changed."""

    exit_code = 2


class MistakesError(UsageError):
    """The input has mistakes, listed in `problems`; nothing was changed."""


class PluginBroken(UnlatchError):
    """The code of a plugin failed, or does not fit the interface; the plugin is at fault."""


class StoreError(UnlatchError):
    """An increment or its files do not allow the change; nothing was changed."""


class HostNotBound(UnlatchError):
    """The user has to say which tracker a trusted host belongs to; nothing was changed."""

    exit_code = 4


class ConsentMissing(UnlatchError):
    """The user has to agree to something first; nothing was changed."""

    exit_code = 5


class PlanOutdated(StoreError):
    """Something changed since the user agreed to a plan, or could not be checked."""

    exit_code = 5


class WorkOpen(StoreError):
    """An increment cannot be completed yet; `problems` lists the open work."""


class ProposalError(UnlatchError):
    """Proposed tasks are missing or unusable; nothing was changed."""


class NotDurable(StoreError):
    """A change is in its file, and the disk did not confirm it: a power cut may still lose it."""

    exit_code = 3


class ConfigError(UnlatchError):
    """The configuration is wrong; `problems` lists every mistake, each with its place."""

    def __init__(
        self,
        problems: tuple[str, ...],
        *,
        where: str,
        hint: str | None = None,
        id: str | None = None,
    ) -> None:
        count = "1 mistake" if len(problems) == 1 else f"{len(problems)} mistakes"
        super().__init__(
            "config-invalid" if id is None else id,
            f"the configuration has {count}",
            where=where,
            hint=hint,
            problems=problems,
        )
