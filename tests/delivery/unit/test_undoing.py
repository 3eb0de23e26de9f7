"""Undo reverts the effect of the reopen on each item, and no later change."""

import json
from functools import partial

import pytest
from tests.cli.project import ALL, CLOSED, OPEN, Project
from tests.delivery.stage import RESUME, UNDO, completed_on, reopened_on

from unlatch_sandbox import Fault

LABELS = {
    "github": {"bug", "completed"},
    "ado": {"ui", "completed"},
    "jira": {"ux", "completed"},
}


def undone_comments(project: Project) -> dict[str, int]:
    said = project.comments()
    return {name: sum("Reopen undone" in text for text in said[name]) for name in said}


def set_by_hand(project: Project, tracker: str, state: str) -> None:
    box = project.box
    {
        "github": lambda: box.github.edit("octo/widgets", 4, state=state),
        "ado": lambda: box.ado.edit(101, state=state),
        "jira": lambda: box.jira.edit("SCRUM-28", status=state),
    }[tracker]()


def relabel_by_hand(project: Project, tracker: str) -> None:
    box = project.box
    {
        "github": lambda: box.github.edit("octo/widgets", 4, labels=["bug", "reopened", "mine"]),
        "ado": lambda: box.ado.edit(101, tags=["ui", "reopened", "mine"]),
        "jira": lambda: box.jira.edit("SCRUM-28", labels=["ux", "reopened", "mine"]),
    }[tracker]()


@pytest.fixture
def reopened(project: Project) -> Project:
    return reopened_on(project, *ALL)


@pytest.fixture
def issue(project: Project) -> Project:
    """The same with an issue alone."""
    return reopened_on(project, "github")


def test_everything_is_as_before_but_for_one_comment(reopened: Project) -> None:
    done = reopened.run(*UNDO, "--reason", "Wrong increment")

    assert done.code == 0, done.said
    assert CLOSED == reopened.states()
    assert LABELS == reopened.labels()
    assert dict.fromkeys(ALL, 2) == {name: len(c) for name, c in reopened.comments().items()}
    assert dict.fromkeys(ALL, 1) == undone_comments(reopened)
    assert all("Wrong increment" in said[-1] for said in reopened.comments().values())


def edit_other_fields(project: Project, tracker: str) -> None:
    box = project.box
    if tracker == "github":
        box.github.add_comment("octo/widgets", 4, "Thanks")
        box.github.edit("octo/widgets", 4, body="Other words")
    elif tracker == "ado":
        box.ado.add_comment(101, "<p>Thanks</p>")
        box.ado.edit(101, description="Other words")
        box.ado.edit(101, title="Other words")
    else:
        box.jira.add_comment("SCRUM-28", "Thanks")
        box.jira.edit("SCRUM-28", description="Other words")


@pytest.mark.sample
@pytest.mark.parametrize("labels", ["as before", "of others"])
@pytest.mark.parametrize("tracker", ALL)
def test_edits_that_leave_the_reopened_fields_alone_are_kept_and_no_obstacle(
    project: Project, tracker: str, labels: str
) -> None:
    reopened = reopened_on(project, tracker)
    edit_other_fields(reopened, tracker)
    mine = {"mine"} if labels == "of others" else set()
    if mine:
        relabel_by_hand(reopened, tracker)

    done = reopened.run(*UNDO)

    assert done.code == 0, done.said
    assert {tracker: CLOSED[tracker]} == reopened.states()
    assert {tracker: LABELS[tracker] | mine} == reopened.labels()
    assert {tracker: 1} == undone_comments(reopened)


BY_HAND = [
    ("github", "closed"),
    ("ado", "Closed"),
    ("ado", "New"),
    ("jira", "Done"),
    ("jira", "To Do"),
]


@pytest.mark.sample(2)
@pytest.mark.parametrize(("tracker", "state"), BY_HAND)
def test_an_item_that_was_closed_or_moved_by_hand_is_left_and_listed(
    project: Project, tracker: str, state: str
) -> None:
    others = ["jira"] if tracker == "github" else ["github"]
    reopened = reopened_on(project, tracker, *others)
    set_by_hand(reopened, tracker, state)
    labels = reopened.labels()[tracker]

    done = reopened.run(*UNDO, "--json")

    assert done.code == 0, done.said
    assert {tracker: state, **{name: CLOSED[name] for name in others}} == reopened.states()
    assert {tracker: labels, **{name: LABELS[name] for name in others}} == reopened.labels()
    assert {tracker: 0, **dict.fromkeys(others, 1)} == undone_comments(reopened)
    notes = {entry["tracker"]: entry["notes"] for entry in done.document["trackers"]}
    assert {tracker: [f"left as it is: its state is {state} now"], others[0]: []} == notes


@pytest.mark.parametrize("resume", [RESUME, (*RESUME, "--offline")], ids=["tried", "offline"])
def test_an_item_that_was_never_found_leaves_no_undo_behind(
    project: Project, resume: tuple[str, ...]
) -> None:
    url = project.urls["github"].replace("/issues/4", "/issues/444")
    project.increment(links={"github": {"issue": 444, "url": url}})
    project.run(*resume)

    done = project.run(*UNDO)

    assert done.code == 0, done.said
    said = "GitHub octo/widgets#444 nothing to do\n    note: it was not found, and the reopen was"
    assert said in done.out
    assert "pending" not in project.metadata()


def test_an_undo_waits_for_an_item_that_was_reopened_and_is_not_found(issue: Project) -> None:
    issue.box.faults.add(Fault("github", "status", code=404, times=99))

    done = issue.run(*UNDO)

    assert done.code == 3, done.said
    assert ["github"] == [one["tracker"] for one in issue.metadata()["pending"]]


def test_what_was_open_before_stays_open(completed: Project) -> None:
    completed.box.github.edit("octo/widgets", 4, state="open")
    completed.run(*RESUME)

    done = completed.run(*UNDO)

    assert done.code == 0, done.said
    assert {**CLOSED, "github": "open"} == completed.states()
    assert "it stays open, as the reopen found it" in done.out
    assert LABELS == completed.labels()
    assert undone_comments(completed)["github"] == 1


@pytest.mark.sweep
def test_what_was_closed_on_purpose_is_closed_on_purpose_again(completed: Project) -> None:
    box = completed.box
    box.github.edit("octo/widgets", 4, state="open")
    box.github.edit("octo/widgets", 4, state="closed", state_reason="not_planned")
    box.ado.edit(101, state="Removed")
    assert completed.run(*RESUME, "--even-if-not-planned").code == 0
    assert {**OPEN, "ado": "New"} == completed.states()

    done = completed.run(*UNDO)

    assert done.code == 0, done.said
    assert box.github.issue("octo/widgets", 4)["state_reason"] == "not_planned"
    assert completed.states()["ado"] == "Removed"


def test_a_label_that_somebody_added_while_it_was_reopened_is_theirs(project: Project) -> None:
    completed_on(project, "github")
    labels = ["bug", "completed", "urgent"]
    action = partial(project.box.github.edit, "octo/widgets", 4, labels=labels)
    project.box.faults.add(Fault("github", "human", method="PATCH", action=action))
    project.run(*RESUME)
    assert {"github": {"bug", "reopened", "urgent"}} == project.labels()

    done = project.run(*UNDO)

    assert done.code == 0, done.said
    assert {"github": {*labels}} == project.labels()
    assert {"github": "closed"} == project.states()


def test_an_item_that_another_increment_needs_by_now_stays_open(issue: Project) -> None:
    block = {"issue": 4, "url": issue.urls["github"]}
    issue.increment("0009-other", status="active", links={"github": block})

    done = issue.run(*UNDO)

    assert "left as it is: 0009-other needs it" in done.out
    assert {"github": "open"} == issue.states()


def test_undo_before_delivery_opens_nothing_and_closes_nothing(single: Project) -> None:
    before = (single.states(), single.labels(), single.comments())
    single.run(*RESUME, "--offline")

    done = single.run(*UNDO)

    assert done.code == 0, done.said
    assert before == (single.states(), single.labels(), single.comments())
    assert single.wrote() == []
    assert "pending" not in single.metadata()


def test_a_reopen_whose_finds_nobody_noted_is_left_for_people_to_decide(
    reopened: Project,
) -> None:
    (reopened.folder() / "events.jsonl").unlink()
    metadata = reopened.metadata()
    for block in metadata["reopenHistory"][0]["syncedTo"].values():
        del block["items"]
    (reopened.folder() / "metadata.json").write_text(json.dumps(metadata, indent=2))

    done = reopened.run(*UNDO)

    assert done.code == 5, done.said
    assert done.said.count("unlatch did not record whether it was open before the reopen") == 3
    assert OPEN == reopened.states()
    assert dict.fromkeys(ALL, 0) == undone_comments(reopened)


# Before each of GitHub's requests that an undo sends after its reads, and after each.
INTERRUPTED = [
    ("github", "PATCH", "/issues/4"),
    ("github", "POST", "/comments"),
    ("github", "POST", "/labels"),
    ("github", "DELETE", "/labels"),
    ("ado", "PATCH", "(?i)/workitems/"),
    ("jira", "POST", "/transitions"),
    ("jira", "PUT", "/issue/SCRUM-28"),
]


@pytest.mark.sample(2)
@pytest.mark.parametrize("place", INTERRUPTED)
@pytest.mark.parametrize(
    ("kind", "style"), [("drop-after", "full"), ("drop", "full"), ("drop-after", "none")]
)
def test_an_undo_that_was_interrupted_is_finished_by_sync(
    project: Project, place: tuple[str, str, str], kind: str, style: str
) -> None:
    tracker, method, path = place
    reopened = reopened_on(project, tracker)
    reopened.box.faults.add(Fault(tracker, kind, method=method, path=path))
    if reopened.run(*UNDO, "--comment", style).code == 0:
        assert (path, style) == ("/comments", "none")  # nothing was said, so nothing was hit
        return
    reopened.forget_local()

    done = reopened.run("sync", "7", "--yes")

    assert done.code == 0, done.said
    assert {tracker: CLOSED[tracker]} == reopened.states()
    assert {tracker: LABELS[tracker]} == reopened.labels()
    assert {tracker: 1 if style == "full" else 0} == undone_comments(reopened)
    assert "pending" not in reopened.metadata()


def test_an_item_that_was_closed_by_hand_before_sync_is_left(issue: Project) -> None:
    issue.run(*UNDO, "--offline")
    set_by_hand(issue, "github", "closed")

    done = issue.run("sync", "7", "--yes")

    assert done.code == 0, done.said
    assert "left as it is: its state is closed now" in done.said
    assert {"github": "closed"} == issue.states()
    assert {"github": {"bug", "reopened"}} == issue.labels()
    assert {"github": 0} == undone_comments(issue)
