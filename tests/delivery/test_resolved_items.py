"""An item in Resolved counts as open; a reopen moves it where a state is configured."""

import pytest
from tests.cli.project import Project
from tests.delivery.stage import RESUME, UNDO, delivered_events, reached

MOVED = '[trackers.ado.states]\nreopened = "Active"'


@pytest.fixture
def resolved(project: Project) -> Project:
    """A completed increment whose bug waits in Resolved to be verified."""
    number = project.box.ado.add_work_item(
        id=101, type="Bug", title="Crash", state="Resolved", tags=["ui", "completed"]
    )
    project.increment(links={"ado": {"workItemId": number, "url": project.urls["ado"]}})
    project.configure_more(tables=MOVED)
    return project


def test_a_resolved_item_that_moved_was_reopened(resolved: Project) -> None:
    preview = resolved.run(*RESUME, "--dry-run", "--json").document

    done = resolved.run(*RESUME)

    (item,) = preview["items"]
    assert item["requests"][-1]["what"].startswith("set state to Active, ")
    assert done.code == 0, done.said
    assert resolved.states() == {"ado": "Active"}
    assert "Azure DevOps fabrikam/widgets 101 reopened; commented" in done.out
    assert [event["result"] for event in delivered_events(resolved, "reopen")] == ["reopened"]
    entry = reached(resolved, "ado")
    assert entry is not None
    assert (entry["before"]["state"], entry["before"]["resolved"]) == ("Resolved", True)
    assert "resolved" not in entry["after"]

    undone = resolved.run(*UNDO)

    assert undone.code == 5, undone.said
    assert "left open (Active): the reopen moved it from Resolved" in undone.said
    assert resolved.states() == {"ado": "Active"}
    assert resolved.labels() == {"ado": {"ui", "completed"}}


@pytest.mark.parametrize(
    ("state", "outcome"), [("Resolved", "reopened"), ("Active", "already-open")]
)
def test_the_document_says_whether_it_moved(resolved: Project, state: str, outcome: str) -> None:
    resolved.box.ado.edit(101, state=state)
    document = resolved.run(*RESUME, "--json").document
    assert [one["outcome"] for one in document["trackers"]] == [outcome]


def test_without_a_configured_state_it_stays_resolved(resolved: Project) -> None:
    resolved.configure_more()
    done = resolved.run(*RESUME)
    assert done.code == 0, done.said
    assert resolved.states() == {"ado": "Resolved"}
    assert "was open already" in done.out
    assert "it stays in Resolved, which counts as open" in done.said
