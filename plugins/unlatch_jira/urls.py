"""Web addresses of issues, in all forms of Jira's pages, and the settings that they stand for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, parse_qs, urlsplit

from unlatch.errors import UsageError
from unlatch.patterns import pattern
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

# Project keys may differ from Atlassian's default: an administrator of Data Center sets the
# pattern.
PROJECT = pattern(r"[A-Z][A-Z0-9_]*")
KEY = pattern(r"(?P<project>[A-Z][A-Z0-9_]*)-[1-9][0-9]*")
_SHOWN = pattern(r"/(?:browse|issues)/(?P<key>[^/]+)/?$")
# As clients of Jira name the site.
_SITES = ("JIRA_URL", "JIRA_SERVER")
_PAGE = pattern(r"/(?:secure|projects|software|servicedesk|issues|browse)/")
_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Address:
    """An issue's web address.

    Args:
        host: the site's host, with an unusual port.
        path: the part between host and page.
        key: the issue's key, in capitals.
    """

    host: str
    path: str
    key: str

    def is_below(self, web_url: str) -> bool:
        """Whether it belongs to the site at `web_url`; http and https mean the same issue."""
        site = urlsplit(web_url)
        base = site.path.rstrip("/")
        return self.host == _host(site) and (self.path == base or self.path.startswith(f"{base}/"))


def parse(url: str) -> Address | None:
    """The issue at a pasted address; None if it shows none."""
    try:
        parts = urlsplit(url.strip())
        host = _host(parts)
    except ValueError:
        return None
    if parts.scheme.lower() not in _DEFAULT_PORTS or parts.username is not None:
        return None
    match = _SHOWN.search(parts.path)
    # A board or a backlog shows an issue in a dialog.
    selected = parse_qs(parts.query).get("selectedIssue", [""])[0]
    for key in (match["key"] if match else "", selected):
        if KEY.fullmatch(key.upper()):
            return Address(host, _SHOWN.sub("", parts.path).rstrip("/"), key.upper())
    return None


def project_of(key: str) -> str:
    """The project in an issue's key; empty if `key` is not a key."""
    match = KEY.fullmatch(key)
    return match["project"] if match else ""


def problem_of(url: str) -> str | None:
    """The reason why `url` is not a site's address; None if it is one."""
    try:
        parts = urlsplit(url)
        _host(parts)
    except ValueError:
        return "is not a web address"
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname:
        return "must be a web address such as https://acme.atlassian.net"
    if parts.username is not None or parts.password is not None:
        return "must not hold a user name or a password"
    if parts.query or parts.fragment:
        return "must end with the site's path, without ? and #"
    return None


def _host(parts: SplitResult) -> str:
    host = (parts.hostname or "").rstrip(".")
    usual = _DEFAULT_PORTS.get(parts.scheme.lower())
    return host if parts.port in (None, usual) else f"{host}:{parts.port}"


def settings_for(word: str, environ: Mapping[str, str]) -> dict[str, Any] | None:
    """The settings outside of a project, for an address or SCRUM-28 on the environment's site.

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
