"""The settings for an issue outside of a project, with hosts and tokens as gh has them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from unlatch_github.settings import GITHUB_WEB, GithubSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

_KEY = re.compile(r"[^/\s]+/[^/\s#]+#[0-9]+")
# An issue by its number in the repository at an address.
_NUMBER = re.compile(r"(?P<repository>https?://[^/\s]+/[^/\s]+/[^/\s#]+)#(?P<number>[0-9]+)")


def settings_for(word: str, environ: Mapping[str, str]) -> dict[str, Any] | None:
    """The settings for the issue at an address, or octo/widgets#4 on the host that gh uses.

    #4 is an issue of the repository that gh works on in place of that of the folder.
    """
    if word.startswith("#"):
        table = settings_for(_of_gh(environ) + word, environ)
        return {**table, "repository": table["repositories"][0]} if table else None
    if match := _NUMBER.fullmatch(word):
        word = f"{match['repository']}/issues/{match['number']}"
    is_key = "://" not in word
    if is_key and not _KEY.fullmatch(word):
        return None
    try:
        web = _host_of_gh(environ) if is_key else _origin(word)
        table = {} if web == GITHUB_WEB else {"api_url": _api_of(web), "web_url": web}
        settings = GithubSettings.model_validate(table)
        ref = settings.locate(word, None) if is_key else settings.recognise(word)
    except ValueError:
        return None
    return {**table, "repositories": [ref.target]} if ref else None


def _of_gh(environ: Mapping[str, str]) -> str:
    """The repository in GH_REPO: OWNER/REPO, HOST/OWNER/REPO or an address.

    `gh help environment`; cli/cli, internal/ghrepo, FromFullName.
    """
    name = environ.get("GH_REPO", "").rstrip("/").removesuffix(".git")
    return f"https://{name}" if name.count("/") == 2 else name  # noqa: PLR2004


def _host_of_gh(environ: Mapping[str, str]) -> str:
    # gh reads GH_HOST; GitHub Actions sets the other one.
    server = environ.get("GH_HOST") or environ.get("GITHUB_SERVER_URL") or GITHUB_WEB
    return (server if "://" in server else f"https://{server}").rstrip("/")


def _origin(url: str) -> str:
    parts = urlsplit(url.strip())
    scheme = "https" if parts.hostname == "github.com" else parts.scheme
    return f"{scheme}://{parts.netloc.lower().removeprefix('www.')}"


def _api_of(web: str) -> str:
    """Enterprise Cloud with data residency has its API on a host of its own.

    https://docs.github.com/enterprise-cloud@latest/admin/data-residency
    """
    scheme, _, host = web.partition("://")
    return f"{scheme}://api.{host}" if host.endswith(".ghe.com") else f"{web}/api/v3"
