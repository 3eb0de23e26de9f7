"""Check a token's permissions in each configured repository, without a write.

Every answer has the scopes of a classic token, and a repository's answer the role of the account.
The permissions of a fine-grained token or an app show only in a refusal, so they stay unknown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unlatch.errors import TrackerError, Transient
from unlatch.spi import Access, Examination, Remark
from unlatch.values import dataclass
from unlatch_github.api.moved import renamed
from unlatch_github.bulk_status import read_statuses

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from unlatch.spi import ItemRef
    from unlatch_github.api.client import Client
    from unlatch_github.api.models import Identity
    from unlatch_github.settings import GithubSettings

_WRITES = ("reopen", "comment", "label", "create")
_UNKNOWN: dict[str, bool | None] = dict.fromkeys(_WRITES)
_NONE: dict[str, bool | None] = dict.fromkeys(_WRITES, False)
_FINE_GRAINED = "a fine-grained token needs Issues: read and write"
_ACTIONS = "a job in GitHub Actions needs permissions: issues: write"


def examine(client: Client, settings: GithubSettings, refs: Sequence[ItemRef]) -> Examination:
    """Check the token's permissions, and list linked issues that cannot be read.

    Raises:
        Unauthorised: GitHub does not accept the token.
        Transient: GitHub cannot be asked now.
    """
    who = client.identity()
    places = tuple(_access(client, target, who, settings.target) for target in settings.targets)
    return Examination(who.login, places, tuple(_remarks(client, settings, refs)))


@dataclass(frozen=True, slots=True)
class _Place:
    """A repository as the token sees it."""

    name: str
    is_private: bool
    is_archived: bool
    has_issues: bool
    may_triage: bool


def _access(client: Client, target: str, who: Identity, new_items: str | None) -> Access:
    try:
        place = _place(target, client.repository(target))
        if place.is_private and place.has_issues:
            client.list_one(target)
    except Transient:
        raise
    except TrackerError as error:
        hint = "; ".join(filter(None, [error.message, error.hint]))
        return Access(target, {"read": False, **_NONE}, hint)
    rights, advice = _writes(place, who)
    if target == new_items and place.name.casefold() != target.casefold():
        # GitHub redirects no POST.
        rights = {**rights, "create": False}
        advice = "; ".join(filter(None, [renamed(target, place.name).hint, advice]))
    return Access(target, {"read": True, **rights}, advice)


def _place(target: str, answer: dict[str, Any]) -> _Place:
    role = answer.get("permissions") or {}
    return _Place(
        name=str(answer.get("full_name") or target),
        is_private=bool(answer.get("private")),
        is_archived=bool(answer.get("archived")),
        has_issues=bool(answer.get("has_issues", True)),
        may_triage=any(role.get(name) for name in ("triage", "push", "maintain", "admin")),
    )


def _writes(place: _Place, who: Identity) -> tuple[dict[str, bool | None], str | None]:
    """The allowed writes, and the permission to grant for the others."""
    if place.is_archived:
        return _NONE, "the repository is archived: unarchive it first"
    if not place.has_issues:
        return _NONE, "issues are switched off: switch them on in the repository's settings"
    if who.is_app:
        return _UNKNOWN, _ACTIONS
    if who.scopes is not None and not _covers(who.scopes, place):
        needed = "the scope repo" if place.is_private else "the scope public_repo"
        return _NONE, f"the token needs {needed}"
    granted = None if who.scopes is None else True
    if not place.may_triage:
        hint = f"the account needs the role Triage or more in {place.name}"
        return {"reopen": False, "comment": granted, "label": False, "create": granted}, hint
    return dict.fromkeys(_WRITES, granted), None if granted else _FINE_GRAINED


def _covers(scopes: frozenset[str], place: _Place) -> bool:
    return "repo" in scopes or ("public_repo" in scopes and not place.is_private)


def _remarks(client: Client, settings: GithubSettings, refs: Sequence[ItemRef]) -> Iterator[Remark]:
    for ref, answer in read_statuses(client, refs).items():
        if isinstance(answer, TrackerError):
            yield Remark(
                answer.id, answer.message, where=settings.name(ref), hint=answer.hint, is_error=True
            )
