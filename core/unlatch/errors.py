"""The error tree.

Every error that a user may see has a stable kebab-case id, says what happened and where, and what
to do next. Subclasses differ by what the caller does about them, never by who raised them.
"""

from __future__ import annotations

from typing import Any


class UnlatchError(Exception):
    """Something that a user has to know.

    Args:
        id: stable kebab-case name; documented, so that it can be searched for.
        message: what happened, in one sentence.
        where: the file, item or host that it happened to.
        hint: the next thing to do, a command where there is one.
    """

    exit_code = 1
    # Each of several things that are wrong, where there are several.
    problems: tuple[str, ...] = ()

    def __init__(
        self, id: str, message: str, *, where: str | None = None, hint: str | None = None
    ) -> None:
        super().__init__(message)
        self.id = id
        self.message = message
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.id}: {self.message}" + (f" ({self.where})" if self.where else "")


def unexpected(error: Exception) -> UnlatchError:
    """Return an error as ours: unchanged if it is, else with the error as its cause."""
    if isinstance(error, UnlatchError):
        return error
    told = UnlatchError(
        "unexpected",
        f"{type(error).__name__}: {error}",
        hint="run it again with --debug before the command's name, and report what it shows",
    )
    told.__cause__ = error
    return told


class UsageError(UnlatchError):
    """The command cannot be carried out as it was typed; nothing was changed."""

    exit_code = 2


class MistakesError(UsageError):
    """What was given has mistakes; `problems` lists each with its place. Nothing was changed."""

    def __init__(
        self,
        id: str,
        problems: tuple[str, ...],
        *,
        message: str,
        where: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(id, message, where=where, hint=hint)
        self.problems = problems


class StoreError(UnlatchError):
    """An increment or its files refuse what was asked; nothing was changed."""


class WorkOpen(StoreError):
    """An increment cannot be completed yet; `problems` lists what is open."""

    def __init__(
        self, problems: tuple[str, ...], message: str, *, where: str, hint: str | None = None
    ) -> None:
        super().__init__("work-open", message, where=where, hint=hint)
        self.problems = problems


class ProposalError(UnlatchError):
    """Proposed tasks cannot be had or used; nothing was changed.

    Args:
        problems: every mistake in them, each with its place.
    """

    def __init__(
        self,
        id: str,
        message: str,
        *,
        where: str | None = None,
        hint: str | None = None,
        problems: tuple[str, ...] = (),
    ) -> None:
        super().__init__(id, message, where=where, hint=hint)
        self.problems = problems


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
        )
        self.problems = problems


class TrackerError(UnlatchError):
    """A tracker did not do what was asked.

    What delivery does about it follows from the class alone, never from the id.

    Args:
        status: the HTTP status that it answered with, if it answered.
    """

    # What had been done when it was raised, if a write was under way: an `spi.Outcome`.
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
    ) -> None:
        super().__init__(id, message, where=where, hint=hint)
        self.status = status


class Transient(TrackerError):
    """The tracker did not take the request; the same one may succeed later.

    Args:
        retry_after: seconds that the tracker asked to wait, or None if it named none.
    """

    def __init__(
        self,
        id: str,
        message: str,
        *,
        retry_after: float | None = None,
        where: str | None = None,
        hint: str | None = None,
        status: int | None = None,
    ) -> None:
        super().__init__(id, message, where=where, hint=hint, status=status)
        self.retry_after = retry_after


class Limited(Transient):
    """The tracker refused for a time, as its documentation says of this answer (a rate limit)."""


class Unreachable(Transient):
    """Nothing reached the tracker: no network, an unknown host, a refused connection."""


class Unauthorised(TrackerError):
    """The credential is missing, expired, or not accepted."""


class CredentialMissing(Unauthorised):
    """There is no credential for the tracker; nothing was sent."""


class Forbidden(Unauthorised):
    """The credential is accepted, and its account may not do this."""


class NotFound(TrackerError):
    """The item is gone, or hidden from this credential."""


class Moved(NotFound):
    """The item lies elsewhere by now; nothing was written.

    Args:
        to: its web address there.
    """

    def __init__(
        self,
        id: str,
        message: str,
        *,
        to: str,
        where: str | None = None,
        hint: str | None = None,
        status: int | None = None,
    ) -> None:
        super().__init__(id, message, where=where, hint=hint, status=status)
        self.to = to


class Conflict(TrackerError):
    """Somebody else changed the item in between: read it again and plan again."""


class Redirected(Conflict):
    """A write was answered with a redirect; nothing was taken. Reading tells where the item is."""


class Rejected(TrackerError):
    """The tracker understood and refused; the same request would be refused again."""


class UnknownOutcome(TrackerError):
    """A write was sent and no trustworthy answer came: it may have taken effect or not."""
