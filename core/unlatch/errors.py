"""The error tree.

Every error that a user may see has a stable kebab-case id, a message, a place and a next step.
Subclasses differ by the caller's reaction, never by the part of the program that raises them.
"""

from __future__ import annotations

from typing import Any


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
        super().__init__(message)
        self.id, self.message, self.where, self.hint = id, message, where, hint
        self.problems = problems

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


class TrackerError(UnlatchError):
    """A tracker did not carry out a request; delivery reacts to the class alone, never to the id.

    Args:
        status: the HTTP status of the answer, if there was one.
        retry_after: seconds to wait before the next request, if the tracker named them.
        to: the item's new web address, if it was moved.
    """

    # The parts that were done when it was raised, if a write was under way: an `spi.Outcome`.
    done: Any = None
    # The option of `unlatch sync` with which another attempt can succeed ("--follow").
    remedy: str | None = None

    def __init__(
        self,
        id: str,
        message: str,
        *,
        where: str | None = None,
        hint: str | None = None,
        status: int | None = None,
        retry_after: float | None = None,
        to: str = "",
    ) -> None:
        super().__init__(id, message, where=where, hint=hint)
        self.status, self.retry_after, self.to = status, retry_after, to


class Transient(TrackerError):
    """The tracker did not take the request; the same one may succeed after `retry_after`."""


class Limited(Transient):
    """The tracker refused for a time, as its documentation says of this answer (a rate limit)."""


class Unreachable(Transient):
    """Nothing reached the tracker: no network, an unknown host, a refused connection."""


class Unauthorised(TrackerError):
    """The credential is missing, expired, or not accepted."""


class CredentialMissing(Unauthorised):
    """There is no credential for the tracker; nothing was sent."""


class SignOnRequired(Unauthorised):
    """One organization does not accept the credential without single sign-on; others may."""


class Forbidden(Unauthorised):
    """The credential is accepted, and its account may not do this."""


class NotFound(TrackerError):
    """The item is gone, or hidden from this credential."""


class Moved(NotFound):
    """The item was moved to the address `to`; nothing was written."""


class Conflict(TrackerError):
    """The item changed in between: read it again and plan again."""


class Redirected(Conflict):
    """The answer to a write was a redirect: nothing was taken, and a read finds the item."""


class Rejected(TrackerError):
    """The tracker understood and refused; the same request would be refused again."""


class UnknownOutcome(TrackerError):
    """A write was sent and no trustworthy answer came: it may have taken effect or not."""


class ModelError(UnlatchError):
    """A chat model gave no answer that can be used; sending the request again would not help.

    Args:
        status: the HTTP status of the answer, or the one that an error in the answer names.
        retry_after: seconds to wait before the next request, if the server named them.
        text: the beginning of the answer, if it was cut off.
    """

    def __init__(
        self,
        id: str,
        message: str,
        *,
        where: str | None = None,
        hint: str | None = None,
        status: int | None = None,
        retry_after: float | None = None,
        text: str = "",
    ) -> None:
        super().__init__(id, message, where=where, hint=hint)
        self.status, self.retry_after, self.text = status, retry_after, text


class ModelUnavailable(ModelError):
    """The model's server did not answer the request; the same one may succeed later."""


class ModelUnauthorised(ModelError):
    """The key for a chat model is missing, or its server does not accept it."""

    exit_code = 4
