"""The settings for an issue outside of a project, with site and token from the environment."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from unlatch.errors import UsageError
from unlatch_jira.urls import KEY, parse, project_of

if TYPE_CHECKING:
    from collections.abc import Mapping

# As clients of Jira name the site.
_SITES = ("JIRA_URL", "JIRA_SERVER")
_PAGE = re.compile(r"/(?:secure|projects|software|servicedesk|issues|browse)/")


def settings_for(word: str, environ: Mapping[str, str]) -> dict[str, Any] | None:
    """The settings for the issue at an address, or for SCRUM-28 on the site of the environment.

    Raises:
        UsageError: `site-unknown`.
    """
    if "://" in word:
        address = parse(word)
        if address is None:
            return None
        is_cloud = address.host.endswith(".atlassian.net")
        scheme = "https" if is_cloud else urlsplit(word).scheme
        # A Data Center may have a context path before its pages.
        path = "" if is_cloud else _PAGE.split(f"{address.path}/")[0].rstrip("/")
        site, key = f"{scheme}://{address.host}{path}", address.key
    elif KEY.fullmatch(key := word.upper()):
        site = next(filter(None, map(environ.get, _SITES)), "")
    else:
        return None
    if not site:
        raise UsageError(
            "site-unknown",
            f"{key} does not name the Jira site that it is on",
            hint="paste the issue's address, or set JIRA_URL=https://acme.atlassian.net",
        )
    return {"site": site.rstrip("/"), "projects": [project_of(key)]}
