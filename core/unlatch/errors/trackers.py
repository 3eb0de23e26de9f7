"""The errors of requests to trackers: a class for each reaction of delivery."""

from __future__ import annotations

from typing import Any

from unlatch.errors import UnlatchError


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
    # Whether no request was sent, because nothing more is sent to this tracker for now: an earlier
    # request failed for this cause, or the command's time is over. It says nothing about the item.
    withheld: bool = False

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
