"""Jobs of CI systems: fresh checkouts of one commit, with the environment that each system sets."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.crash.items import REPOSITORY
from tests.crash.members import Member, Team

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

GITHUB = {
    "GITHUB_ACTIONS": "true",
    "GITHUB_ACTOR": "octocat",
    "GITHUB_ACTOR_ID": "583231",
    "GITHUB_REF": "refs/heads/main",
    "GITHUB_REF_NAME": "main",
    "GITHUB_REPOSITORY": "octo/widgets",
    "GITHUB_SERVER_URL": "https://github.com",
}
AZURE = {
    "TF_BUILD": "True",
    "BUILD_REQUESTEDFOR": "Dana Demo",
    "BUILD_REQUESTEDFOREMAIL": "dana@example.com",
    "BUILD_SOURCEBRANCH": "refs/heads/main",
    "BUILD_REPOSITORY_URI": "https://dev.azure.com/fabrikam/widgets/_git/widgets",
}
GITLAB = {
    "GITLAB_CI": "true",
    "GITLAB_USER_LOGIN": "dana",
    "GITLAB_USER_EMAIL": "dana@example.com",
    "CI_COMMIT_BRANCH": "main",
    "CI_COMMIT_REF_NAME": "main",
    "CI_PROJECT_URL": "https://gitlab.com/fabrikam/widgets",
}


@dataclass(frozen=True)
class Job(Member):
    """A job's checkout.

    Args:
        files: the folder for the files that the system reads afterwards.
    """

    files: Mapping[str, Path] = field(default_factory=dict)

    @property
    def environ(self) -> dict[str, str]:
        """As on a runner: without a git identity of its own."""
        environ = {
            name: value
            for name, value in super().environ.items()
            if not name.startswith(("GIT_AUTHOR", "GIT_COMMITTER"))
        }
        return {**environ, **{name: str(path) for name, path in self.files.items()}}

    @property
    def summary(self) -> str:
        return self.files["GITHUB_STEP_SUMMARY"].read_text(encoding="utf-8")

    @property
    def outputs(self) -> dict[str, str]:
        lines = self.files["GITHUB_OUTPUT"].read_text(encoding="utf-8").splitlines()
        return dict(line.split("=", 1) for line in lines)


def job(team: Team, name: str, system: Mapping[str, str] = GITHUB, *, depth: int | None = 1) -> Job:
    """Check out the origin's main as a CI system does: one commit, and no branch."""
    root = team.folder / name
    origin = f"file://{team.folder / 'origin.git'}"
    shallow = ("--depth", str(depth)) if depth else ()
    team.laptop.git("clone", "--quiet", *shallow, origin, str(root))
    files = {}
    if "GITHUB_ACTIONS" in system:
        for variable in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"):
            files[variable] = team.folder / f"{name}-{variable.lower()}"
            files[variable].touch()
    made = Job(root, extra={**team.laptop.extra, **system}, files=files)
    made.git("checkout", "--quiet", "--detach")
    return made


def reopen_by_hand(team: Team) -> None:
    """A person's acts on the issue's page."""
    team.box.github.edit(REPOSITORY, int(team.ids["github"]), state="open", by="mona")
