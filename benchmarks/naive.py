"""What a script does that reopens items with a tracker's SDK, one after the other.

Each SDK is used as its own guide shows it, with its defaults; PyGithub's pauses are left out.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from unlatch_sandbox import Sandbox

_REASON = "Reopened: something was forgotten"
_LABEL = "reopened"


def github(box: Sandbox, count: int) -> None:
    """By PyGithub."""
    from github import Auth, Github  # noqa: PLC0415  (one SDK is loaded at a time)

    client = Github(
        base_url=box.github.api_url,
        auth=Auth.Token(box.github.token),
        seconds_between_requests=None,
        seconds_between_writes=None,
    )
    repository = client.get_repo("octo/widgets")
    for number in range(1, count + 1):
        issue = repository.get_issue(number)
        issue.edit(state="open")
        issue.create_comment(_REASON)
        issue.add_to_labels(_LABEL)


def ado(box: Sandbox, count: int) -> None:
    """By azure-devops."""
    from azure.devops.connection import Connection  # noqa: PLC0415
    from azure.devops.v7_1.work_item_tracking.models import JsonPatchOperation  # noqa: PLC0415
    from msrest.authentication import BasicAuthentication  # noqa: PLC0415

    credentials = BasicAuthentication("", box.ado.token)
    connection = Connection(base_url=box.ado.organization_url, creds=credentials)
    client = connection.clients_v7_1.get_work_item_tracking_client()
    for number in range(1, count + 1):
        tags = client.get_work_item(number).fields.get("System.Tags", "")
        fields = {
            "System.State": "Active",
            "System.Tags": f"{tags}; {_LABEL}",
            "System.History": _REASON,
        }
        document = [
            JsonPatchOperation(op="add", path=f"/fields/{name}", value=value)
            for name, value in fields.items()
        ]
        client.update_work_item(document, number)


def jira(box: Sandbox, count: int) -> None:
    """By jira."""
    from jira import JIRA  # noqa: PLC0415

    client = JIRA(box.jira.site, basic_auth=(box.jira.email, box.jira.token))
    for number in range(1, count + 1):
        issue = client.issue(f"SCRUM-{number}")
        moves = client.transitions(issue)
        to = next(move for move in moves if move["to"]["statusCategory"]["key"] != "done")
        client.transition_issue(issue, to["id"])
        client.add_comment(issue, _REASON)
        issue.add_field_value("labels", _LABEL)


LOOPS: Mapping[str, Callable[[Sandbox, int], None]] = MappingProxyType(
    {"github": github, "ado": ado, "jira": jira}
)
