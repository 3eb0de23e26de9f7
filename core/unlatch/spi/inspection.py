"""Answers about a tracker besides its items: planned requests, and the rights of a credential."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Access:
    """The rights of a credential in one place.

    Args:
        target: the place ("octo/widgets").
        rights: whether an action ("read", "reopen", "comment", "label", "create") is allowed; None
            if that cannot be determined without writing.
        hint: how to grant the missing rights.
    """

    target: str
    rights: Mapping[str, bool | None]
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class Remark:
    """A problem found on a tracker, such as a mapped state that does not exist.

    Args:
        id: stable kebab-case name.
        message: the problem, in one sentence.
        where: the setting or item concerned.
        hint: the next step.
        is_error: whether commands will fail because of it.
    """

    id: str
    message: str
    where: str | None = None
    hint: str | None = None
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Examination:
    """The result of checking a credential and the configuration against a tracker.

    Args:
        login: the author of comments as the tracker shows it; None if unknown.
        places: the rights of the credential, by configured place.
        remarks: problems.
    """

    login: str | None
    places: tuple[Access, ...] = ()
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True, slots=True)
class PlannedRequest:
    """A request that a change would send.

    Args:
        method: the HTTP method.
        url: the full address without its query.
        what: its purpose in a few words ("set state to open", "add label reopened").
    """

    method: str
    url: str
    what: str
