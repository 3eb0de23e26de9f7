"""What a script does that reopens items with the trackers' SDKs, one after the other.

    python -m benchmarks.naive ADDRESSES NUMBER [--pauses]

Each SDK is used as its own guide shows it, with its defaults; PyGithub's pauses are left out unless
asked for.
"""

from __future__ import annotations

import json
import sys
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from unlatch_sandbox import Sandbox

Addresses = dict[str, dict[str, str]]

_REASON = "Reopened: something was forgotten"
_LABEL = "reopened"


def addresses_of(box: Sandbox) -> Addresses:
    """The addresses of the trackers, and the tokens."""
    return {
        "github": {"api": box.github.api_url, "token": box.github.token},
        "ado": {"organization": box.ado.organization_url, "token": box.ado.token},
        "jira": {"site": box.jira.site, "email": box.jira.email, "token": box.jira.token},
    }


def github(at: Mapping[str, str], numbers: Iterable[int], *, pauses: bool = False) -> None:
    """Use PyGithub."""
    from github import Auth, Github  # noqa: PLC0415  (one SDK is loaded at a time)

    auth = Auth.Token(at["token"])
    client = (
        Github(base_url=at["api"], auth=auth)
        if pauses
        else Github(
            base_url=at["api"],
            auth=auth,
            seconds_between_requests=None,
            seconds_between_writes=None,
        )
    )
    repository = client.get_repo("octo/widgets")
    for number in numbers:
        issue = repository.get_issue(number)
        issue.edit(state="open")
        issue.create_comment(_REASON)
        issue.add_to_labels(_LABEL)


def ado(at: Mapping[str, str], numbers: Iterable[int]) -> None:
    """Use azure-devops."""
    from azure.devops.connection import Connection  # noqa: PLC0415
    from azure.devops.v7_1.work_item_tracking.models import JsonPatchOperation  # noqa: PLC0415
    from msrest.authentication import BasicAuthentication  # noqa: PLC0415

    credentials = BasicAuthentication("", at["token"])
    connection = Connection(base_url=at["organization"], creds=credentials)
    client = connection.clients_v7_1.get_work_item_tracking_client()
    for number in numbers:
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


def jira(at: Mapping[str, str], numbers: Iterable[int]) -> None:
    """Use jira."""
    from jira import JIRA  # noqa: PLC0415

    client = JIRA(at["site"], basic_auth=(at["email"], at["token"]))
    for number in numbers:
        issue = client.issue(f"SCRUM-{number}")
        moves = client.transitions(issue)
        to = next(move for move in moves if move["to"]["statusCategory"]["key"] != "done")
        client.transition_issue(issue, to["id"])
        client.add_comment(issue, _REASON)
        issue.add_field_value("labels", _LABEL)


LOOPS: Mapping[str, Callable[[Mapping[str, str], Iterable[int]], None]] = MappingProxyType(
    {"github": github, "ado": ado, "jira": jira}
)


def main() -> None:
    """Reopen one item of each tracker."""
    addresses, number = json.loads(sys.argv[1]), int(sys.argv[2])
    github(addresses["github"], [number], pauses="--pauses" in sys.argv)
    ado(addresses["ado"], [number])
    jira(addresses["jira"], [number])


if __name__ == "__main__":
    main()
