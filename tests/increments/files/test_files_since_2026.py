"""Files as SpecWeave has written them since 2026."""

from pathlib import Path

import pytest
from tests.changes import reopen
from tests.increments.files.making import Project, metadata

from unlatch.errors import StoreError
from unlatch.increments.model.increment import Increment
from unlatch.increments.model.status import Status


@pytest.mark.parametrize(
    ("spec", "more", "title"),
    [
        ("---\ntitle: >-\n  Find it\n  all\n---\n# Other\n", {"title": "No"}, "Find it all"),
        ("# Search\n", {"title": "No"}, "Search"),
        ("# Spec: Search\n", {"title": "Find it"}, "Find it"),
        ("# Spec: Search\n", {"name": "find-it"}, "Search"),
        ("---\ntitle: 'Spec: Search'\n---\n", {"title": "No"}, "Spec: Search"),
        ("# Specification\n", {"name": "Find it"}, "Find it"),
        ("# Spécification de la fonctionnalité : Albums\n", {}, "Albums"),
        ("# 技術設計書\n", {}, "search"),
        ("# 支付 技術設計書\n", {"title": "支付"}, "支付"),
        ("# Updates Feature Specification\n", {"title": "Updates Feature"}, "Updates Feature"),
        ("# Search Design\n", {"title": "No"}, "Search Design"),
        ("# Technisches Design\n", {}, "search"),
        ("# Documento de requisitos\n", {"name": "Buscar"}, "Buscar"),
        ("# **Implementation Plan**\n", {}, "search"),
        ("# Search Design\n", {"name": "Search"}, "Search Design"),
        ("# Search index\n", {"title": "Search"}, "Search index"),
        ("# Increment 0008: Search\n", {"title": "No"}, "Increment 0008: Search"),
        ("# Fix: search\n", {"title": "No"}, "Fix: search"),
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


# ---- without metadata.json ---------------------------------------------------------------------

SPEC = """\
---
increment: 0007-search
title: Find anything
status: completed
type: bug
created: 2025-10-30
completed: 2025-11-01
github:
  issue: 4
  url: https://github.com/octo/widgets/issues/4
external_ref: jira#SCRUM#SCRUM-28
---
# Search
"""


def without_metadata(project: Project, spec: str = SPEC) -> Path:
    folder = project.add(b"{}", spec=spec)
    (folder / "metadata.json").unlink()
    return folder


def test_an_increment_without_metadata_is_read_from_its_spec(project: Project) -> None:
    folder = without_metadata(project)
    (found,) = project.manager.list()
    assert found == project.manager.read("7")
    assert isinstance(found, Increment)
    facts = (found.title, found.status, found.type, [link.key for link in found.links])
    links = ["https://github.com/octo/widgets/issues/4", "SCRUM-28"]
    assert facts == ("Find anything", Status.COMPLETED, "bug", links)
    assert found.completed_at
    assert found.warnings == ("metadata.json is missing; read from the front matter of spec.md",)
    assert sorted(path.name for path in folder.iterdir()) == ["spec.md"]


def test_a_change_creates_the_metadata(project: Project) -> None:
    folder = without_metadata(project)
    after, entry = reopen(project.manager, "7", "More", "ada")
    assert "metadata.json was missing; created from spec.md" in after.warnings
    assert entry.previous_completed_at == "2025-11-01"
    data = project.data()
    assert (data["status"], data["type"], data["id"]) == ("active", "bug", "0007-search")
    assert data["github"] == {"issue": 4, "url": "https://github.com/octo/widgets/issues/4"}
    assert data["external_ref"] == "jira#SCRUM#SCRUM-28"
    assert "status: active" in (folder / "spec.md").read_text()
    assert project.manager.read("7").warnings == ()


@pytest.mark.parametrize("word", ["true", "null", "yes", "1", "by Ann"])
def test_a_word_under_the_name_of_a_time_is_none(project: Project, word: str) -> None:
    without_metadata(project, SPEC.replace("completed: 2025-11-01", f"completed: {word}"))
    after, entry = reopen(project.manager, "7", "More", "ada")
    assert (after.completed_at, entry.previous_completed_at) == (None, None)
    assert "completed" not in project.data()
    assert (project.data()["created"], project.data()["status"]) == ("2025-10-30", "active")


def test_a_word_that_is_no_status_is_reported_at_the_spec(project: Project) -> None:
    folder = without_metadata(project, "---\nstatus: odd\n---\n")
    with pytest.raises(StoreError) as caught:
        project.manager.read("7")
    assert (caught.value.id, caught.value.where) == ("status-unknown", str(folder / "spec.md"))


# ---- blocks that nothing is read from ----------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "place"),
    [
        ({"github": {"tickets": [], "issueRefs": ["x"]}}, "github"),
        ({"jira": "SCRUM-28"}, "jira"),
        ({"externalLinks": {"ado": {"work_items": [{"no": 4}]}}}, "externalLinks/ado"),
        ({"externalLinks": {"github_issues": ["none"]}}, "externalLinks/github_issues"),
        ({"external_ref": "github#4#"}, "external_ref"),
    ],
)
def test_a_block_that_names_items_and_yields_none_is_reported(
    project: Project, more: dict[str, object], place: str
) -> None:
    project.add(metadata(**more))
    (warning,) = project.manager.read("7").warnings
    assert warning.startswith(f"{place} names ")


@pytest.mark.parametrize(
    "more",
    [
        {"github": {"milestone": 12, "milestone_url": "https://x", "lastSync": "x", "issues": []}},
        {"externalLinks": {"jira": {"projectKey": "SCRUM", "domain": "x", "syncedAt": "x"}}},
        {"externalLinks": {"github": {}, "ado": None}, "github_issue": None},
        {"github": {"issue": 4}, "external_ref": "github#octo/widgets#4"},
        {"external_ref": "gitlab#5"},
    ],
)
def test_a_block_without_items_is_no_problem(project: Project, more: dict[str, object]) -> None:
    project.add(metadata(**more))
    assert project.manager.read("7").warnings == ()
