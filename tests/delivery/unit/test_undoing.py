"""Undo reverts the effect of the reopen on each item, and no later change."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.changes import undo
from tests.cli.project import ALL, CLOSED, NAME, OPEN, REASON, Project
from tests.delivery.stage import completed_on

from unlatch.increments.files.paths import paths_at
from unlatch.project.workspace import Workspace
from unlatch_sandbox import Fault

if TYPE_CHECKING:
    from collections.abc import Callable

RESUME = ("resume", "7", "--reason", REASON, "--yes")
UNDO = ("undo", "7", "--yes")
LABELS = {
    "github": {"bug", "completed"},
    "ado": {"ui", "completed"},
    "jira": {"ux", "completed"},
}


def undone_comments(project: Project) -> dict[str, int]:
    said = project.comments()
    return {name: sum("Reopen undone" in text for text in said[name]) for name in said}


def close_by_hand(project: Project, tracker: str) -> None:
    box = project.box
    {
        "github": lambda: box.github.edit("octo/widgets", 4, state="closed"),
        "ado": lambda: box.ado.edit(101, state="Closed"),
        "jira": lambda: box.jira.edit("SCRUM-28", status="Done"),
    }[tracker]()


def relabel_by_hand(project: Project, tracker: str) -> None:
    box = project.box
    {
        "github": lambda: box.github.edit("octo/widgets", 4, labels=["bug", "reopened", "mine"]),
        "ado": lambda: box.ado.edit(101, tags=["ui", "reopened", "mine"]),
        "jira": lambda: box.jira.edit("SCRUM-28", labels=["ux", "reopened", "mine"]),
    }[tracker]()


def reopened_on(project: Project, *trackers: str) -> Project:
    completed_on(project, *trackers)
    assert project.run(*RESUME).code == 0
    project.box.requests.clear()
    return project


@pytest.fixture
def reopened(project: Project) -> Project:
    return reopened_on(project)


def test_everything_is_as_before_but_for_one_comment(reopened: Project) -> None:
    done = reopened.run(*UNDO, "--reason", "Wrong increment")

    assert done.code == 0, done.said
    assert CLOSED == reopened.states()
    assert LABELS == reopened.labels()
    assert dict.fromkeys(ALL, 2) == {name: len(c) for name, c in reopened.comments().items()}
    assert dict.fromkeys(ALL, 1) == undone_comments(reopened)
    assert all("Wrong increment" in said[-1] for said in reopened.comments().values())


EDITS_OF_OTHERS: dict[tuple[str, str], Callable[[Project], object]] = {
    ("github", "comment"): lambda one: one.box.github.add_comment("octo/widgets", 4, "Thanks"),
    ("github", "body"): lambda one: one.box.github.edit("octo/widgets", 4, body="Other words"),
    ("ado", "comment"): lambda one: one.box.ado.add_comment(101, "<p>Thanks</p>"),
    ("ado", "description"): lambda one: one.box.ado.edit(101, description="Other words"),
    ("ado", "title"): lambda one: one.box.ado.edit(101, title="Other words"),
    ("jira", "comment"): lambda one: one.box.jira.add_comment("SCRUM-28", "Thanks"),
    ("jira", "description"): lambda one: one.box.jira.edit("SCRUM-28", description="Other words"),
}


@pytest.mark.parametrize(("tracker", "part"), EDITS_OF_OTHERS)
def test_a_revision_that_leaves_the_reopened_fields_alone_is_no_obstacle(
    project: Project, tracker: str, part: str
) -> None:
    reopened = reopened_on(project, tracker)
    EDITS_OF_OTHERS[tracker, part](reopened)

    done = reopened.run(*UNDO)

    assert done.code == 0, done.said
    assert {tracker: CLOSED[tracker]} == reopened.states()
    assert {tracker: LABELS[tracker]} == reopened.labels()
    assert {tracker: 1} == undone_comments(reopened)


@pytest.mark.parametrize("tracker", ALL)
def test_an_item_that_was_closed_by_hand_is_left_and_listed(
    reopened: Project, tracker: str
) -> None:
    close_by_hand(reopened, tracker)
    labels = reopened.labels()[tracker]

    done = reopened.run(*UNDO, "--json")

    assert done.code == 0, done.said
    assert CLOSED == reopened.states()
    assert {**LABELS, tracker: labels} == reopened.labels()
    assert {**dict.fromkeys(ALL, 1), tracker: 0} == undone_comments(reopened)
    notes = {entry["tracker"]: entry["notes"] for entry in done.document["trackers"]}
    assert notes[tracker] == [f"left as it is: its state is {CLOSED[tracker]} now"]


@pytest.mark.parametrize("tracker", ALL)
def test_labels_of_others_are_kept_and_do_not_hinder_an_undo(
    reopened: Project, tracker: str
) -> None:
    relabel_by_hand(reopened, tracker)

    done = reopened.run(*UNDO)

    assert done.code == 0, done.said
    assert CLOSED == reopened.states()
    assert {**LABELS, tracker: LABELS[tracker] | {"mine"}} == reopened.labels()


@pytest.mark.parametrize("tracker", ["ado", "jira"])
def test_an_item_that_was_moved_on_by_hand_is_left_and_listed(
    reopened: Project, tracker: str
) -> None:
    box = reopened.box
    {
        "ado": lambda: box.ado.edit(101, state="New"),
        "jira": lambda: box.jira.edit("SCRUM-28", status="To Do"),
    }[tracker]()
    before = (reopened.states()[tracker], reopened.labels()[tracker])

    done = reopened.run(*UNDO, "--json")

    assert done.code == 0, done.said
    assert before == (reopened.states()[tracker], reopened.labels()[tracker])
    assert {**dict.fromkeys(ALL, 1), tracker: 0} == undone_comments(reopened)
    notes = {entry["tracker"]: entry["notes"] for entry in done.document["trackers"]}
    assert "left as it is: its state is" in notes.pop(tracker)[0]
    assert [[], []] == list(notes.values())


def test_a_revision_that_moved_on_does_not_hinder_an_undo(reopened: Project) -> None:
    reopened.box.ado.edit(101, title="Renamed meanwhile")

    done = reopened.run(*UNDO)

    assert done.code == 0, done.said
    assert CLOSED == reopened.states()


@pytest.mark.parametrize("resume", [RESUME, (*RESUME, "--offline")], ids=["tried", "offline"])
def test_an_item_that_was_never_found_leaves_no_undo_behind(
    completed: Project, resume: tuple[str, ...]
) -> None:
    path = completed.folder() / "metadata.json"
    text = path.read_text().replace("/issues/4", "/issues/444")
    path.write_text(text.replace('"issue": 4', '"issue": 444'))
    completed.run(*resume)

    done = completed.run(*UNDO)

    assert done.code == 0, done.said
    said = "GitHub octo/widgets#444 nothing to do\n    note: it was not found, and the reopen was"
    assert said in done.out
    assert "pending" not in completed.metadata()


def test_an_undo_waits_for_an_item_that_was_reopened_and_is_not_found(reopened: Project) -> None:
    reopened.box.faults.add(Fault("github", "status", code=404, times=99))

    done = reopened.run(*UNDO)

    assert done.code == 3, done.said
    assert ["github"] == [one["tracker"] for one in reopened.metadata()["pending"]]


def test_what_was_open_before_stays_open(completed: Project) -> None:
    completed.box.github.edit("octo/widgets", 4, state="open")
    completed.run(*RESUME)

    done = completed.run(*UNDO)

    assert done.code == 0, done.said
    assert {**CLOSED, "github": "open"} == completed.states()
    assert "it stays open, as the reopen found it" in done.out
    assert LABELS == completed.labels()
    assert undone_comments(completed)["github"] == 1


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


def test_a_label_that_somebody_added_while_it_was_reopened_is_theirs(completed: Project) -> None:
    box = completed.box
    box.faults.add(
        Fault(
            "github",
            "human",
            method="PATCH",
            action=lambda: box.github.edit(
                "octo/widgets", 4, labels=["bug", "completed", "urgent"]
            ),
        )
    )
    completed.run(*RESUME)
    assert {"bug", "reopened", "urgent"} == completed.labels()["github"]

    done = completed.run(*UNDO)

    assert done.code == 0, done.said
    assert {"bug", "completed", "urgent"} == completed.labels()["github"]
    assert completed.states() == CLOSED


def test_an_item_that_another_increment_needs_by_now_stays_open(reopened: Project) -> None:
    block = {"issue": 4, "url": reopened.urls["github"]}
    reopened.increment("0009-other", status="active", links={"github": block})

    done = reopened.run(*UNDO)

    assert "left as it is: 0009-other needs it" in done.out
    assert {**CLOSED, "github": "open"} == reopened.states()


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


def test_a_reopen_whose_answer_was_lost_is_taken_back(completed: Project) -> None:
    completed.box.faults.add(Fault("github", "drop-after", method="POST", path="/comments"))
    assert completed.run(*RESUME).code == 3
    assert completed.run("sync", "7").code == 0

    done = completed.run(*UNDO)

    assert done.code == 0, done.said
    assert CLOSED == completed.states()
    assert LABELS == completed.labels()


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


# At each place the answer is lost; the other two ways are tried at every third place, and
# everywhere by `make torture`.
WAYS = [
    pytest.param(
        *(place, kind, style),
        marks=pytest.mark.sweep if (p + w) % 3 and w else (),
        id=" ".join((*place, kind, style)),
    )
    for p, place in enumerate(INTERRUPTED)
    for w, (kind, style) in enumerate(
        (("drop-after", "full"), ("drop", "full"), ("drop-after", "none"))
    )
]


@pytest.mark.parametrize(("place", "kind", "style"), WAYS)
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

    done = reopened.run("sync", "7")

    assert done.code == 0, done.said
    assert {tracker: CLOSED[tracker]} == reopened.states()
    assert {tracker: LABELS[tracker]} == reopened.labels()
    assert {tracker: 1 if style == "full" else 0} == undone_comments(reopened)
    assert "pending" not in reopened.metadata()


def test_an_item_that_was_closed_by_hand_before_sync_is_left(reopened: Project) -> None:
    reopened.run(*UNDO, "--offline")
    close_by_hand(reopened, "github")

    done = reopened.run("sync", "7")

    assert done.code == 0, done.said
    assert "left as it is: its state is closed now" in done.said
    assert CLOSED == reopened.states()
    assert {**LABELS, "github": {"bug", "reopened"}} == reopened.labels()
    assert undone_comments(reopened)["github"] == 0


def test_an_undo_while_the_reopen_is_on_its_way_takes_it_back_all_the_same(
    completed: Project,
) -> None:
    def undo_it() -> None:
        workspace = Workspace(
            paths_at(completed.root), environ={}, user_config=completed.home / "none.toml"
        )
        undo(workspace.manager, NAME, by="Dana")

    completed.box.faults.add(Fault("github", "human", method="PATCH", action=undo_it))
    completed.run(*RESUME)

    done = completed.run("sync", "7")

    assert done.code == 0, done.said
    assert CLOSED == completed.states()
    assert LABELS == completed.labels()
    assert completed.metadata()["status"] == "completed"


def test_an_undo_that_a_new_reopen_follows_is_told_before_it(reopened: Project) -> None:
    reopened.run(*UNDO, "--offline")
    reopened.run("resume", "7", "--reason", "Once more", "--yes", "--offline")

    done = reopened.run("sync", "7")

    assert done.code == 0, done.said
    assert OPEN == reopened.states()
    assert [3, 3, 3] == [len(said) for said in reopened.comments().values()]
    assert all("Reopen undone" in said[-2] for said in reopened.comments().values())
    assert all("Once more" in said[-1] for said in reopened.comments().values())


def entries(project: Project) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = project.metadata()["reopenHistory"]
    return found


def test_what_is_undone_last_is_the_last_reopen(reopened: Project) -> None:
    reopened.run(*UNDO)
    reopened.run("resume", "7", "--reason", "Once more", "--yes")

    assert reopened.run(*UNDO).code == 0

    assert [True, True] == ["revertedAt" in entry for entry in entries(reopened)]
    assert CLOSED == reopened.states()
    assert dict.fromkeys(ALL, 2) == undone_comments(reopened)
