from __future__ import annotations

from dataclasses import replace

import pytest
from tests.changes import reopen, transition
from tests.increments.files.making import GITHUB, STAMP, Project, github, metadata, tree, ulid

from unlatch.errors import StoreError, UsageError
from unlatch.increments.model.increment import Link
from unlatch.increments.model.status import LIFECYCLE, Status
from unlatch.spi.operation import Kind, Operation

LINKED = {"github": {"issue": 4, "url": GITHUB.format(4)}, "jira": {"issueKey": "SCRUM-28"}}


def kinds(pending: tuple[Operation, ...]) -> list[tuple[str, str, bool]]:
    return [(o.kind.value, o.tracker, o.state) for o in pending]


# tests/increments/model/test_status.py has the whole product.
MOVES = [
    (Status.PLANNING, Status.ACTIVE),
    (Status.ACTIVE, Status.COMPLETED),
    (Status.READY_FOR_REVIEW, Status.ABANDONED),
    (Status.ABANDONED, Status.ACTIVE),
    (Status.PLANNING, Status.COMPLETED),
    (Status.PAUSED, Status.PAUSED),
    (Status.COMPLETED, Status.ACTIVE),
]


@pytest.mark.parametrize(("before", "after"), MOVES)
def test_a_move_is_made_or_refused_by_the_table(
    project: Project, before: Status, after: Status
) -> None:
    project.add(metadata(status=before.value))
    untouched = tree(project.root)
    if before is Status.COMPLETED or after not in LIFECYCLE.moves[before]:
        with pytest.raises(StoreError) as caught:
            transition(project.manager, "7", after, by="ada", reason="why")
        assert (caught.value.id, tree(project.root)) == ("transition-refused", untouched)
        resume = "unlatch resume 0007-search" if before is Status.COMPLETED else None
        assert resume in (None, caught.value.hint)
        return
    found = transition(project.manager, "7", after, by="ada", reason="why")
    assert (found.status, project.data()["status"]) == (after, after.value)
    moved = {"reason": "why", "from": before.value, "to": after.value}
    told = {"id": ulid(1), "at": STAMP, "event": "transitioned", "by": "ada", **moved}
    assert project.events() == [told]
    assert "reopenHistory" not in project.data()


@pytest.mark.parametrize("before", [s for s in Status if s is not Status.COMPLETED])
def test_only_leaving_what_is_finished_needs_a_reason(project: Project, before: Status) -> None:
    project.add(metadata(status=before.value))
    untouched = tree(project.root)
    after = next(iter(LIFECYCLE.moves[before]))
    if before is Status.ABANDONED:
        with pytest.raises(UsageError) as caught:
            transition(project.manager, "7", after, by="ada")
        assert (caught.value.id, tree(project.root)) == ("reason-missing", untouched)
    else:
        assert transition(project.manager, "7", after, by="ada").status is after
        assert "reason" not in project.events()[0]


def test_a_reason_that_is_given_may_not_be_blank(project: Project) -> None:
    project.add(metadata(status="active"))
    with pytest.raises(UsageError) as caught:
        transition(project.manager, "7", Status.PAUSED, by="ada", reason=" ")
    assert caught.value.id == "reason-missing"


@pytest.mark.parametrize(
    ("before", "after", "times"),
    [
        ({}, Status.COMPLETED, {"completedAt": STAMP}),
        ({"completed": None}, Status.COMPLETED, {"completed": STAMP}),
        ({}, Status.PAUSED, {}),
        ({}, Status.ABANDONED, {}),
    ],
)
def test_completing_notes_the_time_under_the_name_that_stands(
    project: Project, before: dict[str, None], after: Status, times: dict[str, str]
) -> None:
    project.add({**before, "status": "active"})
    transition(project.manager, "7", after, by="ada")
    assert project.data() == {**times, "status": after.value, "lastActivity": STAMP}


def test_an_operation_is_enqueued_for_each_item(project: Project) -> None:
    project.add(metadata(status="active", **LINKED))
    after = transition(
        project.manager, "7", Status.ABANDONED, by="ada", reason="no use", enqueue=Kind.CLOSE
    )
    common = {"kind": "close", "at": STAMP, "by": "ada", "reason": "no use", "op": ulid(1)}
    assert project.data()["pending"] == [
        {**common, "tracker": "github", "item": GITHUB.format(4)},
        {**common, "tracker": "jira", "item": "SCRUM-28"},
    ]
    assert {operation.op for operation in after.pending} == {project.events()[0]["id"]}


@pytest.mark.parametrize(
    "spared", [github(4), Link("github", "4"), github(4, repository="OCTO/widgets")]
)
def test_nothing_is_enqueued_for_spared_items(project: Project, spared: Link) -> None:
    project.add(metadata(status="active", **LINKED))
    after = transition(
        project.manager, "7", Status.COMPLETED, by="ada", enqueue=Kind.CLOSE, exclude=[spared]
    )
    assert kinds(after.pending) == [("close", "jira", True)]


@pytest.mark.parametrize(
    ("before", "after", "archived"),
    [(Status.ABANDONED, Status.ACTIVE, False), (Status.ACTIVE, Status.COMPLETED, True)],
)
def test_unfinished_work_comes_out_of_the_archive_and_finished_work_stays(
    project: Project, before: Status, after: Status, *, archived: bool
) -> None:
    project.add(metadata(status=before.value), archive="_archive")
    moved = transition(project.manager, "7", after, by="ada", reason="why")
    assert (moved.archived, moved.status) == (archived, after)


# ---- what a later change of status leaves of an undelivered operation ---------------------------


@pytest.mark.parametrize(
    ("before", "acts", "left"),
    [
        ("completed", ["reopen", "completed"], {"reopen": False, "close": True}),
        ("active", ["completed", "reopen"], {"reopen": True}),
        ("active", ["completed: shipped", "reopen"], {"close": False, "reopen": True}),
        (
            "completed",
            ["reopen: first", "completed", "reopen: second", "completed", "reopen: third"],
            {"reopen: first": False, "reopen: second": False, "reopen: third": True},
        ),
        *(("completed", ["reopen", to], {"reopen": True}) for to in ("paused", "backlog")),
        ("completed", ["reopen", "ready_for_review"], {"reopen": True}),
    ],
    ids=[
        *("the comment of a reopen stays", "a close without words goes", "its words stay"),
        *("each reason is a comment", "no pause", "no backlog", "no review"),
    ],
)
def test_a_later_status_overtakes_the_state_of_an_operation_and_not_its_words(
    project: Project, before: str, acts: list[str], left: dict[str, bool]
) -> None:
    project.add(metadata(status=before, **LINKED))
    for act in acts:
        word, _, reason = act.partition(": ")
        if word == "reopen":
            reopen(project.manager, "7", reason or "why", "ada")
        else:
            close = Kind.CLOSE if word == "completed" else None
            transition(
                project.manager, "7", Status(word), by="ada", enqueue=close, reason=reason or None
            )
    found = project.manager.read("7")
    assert kinds(found.pending) == [
        (word.partition(":")[0], tracker, state)
        for word, state in left.items()
        for tracker in ("github", "jira")
    ]
    said = {entry.id: entry.reason for entry in found.reopens}
    words = [operation.reason or said.get(operation.op) for operation in found.pending[::2]]
    assert [word.partition(": ")[2] for word in left if ": " in word] in ([], words)
    assert "shipped" in words or "completed: shipped" not in acts


def test_creating_and_updating_are_no_state_steps(project: Project) -> None:
    common = {"tracker": "github", "item": "octo/widgets", "at": STAMP, "by": "ada"}
    pending = [
        {"op": ulid(n), "kind": kind, **common} for n, kind in ((8, "create"), (9, "update"))
    ]
    project.add(metadata(pending=pending))
    reopen(project.manager, "7", "why", "ada")
    assert project.data()["pending"] == pending


def test_an_overtaken_operation_keeps_what_else_stands_in_it(project: Project) -> None:
    parked = {"cause": "item-locked", "parkedAt": STAMP, "theirs": {"x": 1}}
    common = {"op": ulid(9), "kind": "close", "tracker": "jira", "item": "A-1", "at": STAMP}
    project.add(metadata(pending=[{**common, "by": "ada", "reason": "r", **parked}]))
    after, _ = reopen(project.manager, "7", "why", "ada")
    expected = {**common, "by": "ada", "reason": "r", **parked, "state": False}
    assert (project.data()["pending"], after.pending[0].cause) == ([expected], "item-locked")


def test_an_increment_with_another_status_is_otherwise_the_same(project: Project) -> None:
    project.add(metadata(**LINKED))
    before = project.manager.read("7")

    after = before.with_status(Status.ACTIVE, ())
    assert replace(before, status=Status.ACTIVE, pending=()) == after
    assert before.links == after.links != ()
