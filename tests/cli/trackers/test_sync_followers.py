"""unlatch sync: the effects of one changed item on other items and increments."""

import pytest
from tests.cli.project import NAME, REASON, Project
from tests.cli.trackers.test_sync import CLOSED_STATES, OPEN_STATES, by_hand, in_sync, writes

from unlatch.spi import visible
from unlatch.worklog.ids import new_ulid

OTHER = "0008-other"


def seen_in_step(project: Project, *, status: str, policy: str = "") -> None:
    """One increment with three items, in sync."""
    project.configure_more(tables=policy)
    is_open = status == "active"
    links = in_sync(project.items(finished=not is_open), is_open=is_open)
    project.increment(status=status, links=links)


def drop(project: Project, tracker: str) -> None:
    """A person closes an item as not planned."""
    if tracker == "github":
        project.box.github.edit("octo/widgets", 4, state="closed", state_reason="not_planned")
    else:
        project.box.ado.edit(101, state="Removed")


def is_calm(project: Project) -> bool:
    """Whether one more sync does nothing."""
    writes(project)
    before = project.tree()
    done = project.run("sync", "--check")
    again = project.run("sync")
    return (0, 0, [], before) == (done.code, again.code, writes(project), project.tree())


def test_an_item_that_another_increment_needs_stays_open_when_one_follows_a_close(
    project: Project,
) -> None:
    project.configure_more(tables='[sync]\non_close = "follow"\n')
    links = in_sync(project.items("github", "ado", finished=False), is_open=True)
    project.increment(status="active", links=links)
    project.increment(OTHER, status="active", links={"github": links["github"]})
    by_hand(project, "ado", opens=False)
    project.run("sync").ends(0)
    assert ["completed", "active"] == [project.metadata(n)["status"] for n in (NAME, OTHER)]
    assert project.states()["github"] == "open"


@pytest.mark.sample(at=(0,))
@pytest.mark.parametrize("origin", ["github", "ado"])
def test_nothing_is_sent_to_a_tracker_that_is_only_pulled_from(
    project: Project, origin: str
) -> None:
    policy = '[sync.trackers.ado]\ndirection = "pull"\n'
    seen_in_step(project, status="completed", policy=policy)
    labels = project.labels()["ado"]
    by_hand(project, origin, opens=True)
    project.run("sync").ends(0)
    closed = {"ado": CLOSED_STATES["ado"]} if origin != "ado" else {}
    assert {**OPEN_STATES, **closed} == project.states()
    assert (project.comments()["ado"], project.labels()["ado"]) == ([], labels)


def test_what_an_abandoned_increment_closed_is_open_again_once_one_of_its_items_is(
    project: Project,
) -> None:
    seen_in_step(project, status="active")
    assert project.run("abandon", "7", "--reason", "no use").code == 0
    by_hand(project, "jira", opens=True)
    done = project.run("sync")
    assert (0, "active") == (done.code, project.metadata()["status"]), done.said
    # A removed work item goes back to where it came from.
    assert {**OPEN_STATES, "ado": "New"} == project.states()
    assert all("reopened" in labels for labels in project.labels().values())
    assert is_calm(project)


@pytest.mark.sample(at=(1,))
@pytest.mark.parametrize(("conflict", "status"), [("remote", "completed"), ("local", "active")])
def test_items_that_were_closed_in_different_ways_are_a_conflict_for_the_policy(
    project: Project, conflict: str, status: str
) -> None:
    policy = f'[sync]\non_close = "follow"\nconflict = "{conflict}"\n'
    seen_in_step(project, status="active", policy=policy)
    drop(project, "ado")
    by_hand(project, "github", opens=False)
    done = project.run("sync", "--even-if-not-planned")
    assert (0, status) == (done.code, project.metadata()["status"]), done.said
    assert is_calm(project)


def test_a_pull_whose_files_were_lost_is_repeated_without_a_write(project: Project) -> None:
    seen_in_step(project, status="completed")
    before = (project.folder() / "metadata.json").read_bytes()
    by_hand(project, "github", opens=True)
    assert project.run("sync").code == 0
    assert [] == project.comments()["github"]
    op = project.metadata()["reopenHistory"][0]["id"]
    # Another clone, which does not know that.
    (project.folder() / "metadata.json").write_bytes(before)
    (project.folder() / "events.jsonl").unlink()
    writes(project)

    done = project.run("sync")

    assert (0, []) == (done.code, writes(project)), done.said
    assert ("active", [op]) == (
        project.metadata()["status"],
        [entry["id"] for entry in project.metadata()["reopenHistory"]],
    )


def test_one_reopen_from_elsewhere_speaks_for_all_items_of_its_increment(project: Project) -> None:
    seen_in_step(project, status="completed")
    # A branch that does not link the issue has reopened the others.
    op = new_ulid()
    for tracker in ("ado", "jira"):
        by_hand(project, tracker, opens=True)
    project.box.ado.add_comment(101, f"Reopened: more<br>{visible(op)}")
    project.box.jira.add_comment("SCRUM-28", f"Reopened: more\n\n{visible(op)}")
    by_hand(project, "github", opens=True)
    done = project.run("sync")
    assert (0, "completed") == (done.code, project.metadata()["status"]), done.said
    assert "reopened on another branch" in done.out


def test_a_close_that_is_delivered_late_leaves_open_what_is_needed_by_then(
    project: Project,
) -> None:
    links = project.items("github", finished=False)
    project.increment(status="active", links=links)
    project.increment("0008-other", status="completed", links=links)
    project.run("complete", "7", "--reason", "All is done", "--offline")
    project.run("resume", "8", "--reason", REASON, "--yes", "--offline")
    project.run("sync").ends(0, out="left open: 0008-other needs it")
    assert "open" == project.states()["github"]
    said = project.comments()["github"]
    assert 1 == sum("All is done" in body for body in said)
    assert project.run("complete", "8").code == 0
    assert "closed" == project.states()["github"]
