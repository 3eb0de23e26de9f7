"""The CI system that a job runs under, as its environment tells."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

if TYPE_CHECKING:
    from collections.abc import Mapping

_HEADS = "refs/heads/"


class System(StrEnum):
    """A CI system."""

    GITHUB = "github-actions"
    AZURE = "azure-pipelines"
    GITLAB = "gitlab-ci"


# The variable by which each tells that it is at work.
_SIGNS = {
    System.GITHUB: "GITHUB_ACTIONS",
    System.AZURE: "TF_BUILD",
    System.GITLAB: "GITLAB_CI",
}
# Where a commit's author has no address of their own; reserved by RFC 2606, so nobody's.
_NOBODY = "unlatch@ci.invalid"


@dataclass(frozen=True, slots=True)
class Ci:
    """A job of a CI system."""

    system: System
    environ: Mapping[str, str]

    @property
    def branch(self) -> str | None:
        """The branch that is built; None for a tag, and for a pull request's trial merge."""
        if self.system is System.GITLAB:
            return self.environ.get("CI_COMMIT_BRANCH") or None
        name = "GITHUB_REF" if self.system is System.GITHUB else "BUILD_SOURCEBRANCH"
        ref = self.environ.get(name, "")
        return ref.removeprefix(_HEADS) if ref.startswith(_HEADS) else None

    @property
    def email(self) -> str:
        """The address for commits of whoever began the job."""
        told = self.environ.get
        if self.system is System.GITHUB and told("GITHUB_ACTOR") and told("GITHUB_ACTOR_ID"):
            name = f"{told('GITHUB_ACTOR_ID')}+{told('GITHUB_ACTOR')}"
            return f"{name}@users.noreply.github.com"
        asked = "GITLAB_USER_EMAIL" if self.system is System.GITLAB else "BUILD_REQUESTEDFOREMAIL"
        return told(asked) or _NOBODY

    def proposal_url(self, branch: str, onto: str) -> str | None:
        """The page on which a person makes a pull request of `branch`."""
        told = self.environ.get
        if self.system is System.GITHUB:
            place = f"{told('GITHUB_SERVER_URL')}/{told('GITHUB_REPOSITORY')}"
            known = told("GITHUB_SERVER_URL") and told("GITHUB_REPOSITORY")
            return f"{place}/compare/{quote(onto)}...{quote(branch)}?expand=1" if known else None
        if self.system is System.AZURE:
            place = told("BUILD_REPOSITORY_URI", "").rstrip("/")
            query = urlencode({"sourceRef": branch, "targetRef": onto})
            return f"{place}/pullrequestcreate?{query}" if place else None
        query = urlencode(
            {"merge_request[source_branch]": branch, "merge_request[target_branch]": onto}
        )
        place = told("CI_PROJECT_URL", "")
        return f"{place}/-/merge_requests/new?{query}" if place else None


def detect(environ: Mapping[str, str]) -> Ci | None:
    """The job that this is, if it is one."""
    for system, sign in _SIGNS.items():
        if environ.get(sign, "").casefold() == "true":
            return Ci(system, environ)
    return None
