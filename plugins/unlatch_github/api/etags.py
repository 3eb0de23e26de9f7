"""Answers about issues with their ETags, so that an unchanged issue costs no quota.

GitHub confirms each time that the issue is unchanged; the cache saves only the transfer.
https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unlatch.transport import read_cache, write_cache
from unlatch_github.api.models import assignees_in

_VERSION = 1
_MOST = 1_000
# Without bodies: they are not needed here, and may be confidential.
_KEPT = (
    "number",
    "html_url",
    "title",
    "state",
    "state_reason",
    "type",
    "updated_at",
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
        self._folder = folder / "issues"

    def of(self, url: str) -> CachedIssue | None:
        """The cached answer for an address."""
        with suppress(ValueError, KeyError, TypeError):
            raw = read_cache(self._path(url))
            if raw["version"] == _VERSION and raw["url"] == url and raw["sum"] == _sum(raw):
                return CachedIssue(str(raw["etag"]), dict(raw["issue"]))
        return None

    def keep(self, url: str, etag: str, issue: dict[str, Any]) -> None:
        """Replace the cached answer."""
        raw = {"version": _VERSION, "url": url, "etag": etag, "issue": _slim(issue)}
        raw["sum"] = _sum(raw)
        with suppress(OSError):
            self._folder.mkdir(mode=0o700, exist_ok=True)
            self._make_room()
        write_cache(self._path(url), raw)

    def _path(self, url: str) -> Path:
        return self._folder / f"{hashlib.sha256(url.encode()).hexdigest()[:40]}.json"

    def _make_room(self) -> None:
        with os.scandir(self._folder) as entries:
            files = [(entry.stat().st_mtime, entry.path) for entry in entries]
        for _, path in sorted(files)[: max(0, len(files) - _MOST + 1)]:
            Path(path).unlink(missing_ok=True)


def _slim(issue: dict[str, Any]) -> dict[str, Any]:
    milestone, closer = issue.get("milestone"), issue.get("closed_by")
    return {
        **{key: issue[key] for key in _KEPT if key in issue},
        "labels": [{"name": label["name"]} for label in issue.get("labels") or ()],
        "assignees": [{"login": login} for login in assignees_in(issue)],
        "closed_by": closer and {"login": closer["login"]},
        "milestone": milestone and {key: milestone[key] for key in ("number", "title", "state")},
    }


def _sum(raw: dict[str, Any]) -> str:
    # Files are not synced to the disk; after a power cut a broken one fails its check sum.
    content = json.dumps([raw["url"], raw["etag"], raw["issue"]], sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()
