"""Answers about a tracker besides its items: planned requests, and the rights of a credential."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Access:
    """The rights of a credential in one place."""

    target: str  # "octo/widgets"
    # Whether "read", "reopen", "comment", "label" or "create" is allowed; None if that cannot be
    # determined without writing.
    rights: Mapping[str, bool | None]
    hint: str | None = None  # how to grant the missing rights


@dataclass(frozen=True, slots=True)
class Remark:
    """A problem found on a tracker, such as a mapped state that does not exist.

    Its parts are those of an `UnlatchError`; `is_error` tells whether commands will fail.
    """

    id: str
    message: str
    where: str | None = None
    hint: str | None = None
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Examination:
    """The result of checking a credential and the configuration against a tracker."""

    login: str | None  # the author of comments as the tracker shows it; None if unknown
    places: tuple[Access, ...] = ()
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True, slots=True)
class PlannedRequest:
    """A request that a change would send."""

    method: str
    url: str  # without a query
    what: str  # its purpose ("set state to open", "add label reopened")
