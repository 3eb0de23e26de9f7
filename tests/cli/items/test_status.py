"""unlatch status with items, and the pending operations on them."""

from __future__ import annotations

import pytest
from tests.cli.items.test_reopen import KEYS, outside
from tests.cli.project import ALL, NAME, REASON, Project
from tests.delivery.stage import fault
from tests.delivery.test_resolved_items import MOVED

__all__ = ["outside"]
KEYS_OF_TWO = (KEYS["jira"], KEYS["github"])
DANA = ("--reason", REASON, "--by", "Dana")


def test_an_item_is_shown_as_it_is_now(outside: Project) -> None:
    unreadable = outside.run("status", outside.urls["github"])
    outside.items()

    for tracker in ALL:
        done = outside.run("status", outside.urls[tracker])
        assert (0, True) == (done.code, '"Smart discipline"' in done.out), done.said

    assert (5, True) == (unreadable.code, "unknown" in unreadable.out)
    assert [] == outside.wrote()
    outside.run("reopen", *outside.urls.values(), "--reason", REASON, "--offline")
    pending = outside.run("status")
    line = "1 operation pending. Next: unlatch sync"
    assert (0, 3) == (pending.code, pending.out.count(line))


def line_of(project: Project, tracker: str) -> str:
    """What status says of the reopen by Dana."""
    shown = project.run("status", KEYS[tracker]).out
    (line,) = [one for one in shown.splitlines() if one.endswith(f"by Dana: {REASON}")]
    return line.strip().removesuffix(f" by Dana: {REASON}")


def test_the_last_reopen_and_what_is_pending_are_shown(project: Project) -> None:
    project.items("jira")
    project.box.faults.add(fault("jira", "comment", "drop-after"))
    project.run("reopen", KEYS["jira"], *DANA)

    text = project.run("status", KEYS["jira"])
    document = project.run("status", KEYS["jira"], "--json").document

    assert f"    reopen recorded today by Dana: {REASON}\n" in text.out
    assert "SCRUM-28: 1 operation pending. Next: unlatch sync" in text.out
    [item] = document["items"]
    assert ("doing", 1) == (item["category"], len(item["pending"]))


@pytest.mark.parametrize("owner", ["increment", "none"])
def test_a_reopen_is_called_done_only_once_it_is_delivered(project: Project, owner: str) -> None:
    links = project.items("jira")
    if owner == "increment":
        project.increment(links=links)
    project.run("reopen", KEYS["jira"], *DANA, "--item-only", "--offline")

    waiting = line_of(project, "jira")
    project.run("sync")

    assert ("reopen recorded today", "reopened today") == (waiting, line_of(project, "jira"))


def test_a_blocked_reopen_is_not_called_done(project: Project) -> None:
    project.items("jira")
    project.box.faults.add(fault("jira", "state", "status", code=403))
    project.run("reopen", KEYS["jira"], *DANA)

    assert "reopen recorded today" == line_of(project, "jira")
    assert "SCRUM-28: 1 operation blocked." in project.run("status", KEYS["jira"]).out


def test_a_reopen_of_an_open_item_is_not_called_done_and_of_a_resolved_item_is(
    project: Project,
) -> None:
    project.items("jira", finished=False)
    project.box.ado.add_work_item(id=101, type="Bug", title="T", state="Resolved")
    project.configure_more(tables=MOVED)

    done = project.run("reopen", KEYS["jira"], KEYS["ado"], *DANA, "--comment-anyway")

    assert "already open when reopened today" == line_of(project, "jira")
    assert ("Active", True) == (project.states()["ado"], "reopened; commented" in done.out)
    assert "reopened today" == line_of(project, "ado")


def test_a_withdrawn_or_superseded_reopen_is_not_called_done_or_counted(project: Project) -> None:
    project.items("jira", "github")
    project.run("reopen", *KEYS_OF_TWO, *DANA, "--offline")
    recorded = reopens_of(project)
    project.run("unlink", KEYS["jira"])
    project.run("close", KEYS["github"], "--reason", "No")
    given_up = reopens_of(project)

    assert "reopen withdrawn, recorded today" == line_of(project, "jira")
    assert "reopen superseded, recorded today" == line_of(project, "github")
    project.run("reopen", *KEYS_OF_TWO, "--reason", "Again", "--by", "Dana")
    assert ([1, 1], [0, 0], [1, 1]) == (recorded, given_up, reopens_of(project))


def reopens_of(project: Project) -> list[int]:
    document = project.run("status", *KEYS_OF_TWO, "--json").document
    return [one["reopens"] for one in document["items"]]


def test_the_increment_that_an_item_belongs_to_is_named(single: Project) -> None:
    text = single.run("status", KEYS["jira"])
    document = single.run("status", KEYS["jira"], "--json").document

    assert (0, True) == (text.code, f"    belongs to {NAME} (completed)\n" in text.out), text.said
    assert [[NAME]] == [one["increments"] for one in document["items"]]


def test_status_of_the_project_counts_pending_operations_on_items(project: Project) -> None:
    project.items()
    project.run("reopen", *KEYS.values(), "--reason", REASON, "--offline")

    text = project.run("status")
    document = project.run("status", "--json").document

    assert "3 items with pending operations" in text.out
    assert 3 == len(document["itemsPending"])


@pytest.mark.parametrize("place", ["project", "outside"])
def test_the_history_of_an_item(request: pytest.FixtureRequest, place: str) -> None:
    project: Project = request.getfixturevalue(place)
    project.items("jira")
    project.run("reopen", project.urls["jira"], "--reason", REASON, "--by", "Dana")

    text = project.run("history", project.urls["jira"])
    document = project.run("history", project.urls["jira"], "--json").document

    assert (0, True) == (text.code, REASON in text.out), text.said
    events = [one["event"] for one in document["events"]]
    assert ["linked", "reopened", "delivered"] == [one for one in events if one != "created"]
