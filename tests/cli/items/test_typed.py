"""Items as people type them, and the undo of their reopens."""

import subprocess
from pathlib import Path

import pytest
from tests.cli.project import OPEN, REASON, Project

ORIGIN = "https://x-access-token:ghs_secret@github.com/octo/widgets.git"
ISSUE = "https://github.com/octo/widgets/issues/4"


def clone(folder: Path, **remotes: str) -> None:
    git = ("git", "-C", str(folder))
    subprocess.run((*git, "init", "-q"), check=True)
    for name, address in remotes.items():
        subprocess.run((*git, "remote", "add", name, address), check=True)


@pytest.mark.parametrize(
    ("word", "remotes", "expected"),
    [
        ("#4", {"origin": ORIGIN}, ISSUE),
        ("4", {"origin": "git@github.com:octo/widgets.git"}, ISSUE),
        ("#4", {"origin": ORIGIN, "upstream": "https://github.com/main/widgets"}, ISSUE),
        ("github.com/octo/widgets/issues/4", {}, ISSUE),
        ("GitHub.com/octo/widgets/issues/4/", {}, ISSUE),
        ("#4", {}, "'#4' needs a repository, and there is no git remote origin"),
        ("#4", {"upstream": ORIGIN}, "there is no git remote origin"),
        ("#4", {"origin": "work:octo/widgets.git"}, "no tracker knows that of origin: work:octo"),
        ("#4", {"origin": "https://a:ghs_secret@git.example.com/o/w"}, "https://git.example.com"),
        ("4", {}, "error[no-project]"),
        ("example.com/octo/widgets/issues/4", {}, "error[no-project]"),
    ],
)
def test_short_names_mean_items_of_the_repository(
    outside: Project, word: str, remotes: dict[str, str], expected: str
) -> None:
    clone(outside.root, **remotes)

    done = outside.run("reopen", word, "--reason", REASON, "--offline", "--json")

    if expected == ISSUE:
        (item,) = done.document["items"]
        assert (0, ISSUE, "octo/widgets#4") == (done.code, item["url"], item["name"])
    else:
        assert 2 == done.code
        assert expected in done.said
    assert "ghs_secret" not in done.said


def test_in_a_project_a_number_is_an_increment_and_the_configured_repository_counts(
    project: Project,
) -> None:
    clone(project.root, origin="https://github.com/main/other")
    project.items("github")
    project.increment()

    short = project.run("reopen", "#4", "--reason", REASON)
    number = project.run("close", "4", "--reason", REASON)
    unknown = project.run("reopen", "4", "--reason", REASON)

    assert (0, {"github": OPEN["github"]}) == (short.code, project.states()), short.said
    assert (2, True) == (number.code, "for an increment: unlatch complete 4" in number.err)
    assert (2, True) == (unknown.code, "for item 4: unlatch reopen '#4'" in unknown.err)


@pytest.mark.parametrize("place", ["project", "outside"])
def test_an_undo_closes_the_item_that_a_reopen_opened(
    request: pytest.FixtureRequest, place: str
) -> None:
    project: Project = request.getfixturevalue(place)
    project.items("github")
    url = project.urls["github"]
    never = project.run("undo", url, "--yes")
    project.run("reopen", url, "--reason", REASON)
    project.run("reopen", url, "--reason", "Another reason", "--comment-anyway")

    asked = project.run("undo", url)
    done = project.run("undo", "octo/widgets#4" if place == "project" else url, "-y")
    again = project.run("undo", url, "-y")

    assert (1, 2, 1) == (never.code, asked.code, again.code), never.said
    assert f"next: unlatch undo {url} --yes" in asked.err
    assert (0, "closed") == (done.code, project.states()["github"]), done.said
    assert "undid 2 reopens of the open item" in done.said
    assert "no reopen of it is left to undo" in again.err
    assert "Increment" not in done.said


def test_an_undo_withdraws_a_reopen_that_was_not_sent(outside: Project) -> None:
    outside.items("github")
    url = outside.urls["github"]
    outside.run("reopen", url, "--reason", REASON, "--offline")

    done = outside.run("undo", url, "-y")

    assert (0, "closed") == (done.code, outside.states()["github"]), done.said
    assert "reopen undone" in outside.run("history", url).out


@pytest.mark.parametrize(
    ("listed", "code", "said"),
    [
        ("", 0, "Nothing to reopen: the list on stdin is empty."),
        ("\r\n \r\n", 0, "Nothing to reopen"),
        ("octo/widgets#4\r\n\r\n  SCRUM-28 \r\n", 0, "2 operations recorded"),
        ("octo/widgets#4\nno item\n", 2, "no item"),
        ("".join(f"octo/widgets#{number}\n" for number in range(1, 102)), 2, "too-many-items"),
    ],
)
def test_a_list_on_stdin_names_the_items(
    outside: Project, listed: str, code: int, said: str
) -> None:
    outside.extra["JIRA_URL"] = "https://jira.example.com"
    words = ("reopen", "-", "--reason", REASON, "--offline")
    done = outside.run(*words, stdin=listed)

    assert (code, True) == (done.code, said in done.said), done.said[:500]
