"""Files as SpecWeave has written them since 2026."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.changes import reopen
from tests.increments.files.making import STAMP, Project, metadata

from unlatch.increments.model.status import Status

if TYPE_CHECKING:
    from pathlib import Path

IMPORTED = {
    "id": "0024G-batch-requests",
    "type": "feature",
    "status": "imported",
    "created": "2026-04-12T20:49:39Z",
    "updated": "2026-04-13T20:49:39Z",
    "origin": "external",
}


def test_an_imported_increment_is_listed_and_found_by_its_number(project: Project) -> None:
    project.add(IMPORTED, name="0024G-batch-requests")
    (found,) = project.manager.list()
    assert found.id == "0024G-batch-requests"
    for wanted in ("24G", "0024g", "24", "0024G-batch-requests"):
        assert project.manager.read(wanted).status is Status.BACKLOG


def test_a_new_increment_takes_a_number_of_its_own(project: Project) -> None:
    project.add(IMPORTED, name="0024G-batch-requests")
    assert project.manager.create("More", kind="feature", by="ada").id == "0025-more"


def test_the_word_of_a_status_stays_until_the_status_changes(project: Project) -> None:
    project.add(metadata(status="done"), spec="---\nstatus: done\n---\n# Search\n")
    project.manager.read("7")
    assert project.data()["status"] == "done"
    assert reopen(project.manager, "7", "More", "ada")[0].status is Status.ACTIVE
    assert project.data()["status"] == "active"


@pytest.mark.parametrize("key", ["updated", "updatedAt"])
def test_activity_is_read_and_written_under_the_names_of_today(project: Project, key: str) -> None:
    content = metadata(status="completed") | {key: "2026-04-12T20:49:39Z"}
    del content["lastActivity"]
    project.add(content)
    found = project.manager.read("7")
    assert found.last_activity
    assert found.last_activity.isoformat() == "2026-04-12T20:49:39+00:00"
    reopen(project.manager, "7", "More", "ada")
    assert project.data()[key] == STAMP
    assert "lastActivity" not in project.data()


def completed_with(project: Project, key: str) -> Path:
    content = metadata()
    del content["completedAt"]
    return project.add(content | {key: "2026-02-10"})


@pytest.mark.parametrize(("key", "stays"), [("completedDate", False), ("approvedAt", True)])
def test_the_completion_is_read_from_the_keys_of_today(
    project: Project, key: str, *, stays: bool
) -> None:
    completed_with(project, key)
    found = project.manager.read("7")
    assert found.completed_at
    assert found.completed_at.date().isoformat() == "2026-02-10"
    after, entry = reopen(project.manager, "7", "More", "ada")
    assert (after.completed_at, entry.previous_completed_at) == (None, "2026-02-10")
    # The review is a fact of its own, and not the completion alone.
    assert (key in project.data()) is stays


@pytest.mark.parametrize(
    ("spec", "more", "title"),
    [
        ("---\ntitle: >-\n  Find it\n  all\n---\n# Other\n", {"title": "No"}, "Find it all"),
        ("# Search\n", {"title": "No"}, "Search"),
        ("No heading\n", {"title": "Find  it", "name": "find-it"}, "Find it"),
        (None, {"name": "find-it"}, "find-it"),
        (None, {"title": 7, "name": " "}, "search"),
    ],
)
def test_a_title_comes_from_the_spec_then_from_the_metadata(
    project: Project, spec: str | None, more: dict[str, object], title: str
) -> None:
    project.add(metadata(**more), spec=spec)
    assert project.manager.read("7").title == title
