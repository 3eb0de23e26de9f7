"""metadata.json during a delivery: each attempt, the item before, and the end."""

from datetime import datetime
from typing import Any

import pytest
from tests.cli.project import CLOSED, OPEN, REASON, Project
from tests.delivery.stage import (
    ALL,
    BATCH,
    BATCH_ITEMS,
    RESUME,
    SYNC,
    Held,
    add_batch,
    completed_on,
    count_markers,
    edit_metadata,
    fault,
    kill_when_held,
    reached,
    start,
)

from unlatch_sandbox import Fault

OP, OTHER, THIRD = (f"01JB00000000000000000000{tail}" for tail in ("A1", "B2", "C3"))
AT = "2026-01-02T03:04:05Z"


def attempts(project: Project) -> list[dict[str, Any]]:
    return [operation["attempt"] for operation in project.metadata()["pending"]]


@pytest.mark.parametrize("tracker", ALL)
def test_an_attempt_is_on_disk_before_the_first_write(project: Project, tracker: str) -> None:
    completed_on(project, tracker)
    labels = project.labels()[tracker]
    held = Held()
    project.box.faults.add(fault(tracker, "state", "human", action=held))

    kill_when_held(start(project, *RESUME), held)

    (attempt,) = attempts(project)
    assert (1, None) == (attempt["n"], attempt.get("ended"))
    assert datetime.fromisoformat(attempt["at"]).tzinfo is not None
    before = attempt["before"]
    assert (CLOSED[tracker], "done", labels) == (
        before["state"],
        before["category"],
        set(before["labels"]),
    )
    assert (tracker == "ado") is ("revision" in before)


@pytest.mark.sample
@pytest.mark.parametrize("tracker", ALL)
@pytest.mark.parametrize("attempts_made", [1, 2])
def test_what_the_item_was_at_first_moves_to_the_history_when_it_is_delivered(
    project: Project, tracker: str, attempts_made: int
) -> None:
    completed_on(project, tracker)
    labels = project.labels()[tracker]
    if attempts_made > 1:
        project.box.faults.add(fault(tracker, "comment", "drop-after"))
        assert project.run(*RESUME).code == 3
        (attempt,) = attempts(project)
        assert "cause" in attempt
        assert "ended" not in attempt  # what was sent may still take effect

    assert project.run(*(RESUME if attempts_made == 1 else SYNC)).code == 0

    entry = reached(project, tracker)
    assert entry is not None
    assert (CLOSED[tracker], labels) == (entry["before"]["state"], set(entry["before"]["labels"]))
    assert "pending" not in project.metadata()


RESUME_MANY = ("resume", *BATCH, "--reason", REASON, "--yes")


def assert_all_are_delivered_once(project: Project) -> None:
    done = project.run("sync", "--yes")
    assert done.code == 0, done.said
    comments = [project.box.ado.comments(item) for item in BATCH_ITEMS]
    assert [1] * 4 == [len(found) for found in comments]
    assert all(item.open for item in project.box.ado.items())


def test_every_item_of_a_batch_has_its_attempt_on_disk_before_it_is_sent(project: Project) -> None:
    add_batch(project)
    held = Held()
    project.box.faults.add(Fault("ado", "human", method="PATCH", path="(?i)batch", action=held))

    kill_when_held(start(project, *RESUME_MANY), held)

    noted = [project.metadata(name)["pending"][0]["attempt"] for name in BATCH]
    assert [("Closed", None)] * 4 == [
        (attempt["before"]["state"], attempt.get("ended")) for attempt in noted
    ]
    assert_all_are_delivered_once(project)


@pytest.mark.sample
@pytest.mark.parametrize("kind", ["drop-after", "drop"])
def test_a_batch_whose_answer_was_lost_is_delivered_once(project: Project, kind: str) -> None:
    add_batch(project)
    project.box.faults.add(Fault("ado", kind, method="PATCH", path="(?i)batch"))
    assert project.run(*RESUME_MANY).code == 3

    assert_all_are_delivered_once(project)
    entries = [reached(project, "ado", name) for name in BATCH]
    assert ["Closed"] * 4 == [entry["before"]["state"] for entry in entries if entry]


# metadata.json as version 0.1.0 wrote it, with operations in it.


def pending_as_before(url: str, **more: Any) -> dict[str, Any]:
    return {"op": OP, "kind": "reopen", "tracker": "github", "item": url, "at": AT, **more}


def history_as_before(**more: Any) -> dict[str, Any]:
    return {
        "id": OP,
        "reopenedAt": AT,
        "reason": REASON,
        "previousStatus": "completed",
        "previousCompletedAt": "2026-01-01T00:00:00Z",
        "reopenedBy": "Gil",
        "syncedTo": {},
        **more,
    }


EARLIER: dict[str, dict[str, Any]] = {
    "fresh": {},
    "with options": {"comment": "short", "evenIfNotPlanned": True, "options": ["allow-path"]},
    "blocked": {"cause": "item-locked", "parkedAt": AT},
}


@pytest.mark.sample
@pytest.mark.parametrize("earlier", EARLIER)
@pytest.mark.parametrize("posted", [False, True])
def test_a_pending_reopen_of_an_earlier_version_is_delivered_once(
    project: Project, earlier: str, posted: bool
) -> None:
    completed_on(project, "github")
    operation = pending_as_before(project.urls["github"], **EARLIER[earlier])
    edit_metadata(
        project,
        lambda data: data.update(
            status="active", reopenHistory=[history_as_before()], pending=[operation]
        ),
    )
    if posted:
        text = f"Reopened: {REASON} <!-- unlatch:op={OP} -->"
        project.box.github.edit("octo/widgets", 4, state="open")
        project.box.github.add_comment("octo/widgets", 4, text, user="octocat")

    done = project.run(*SYNC)

    assert (0, OPEN["github"]) == (done.code, project.states()["github"]), done.said
    assert {("github", OP): 1} == dict(count_markers(project))
    assert "pending" not in project.metadata()
    assert reached(project, "github") is not None
