"""search finds each increment, in any folder and with any name."""

import os
import shutil

import pytest
from tests.cli.project import Project

NAME = "0003-rate-limit-retries"


def test_two_folders_of_one_name_are_both_found(project: Project) -> None:
    project.increment(NAME)
    folder = project.folder(NAME)
    shutil.copytree(folder, folder.parent / "_archive" / NAME)
    found = project.run("search", "retries", "--json")
    assert [NAME, NAME] == [one["id"] for one in found.document["results"]], found.said
    assert NAME in project.run("new", "Rate limit retries").said


def test_an_archived_increment_is_found_where_it_has_moved(project: Project) -> None:
    project.increment(NAME)
    folder = project.folder(NAME)
    assert NAME in project.run("search", "retries").out
    (folder.parent / "_archive").mkdir()
    folder.rename(folder.parent / "_archive" / NAME)
    assert project.run("search", "retries").out.count(NAME) == 1


def test_a_name_that_is_not_utf_8_is_found(project: Project) -> None:
    project.increment(NAME)
    folder = project.folder(NAME)
    odd = os.fsencode(folder.parent / "0090-retries-") + b"\xff"
    shutil.copytree(folder, os.fsdecode(odd))
    for _ in range(2):
        project.run("search", "retries").ends(0, out=(NAME, "0090-retries-"))
    assert project.run("new", "Retries of uploads").code == 0
    outside = project.root.parent / "outside"
    shutil.copytree(folder, outside / "0004-other-retries")
    (folder.parent / "_archive").symlink_to(outside)
    project.run("search", "retries").ends(0, out=NAME, not_out="0004")


@pytest.mark.parametrize("tracker", ["github", "jira", "ado"])
def test_an_increment_is_found_by_its_items(project: Project, tracker: str) -> None:
    name = project.increment(NAME, links=project.items())
    project.increment("0004-other")
    keys = {"github": "octo/widgets#4", "jira": "SCRUM-28", "ado": "fabrikam/widgets 101"}
    for query in (keys[tracker], project.urls[tracker], *(["#4"] if tracker == "github" else [])):
        (found,) = project.run("search", query, "--json").document["results"]
        assert (found["id"], found["why"]) == (name, [{"word": query, "where": "links"}])
    assert project.run("search", "SCRUM-9999").code == 0
    assert project.run("search", "https://example.com/x").code == 0
