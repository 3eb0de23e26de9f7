"""Set-up of the demo: items on the three trackers, and an environment without other tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from unlatch_sandbox import Sandbox

TITLE = "Smart discipline"


@dataclass(frozen=True, slots=True)
class DemoItems:
    """The browser addresses of the demo's items."""

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


def quiet_environ(environ: Mapping[str, str], box: Sandbox) -> dict[str, str]:
    """The environment of unlatch in the demo, with the sandbox's tokens only."""
    foreign = (
        "GH_TOKEN",
        "GH_ENTERPRISE_TOKEN",
        "GH_HOST",
        "SYSTEM_ACCESSTOKEN",
        "JIRA_PAT",
        "GITHUB_ACTOR",
        "BUILD_REQUESTEDFOR",
    )
    kept = {name: value for name, value in environ.items() if name not in foreign}
    return {**kept, **box.shell_environ(), "UNLATCH_PAGER": "cat"}
