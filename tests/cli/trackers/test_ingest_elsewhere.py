"""unlatch ingest of a change of an item on Jira or Azure DevOps: the event is only a hint."""

import json
from typing import Any

import pytest
from tests.cli.project import CLOSED, OPEN, Project
from tests.cli.trackers.test_sync import finished

__all__ = ["finished"]


def message(project: Project, tracker: str) -> dict[str, Any]:
    """What the tracker sends when its item changes its state, shortened."""
    box = project.box
    if tracker == "jira":
        issue = {"key": "SCRUM-28", "self": f"{box.jira.site}/rest/api/2/issue/1"}
        changes = {"items": [{"field": "status", "toString": "Done"}]}
        return {"webhookEvent": "jira:issue_updated", "issue": issue, "changelog": changes}
    url = f"{box.ado.organization_url}/_apis/wit/workItems/101/updates/9"
    fields = {"System.State": {"oldValue": "Active", "newValue": "Closed"}}
    resource = {"id": 9, "workItemId": 101, "rev": 9, "fields": fields, "url": url}
    return {"eventType": "workitem.updated", "resource": resource}


@pytest.mark.parametrize("tracker", ["jira", "ado"])
def test_an_item_reopened_by_hand_reopens_the_increment(finished: Project, tracker: str) -> None:
    file = finished.home / "event.json"
    # It says closed; the item itself is asked.
    file.write_text(json.dumps(message(finished, tracker)))
    words = ("ingest", "--from", f"{tracker}-event", str(file), "--yes")
    finished.run(*words).ends(0)
    assert ("completed", CLOSED) == (finished.metadata()["status"], finished.states())

    if tracker == "jira":
        finished.box.jira.edit("SCRUM-28", status="In Progress", by="Mona")
    else:
        finished.box.ado.edit(101, state="Active", by="Mona")
    for _ in range(2):
        finished.run(*words).ends(0)

    assert ("active", OPEN) == (finished.metadata()["status"], finished.states())
    (entry,) = finished.metadata()["reopenHistory"]
    assert "Mona" == entry["reopenedBy"]
