"""doctor, list and resume on SpecWeave's files: missing files, other folders, odd blocks."""

from typing import Any

import pytest
from tests.cli.project import NAME, REASON, Project
from tests.cli.setup.test_doctor import HOME, at, findings, messages

SPEC = "---\ntitle: Find it\nstatus: completed\ncreated: 2025-10-30\ncompleted: 2025-11-01\n---\n"


@pytest.fixture
def spec_only(project: Project) -> Project:
    """A completed increment of the time before metadata.json."""
    project.increment()
    (project.folder() / "metadata.json").unlink()
    (project.folder() / "spec.md").write_text(SPEC)
    return project


def test_an_increment_without_metadata_is_listed_with_a_note(spec_only: Project) -> None:
    done = spec_only.run("list").ends(0, out=f"{NAME}  completed")
    note = "metadata.json is missing; read from the front matter of spec.md"
    assert f"{NAME}: {note}" in done.err
    assert note in spec_only.run("show", "7").err


def test_doctor_creates_the_missing_metadata(spec_only: Project) -> None:
    found = [("metadata-from-spec", at())]
    assert findings(spec_only.run("doctor", "--json")) == found
    done = spec_only.run("doctor", "--fix", "--yes", "--json")
    assert [one["id"] for one in done.document["fixes"]] == ["metadata-from-spec"]
    assert "metadata-from-spec" not in dict(findings(spec_only.run("doctor", "--json")))
    assert spec_only.metadata() == {
        "id": NAME,
        "status": "completed",
        "created": "2025-10-30",
        "completed": "2025-11-01",
    }


def test_a_resume_creates_the_missing_metadata(spec_only: Project) -> None:
    spec_only.run("resume", "7", "--reason", REASON, "--yes").ends(
        0, err="metadata.json was missing; created from spec.md"
    )
    assert spec_only.metadata()["status"] == "active"


def test_a_folder_that_only_looks_like_an_increment_is_named(project: Project) -> None:
    for name in ("search", "_archive/07-other", "12", "notes", ".hidden"):
        (project.increments / name).mkdir(parents=True)
    (project.increments / "search" / "tasks.md").write_text("# Tasks\n")
    found = findings(project.run("doctor", "--json"))
    places = ("12", "_archive/07-other", "search")
    assert sorted(found) == [("folder-ignored", f"{HOME}/{name}") for name in places]


def test_folders_that_are_passed_over_are_grouped_by_the_true_reason(project: Project) -> None:
    names = ("0601", "0602 space", "0607GE-two", "_archive/2024", "12", "group/0950-nested")
    for name in names:
        (project.increments / name).mkdir(parents=True)
    found = project.run("doctor", "--json").document["findings"]
    whys = {one["where"]: one["message"] for one in found if one["id"] == "folder-ignored"}
    no_name = "is not read: no hyphen and name follow its number as in 0007-search"
    assert whys == {
        f"{HOME}/0601": no_name,
        f"{HOME}/0602 space": no_name,
        f"{HOME}/_archive/2024": no_name,
        f"{HOME}/0607GE-two": "is not read: more than one letter follows its number"
        " as in 0007-search",
        f"{HOME}/12": "is not read: its number does not have three to nine digits"
        " as in 0007-search",
        f"{HOME}/group/0950-nested": f"is not read: it is not directly in {HOME} or an archive"
        " there",
    }
    said = project.run("doctor").out
    assert said.count("folder-ignored") == 4
    assert f"3 in all: {HOME}/0601, {HOME}/0602 space, {HOME}/_archive/2024\n" in said
    assert project.run("doctor", "--verbose").out.count("folder-ignored") == len(names)


def test_a_block_that_no_item_is_read_from_is_reported_before_there_are_no_items(
    project: Project,
) -> None:
    project.increment(externalLinks={"github": {"issueRefs": ["x"], "milestone": 2}})
    done = project.run("doctor", "--json")
    assert findings(done) == [("link-unread", at(":/externalLinks/github"))]
    message = messages(done)["link-unread"]
    assert message.endswith("that unlatch can read (an object with issueRefs, milestone)")
    said = project.run("resume", "7", "--reason", REASON, "--yes").err
    unread = said.index("externalLinks/github names github, but no item that unlatch can read")
    assert unread < said.index("It has no linked items")


def test_a_link_that_is_read_has_the_expected_shape(project: Project) -> None:
    project.items()
    urls = project.urls
    links: list[dict[str, Any]] = [
        {"github": {"issue": "4"}},
        {"github": {"issue": "#4"}},
        {"ado": {"workItem": 101, "url": urls["ado"]}},
        {"jira": {"issue": "SCRUM-28", "url": urls["jira"]}},
        {"github": urls["github"]},
    ]
    for number, link in enumerate(links, 1):
        project.increment(f"{number:04}-one", links=link)
    assert "shape-unexpected" not in dict(findings(project.run("doctor", "--json")))
