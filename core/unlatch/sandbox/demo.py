"""What the demo needs: items on the three trackers, and a git repository of its own."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from unlatch.sandbox import Sandbox

TITLE = "Smart discipline"
_ME = ("-c", "user.name=Dana Demo", "-c", "user.email=dana@demo.invalid")


@dataclass(frozen=True, slots=True)
class DemoItems:
    """The items that the demo's increment is linked to: their browser addresses."""

    github: str
    ado: str
    jira: str

    @property
    def urls(self) -> tuple[str, str, str]:
        """All of them."""
        return (self.github, self.ado, self.jira)


def seed(box: Sandbox) -> DemoItems:
    """Put one open item on each tracker."""
    number = box.github.add_issue(number=4, title=TITLE, assignee="octocat", labels=["enhancement"])
    item = box.ado.add_work_item(
        id=101, title=TITLE, assigned_to="Dana Demo", tags=["ui"], state="Active"
    )
    key = box.jira.add_issue("SCRUM-28", summary=TITLE, type="Epic", labels=["ux"])
    return DemoItems(
        github=f"{box.github.web_url}/octo/widgets/issues/{number}",
        ado=f"{box.ado.organization_url}/widgets/_workitems/edit/{item}",
        jira=f"{box.jira.site}/browse/{key}",
    )


def make_repository(root: Path, config: str) -> None:
    """A git repository with an identity of its own, and the configuration of the sandbox.

    Git is asked for nothing of the user's: neither identity, nor hooks, nor signing.
    """
    home = root / ".unlatch"
    home.mkdir(parents=True)
    (home / "config.toml").write_text(config, encoding="utf-8")
    git(root, "init", "--quiet")
    git(root, "config", "user.name", "Dana Demo")
    git(root, "config", "user.email", "dana@demo.invalid")


def commit(root: Path, message: str) -> None:
    """Commit everything."""
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", message)


def git(root: Path, *arguments: str) -> str:
    """What git prints; an empty text where git is not installed."""
    program = shutil.which("git")
    if program is None:
        return ""
    done = subprocess.run(  # noqa: S603  (arguments are ours)
        [program, "-c", "core.hooksPath=/dev/null", "-c", "commit.gpgsign=false", *_ME, *arguments],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    return done.stdout


def quiet_environ(environ: Mapping[str, str], box: Sandbox) -> dict[str, str]:
    """The environment for unlatch in the demo: the sandbox's tokens, and nobody else's."""
    foreign = (
        "GH_TOKEN",
        "GH_ENTERPRISE_TOKEN",
        "SYSTEM_ACCESSTOKEN",
        "JIRA_PAT",
        "GITHUB_ACTOR",
        "BUILD_REQUESTEDFOR",
    )
    kept = {name: value for name, value in environ.items() if name not in foreign}
    return {**kept, **box.environ()}
