"""Jobs of CI systems: fresh checkouts of one commit, with the environment that each system sets."""

import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.crash.items import REPOSITORY
from tests.crash.members import Member, Team

GITHUB = {
    "CI": "true",
    "GITHUB_ACTIONS": "true",
    "GITHUB_ACTOR": "octocat",
    "GITHUB_ACTOR_ID": "583231",
    "GITHUB_REF": "refs/heads/main",
    "GITHUB_REF_NAME": "main",
    "GITHUB_REPOSITORY": "octo/widgets",
    "GITHUB_SERVER_URL": "https://github.com",
}
_CHECKOUT = {
    "GITHUB_ACTIONS": "GITHUB_WORKSPACE",
    "TF_BUILD": "BUILD_SOURCESDIRECTORY",
    "GITLAB_CI": "CI_PROJECT_DIR",
}
AZURE = {
    "TF_BUILD": "True",
    "BUILD_REQUESTEDFOR": "Dana Demo",
    "BUILD_REQUESTEDFOREMAIL": "dana@example.com",
    "BUILD_SOURCEBRANCH": "refs/heads/main",
    "BUILD_REPOSITORY_URI": "https://dev.azure.com/fabrikam/widgets/_git/widgets",
}
GITLAB = {
    "CI": "true",
    "GITLAB_CI": "true",
    "GITLAB_USER_LOGIN": "dana",
    "GITLAB_USER_EMAIL": "dana@example.com",
    "CI_COMMIT_BRANCH": "main",
    "CI_COMMIT_REF_NAME": "main",
    "CI_PROJECT_URL": "https://gitlab.com/fabrikam/widgets",
}

# Clones of origins, by what is in these and by the depth; each with its origin.
_CHECKOUTS: dict[tuple[bytes, int | None], tuple[Path, Path]] = {}


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
    _check_out(team, root, depth)
    files = {}
    if "GITHUB_ACTIONS" in system:
        for variable in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"):
            files[variable] = team.folder / f"{name}-{variable.lower()}"
            files[variable].touch()
    (place,) = (variable for sign, variable in _CHECKOUT.items() if sign in system)
    return Job(root, extra={**team.laptop.extra, **system, place: str(root)}, files=files)


def _check_out(team: Team, root: Path, depth: int | None) -> None:
    """Clone each state of the origin once, and copy that clone for other teams."""
    origin = team.folder / "origin.git"
    places = (origin / "packed-refs", origin / "refs/heads/main")
    tips = b"".join(path.read_bytes() for path in places if path.exists())
    made = _CHECKOUTS.get((tips, depth))
    if made is None:
        shallow = ("--depth", str(depth)) if depth else ()
        team.laptop.git("clone", "--quiet", *shallow, f"file://{origin}", str(root))
        Job(root).git("checkout", "--quiet", "--detach")
        place = Path(tempfile.mkdtemp(dir=team.folder.parent))
        made = _CHECKOUTS[tips, depth] = place / "checkout", origin
        shutil.copytree(root, made[0], symlinks=True)
        return
    shutil.copytree(made[0], root, symlinks=True)
    config = root / ".git/config"
    config.write_text(config.read_text().replace(f"{made[1]}", f"{origin}"))


def reopen_by_hand(team: Team) -> None:
    """A person's acts on the issue's page."""
    team.box.github.edit(REPOSITORY, int(team.ids["github"]), state="open", by="mona")
