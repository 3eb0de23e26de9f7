"""What trackers are asked besides their items: what would be sent, and what a credential may do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Access:
    """What a credential may do in one place.

    Args:
        target: the place ("octo/widgets").
        rights: by what it is about ("read", "reopen", "comment", "label", "create"): whether it is
            allowed, or None where that cannot be found out without writing.
        hint: what to grant, and where, for what is not allowed.
    """

    target: str
    rights: Mapping[str, bool | None]
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class Remark:
    """Something that a look at a tracker showed: a mapped state that is not there, for one.

    Args:
        id: stable kebab-case name.
        message: what is wrong, in one sentence.
        where: the setting or item that it is about.
        hint: the next thing to do.
        is_error: whether it will keep a command from doing its work.
    """

    id: str
    message: str
    where: str | None = None
    hint: str | None = None
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class Examination:
    """What a tracker says about a credential and about the configuration.

    Args:
        login: as whom comments are posted, as the tracker shows it to people; None if unknown.
        places: what the credential may do, by configured place.
        remarks: what else a person should know.
    """

    login: str | None
    places: tuple[Access, ...] = ()
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True, slots=True)
class PlannedRequest:
    """A request that a change would send.

    Args:
        method: the HTTP method.
        url: where it would go, in full, without its query.
        what: what it is for, in a few words ("set state to open", "add label reopened").
    """

    method: str
    url: str
    what: str
