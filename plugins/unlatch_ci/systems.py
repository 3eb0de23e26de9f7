"""The CI system that runs this process, from its environment variables.

Sources for forks: GitHub, "Webhook events and payloads" (`pull_request`: `head.repo` is null if the
fork was deleted) and "Events that trigger workflows" (forks get no secrets); Azure Pipelines, "Use
predefined variables" (System.PullRequest.IsFork); GitLab, "Predefined CI/CD variables reference"
(merge request pipelines).
"""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from unlatch.cli.runtime.failure import SIGNS
from unlatch.values import dataclass
from unlatch.worklog.disk.user_files import MAX_EVENT_SIZE, read_user_file
from unlatch.worklog.json_text import load_json

_HEADS = "refs/heads/"


class System(StrEnum):
    GITHUB = "github-actions"
    AZURE = "azure-pipelines"
    GITLAB = "gitlab-ci"


# The variable that each of them sets.
_SIGNS = dict(zip(System, SIGNS, strict=True))
# The variable with the folder into which each of them checks out the job's repository.
_CHECKOUTS = {
    System.GITHUB: "GITHUB_WORKSPACE",
    System.AZURE: "BUILD_SOURCESDIRECTORY",
    System.GITLAB: "CI_PROJECT_DIR",
}
# For a committer without an address; RFC 2606 reserves the domain.
_NOBODY = "unlatch@ci.invalid"


@dataclass(frozen=True, slots=True)
class Ci:
    system: System
    environ: Mapping[str, str]

    @property
    def branch(self) -> str | None:
        """The branch of the build; None for a tag, and for a pull request's trial merge."""
        if self.system is System.GITLAB:
            return self.environ.get("CI_COMMIT_BRANCH") or None
        name = "GITHUB_REF" if self.system is System.GITHUB else "BUILD_SOURCEBRANCH"
        ref = self.environ.get(name, "")
        return ref.removeprefix(_HEADS) if ref.startswith(_HEADS) else None

    def has_checkout(self, top: Path) -> bool:
        """Whether a checkout is the one that the system made for the job."""
        place = self.environ.get(_CHECKOUTS[self.system], "")
        return bool(place) and Path(place).resolve() == top.resolve()

    @property
    def email(self) -> str:
        """The address of the person who started the job, for commits."""
        env = self.environ.get
        if self.system is System.GITHUB and env("GITHUB_ACTOR") and env("GITHUB_ACTOR_ID"):
            return f"{env('GITHUB_ACTOR_ID')}+{env('GITHUB_ACTOR')}@users.noreply.github.com"
        name = "GITLAB_USER_EMAIL" if self.system is System.GITLAB else "BUILD_REQUESTEDFOREMAIL"
        return env(name) or _NOBODY

    @property
    def repository(self) -> str | None:
        """The address of the job's repository, as the system names it."""
        env = self.environ.get
        if self.system is System.GITHUB:
            server, name = env("GITHUB_SERVER_URL"), env("GITHUB_REPOSITORY")
            return f"{server}/{name}" if server and name else None
        name = "CI_PROJECT_URL" if self.system is System.GITLAB else "BUILD_REPOSITORY_URI"
        return env(name, "").rstrip("/") or None

    @property
    def is_fork(self) -> bool:
        """Whether the job is for a pull request from a fork; False if unknown."""
        env = self.environ.get
        if self.system is System.AZURE:
            return env("SYSTEM_PULLREQUEST_ISFORK", "").casefold() == "true"
        if self.system is System.GITLAB:
            names = "CI_MERGE_REQUEST_SOURCE_PROJECT_ID", "CI_MERGE_REQUEST_PROJECT_ID"
            source, target = map(env, names)
            return bool(source and target) and source != target
        # pull_request_target gets secrets, so there a missing token is a mistake.
        is_pull_request = env("GITHUB_EVENT_NAME") == "pull_request"
        return is_pull_request and _is_from_fork(env("GITHUB_EVENT_PATH", ""))

    def proposal_url(self, branch: str, onto: str) -> str | None:
        """The page for opening a pull request of `branch`."""
        if self.repository is None:
            return None
        if self.system is System.GITHUB:
            return f"{self.repository}/compare/{quote(onto)}...{quote(branch)}?expand=1"
        if self.system is System.AZURE:
            page, query = "pullrequestcreate", {"sourceRef": branch, "targetRef": onto}
        else:
            page = "-/merge_requests/new"
            query = {"merge_request[source_branch]": branch, "merge_request[target_branch]": onto}
        return f"{self.repository}/{page}?{urlencode(query)}"


def _is_from_fork(event: str) -> bool:
    """Whether an event file of GitHub Actions is about a pull request from a fork."""
    try:
        content = read_user_file(Path(event), at_most=MAX_EVENT_SIZE)
        pull_request: Any = load_json(content)["pull_request"]
        head, base = pull_request["head"]["repo"], pull_request["base"]["repo"]
        ours, theirs = base["id"], None if head is None else head["id"]
    except (OSError, ValueError, LookupError, TypeError):
        return False
    is_other = head is None or (type(theirs) is int and theirs != ours)
    return type(ours) is int and is_other


def detect(environ: Mapping[str, str]) -> Ci | None:
    """The CI job that this process belongs to, if any."""
    systems = (
        system for system, sign in _SIGNS.items() if environ.get(sign, "").casefold() == "true"
    )
    return next((Ci(system, environ) for system in systems), None)


def repository(environ: Mapping[str, str]) -> str | None:
    """The address of the repository whose job this is; None without one.

    GitHub, "Variables reference" (GITHUB_REPOSITORY); Azure Pipelines, "Use predefined variables"
    (Build.Repository.Uri); GitLab, "Predefined CI/CD variables reference" (CI_PROJECT_URL).
    """
    job = detect(environ)
    return job.repository if job else None


def is_fork(environ: Mapping[str, str]) -> bool:
    """Whether this is a job for a pull request from a fork."""
    job = detect(environ)
    return job is not None and job.is_fork
