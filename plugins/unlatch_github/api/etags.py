"""Answers about issues with their ETags, so that an unchanged issue costs no quota.

GitHub confirms each time that the issue is unchanged; the cache saves only the transfer.
https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unlatch.transport import Cache
from unlatch.values import dataclass
from unlatch_github.api.models import KEPT, assignees_in, kept_parts

if TYPE_CHECKING:
    from pathlib import Path

# With the version of the kept fields.
_NAME = "issue-5"
_MOST = 1_000
# Without bodies, which may be confidential; of these only the check boxes of unlatch's sections.
_KEPT = (
    "number",
    "html_url",
    "title",
    "state",
    "state_reason",
    "type",
    "updated_at",
    "created_at",
    "closed_at",
    "pull_request",
    "locked",
)


@dataclass(frozen=True, slots=True)
class CachedIssue:
    """GitHub's answer with this `etag`."""

    etag: str
    issue: dict[str, Any]


class Etags:
    """One file for each address."""

    def __init__(self, folder: Path) -> None:
        self._cache = Cache(folder / "issues", most=_MOST)

    def of(self, url: str) -> CachedIssue | None:
        """The cached answer for an address."""
        kept = self._cache.get(_NAME, url)
        return CachedIssue(*kept) if kept else None

    def keep(self, url: str, etag: str, issue: dict[str, Any]) -> None:
        """Replace the cached answer."""
        self._cache.put(_NAME, url, value=[etag, _slim(issue)])


def _slim(issue: dict[str, Any]) -> dict[str, Any]:
    milestone, closer = issue.get("milestone"), issue.get("closed_by")
    kept = kept_parts(issue.get("body") or "")
    return {
        **{key: issue[key] for key in _KEPT if key in issue},
        KEPT: {part.increment: [[c.text, c.done] for c in part.checks] for part in kept},
        "labels": [{"name": label["name"]} for label in issue.get("labels") or ()],
        "assignees": [{"login": login} for login in assignees_in(issue)],
        "closed_by": closer and {"login": closer["login"]},
        "milestone": milestone and {key: milestone[key] for key in ("number", "title", "state")},
    }
