"""Decide who may use a command on an item.

The rights are those of the person who asks, never those of the account that unlatch uses. What a
tracker does not tell counts as missing.
"""

from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Literal

from unlatch.spi.history import Asker, Closer, LastClose, Role
from unlatch.values import dataclass
from unlatch_ci.comments.command import Command, Verb

# "Close with comment" posts first and closes then, and trackers round times.
_CLOSED_WITH_COMMENT = timedelta(minutes=1)


class Refusal(StrEnum):
    """Why a command is refused."""

    NO_ROLE = "no-role"
    CLOSED_BY_ANOTHER = "closed-by-another"
    DROPPED = "dropped"
    LOCKED = "locked"
    NOT_REQUESTER = "not-requester"
    TOO_LATE = "too-late"
    # As `unlatch.spi.history.Obstacle`.
    MERGED = "merged"
    BRANCH_DELETED = "branch-deleted"


_STAFF = frozenset({Role.TRIAGE, Role.WRITE})
_ALL = frozenset(Role)
# No person decided on these closes, so authors and assignees may reopen the item.
_NOT_A_DECISION = frozenset({Closer.BOT, Closer.WORKFLOW, Closer.CHANGE, Closer.UNLATCH})


@dataclass(frozen=True, slots=True)
class Policy:
    """The settings of a repository.

    Args:
        allow: roles, and groups of people as `team:NAME`.
        spread: whether those who only have a right to the item reopen its increment, too.
        share_text: whether the words of a comment are recorded and posted with an increment.
        mentions: whether names and links in comments of unlatch take effect.
        labels: those that unlatch sets by default, casefolded; empty if others are configured.
        days: after a close, in which authors and assignees may ask; 0 for no limit.
        follow_up: what a comment without a command does, by the item's author.
    """

    allow: frozenset[str] = _ALL
    spread: bool = False
    share_text: bool = False
    mentions: bool = False
    labels: frozenset[str] = frozenset()
    days: int = 0
    follow_up: Literal["ignore", "label", "reopen"] = "ignore"


def refusal(
    command: Command,
    asker: Asker,
    close: LastClose,
    policy: Policy,
    *,
    written: datetime,
    reopened_for: str | None = None,
) -> Refusal | None:
    """The reason to refuse the command on this item; None to carry it out.

    Args:
        written: the time of the command.
        reopened_for: the account that asked for the last reopen; only an undo needs it.
    """
    if command.verb is Verb.UNDO:
        may = reopened_for == asker.account or _is_staff(asker, policy)
        return None if may else Refusal.NOT_REQUESTER
    if not _may_overrule(asker, policy) and not asker.roles & policy.allow:
        return Refusal.NO_ROLE
    if command.verb is not Verb.REOPEN:
        return None
    refused = _refused_reopen(command, asker, close, policy)
    is_late = refused is None and _is_late(written, close, policy)
    return Refusal.TOO_LATE if is_late and not _may_overrule(asker, policy) else refused


def _is_late(written: datetime, close: LastClose, policy: Policy) -> bool:
    if not policy.days:
        return False
    # The closing note names a day.
    last = close.at and (close.at + timedelta(days=policy.days)).astimezone(UTC).date()
    return last is None or written.astimezone(UTC).date() > last


def _refused_reopen(
    command: Command, asker: Asker, close: LastClose, policy: Policy
) -> Refusal | None:
    insists = command.even_if_not_planned and _is_staff(asker, policy)
    if close.locked is not False and not insists:
        return Refusal.LOCKED
    if close.closer in _NOT_A_DECISION or _is_own(close, asker):
        return None
    if close.dropped is not False and not insists:
        return Refusal.DROPPED
    return None if _may_overrule(asker, policy) else Refusal.CLOSED_BY_ANOTHER


def changes_increment(asker: Asker, policy: Policy) -> bool:
    """Whether a reopen reaches the increment with all its items.

    Args:
        asker: with the roles in the repository that holds the increment.
    """
    return _is_staff(asker, policy) or policy.spread


def completes_increment(asker: Asker, policy: Policy) -> bool:
    """Whether a close may complete the increment; `asker` as for `changes_increment`."""
    return Role.WRITE in asker.roles and Role.WRITE in policy.allow


def came_with_close(asker: Asker, written: datetime, close: LastClose) -> bool:
    """Whether a comment was written with the close ("Close with comment"), and so is no command.

    Its event may arrive when the item is closed already.
    """
    if close.at is None or not _is_own(close, asker):
        return False
    return abs(written - close.at) <= _CLOSED_WITH_COMMENT


def _is_staff(asker: Asker, policy: Policy) -> bool:
    return bool(asker.roles & _STAFF & policy.allow)


def _may_overrule(asker: Asker, policy: Policy) -> bool:
    """Whether the account may reopen what another person closed."""
    return _is_staff(asker, policy) or not asker.teams.isdisjoint(policy.allow)


def _is_own(close: LastClose, asker: Asker) -> bool:
    return close.closer is Closer.PERSON and close.by == asker.account
