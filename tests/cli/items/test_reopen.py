"""unlatch reopen and close with items: all trackers, in a project and outside of one."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest
from tests.cli.project import ALL, CLOSED, OPEN, REASON, Project

TITLES = {"github": "GitHub octo/widgets#4", "ado": "Azure DevOps fabrikam/widgets 101"}
TITLES["jira"] = "Jira SCRUM-28"
KEYS = {"github": "octo/widgets#4", "ado": "fabrikam/widgets 101", "jira": "SCRUM-28"}
DONE = "reopened; commented; labels +reopened -completed"


@pytest.fixture
def outside(project: Project) -> Project:
    """A folder that is no project."""
    project.configure("")
    (project.root / ".unlatch" / "config.toml").unlink()
    (project.root / ".unlatch").rmdir()
    return project


def records(project: Project) -> list[dict[str, Any]]:
    """The metadata.json of all records, of the project and of the user."""
    places = [project.root / ".unlatch/items", project.home / "state/unlatch/items/.unlatch/items"]
    found = [path for place in places for path in sorted(place.glob("*/metadata.json"))]
    return [json.loads(path.read_text()) for path in found]


@pytest.mark.parametrize("tracker", ALL)
@pytest.mark.parametrize("words", ["urls", "keys"])
def test_an_item_is_reopened_in_a_project(project: Project, tracker: str, words: str) -> None:
    project.items(tracker)
    word = project.urls[tracker] if words == "urls" else KEYS[tracker]

    done = project.run("reopen", word, "--reason", REASON)

    assert (0, f"✓ {TITLES[tracker]} {DONE}\n") == (done.code, done.out)
    assert {tracker: OPEN[tracker]} == project.states()
    [comment] = project.comments()[tracker]
    assert REASON in comment
    [record] = records(project)
    assert "pending" not in record


@pytest.mark.parametrize("tracker", ALL)
def test_an_item_is_reopened_outside_of_a_project(outside: Project, tracker: str) -> None:
    outside.items(tracker)

    done = outside.run("reopen", outside.urls[tracker], "--reason", REASON)

    assert (0, f"✓ {TITLES[tracker]} {DONE}\n") == (done.code, done.out), done.err
    assert {tracker: OPEN[tracker]} == outside.states()
    assert [] == [*outside.root.iterdir()]


def test_items_of_three_trackers_are_reopened_side_by_side(outside: Project) -> None:
    outside.items()

    done = outside.run("reopen", *outside.urls.values(), "--reason", REASON, "--json")

    assert 0 == done.code, done.said
    assert OPEN == outside.states()
    assert [1, 1, 1] == [len(some) for some in outside.comments().values()]
    assert ["reopened"] * 3 == [one["deliveries"][0]["outcome"] for one in done.document["items"]]


def test_the_same_command_again_changes_nothing(outside: Project) -> None:
    outside.items()
    outside.run("reopen", *outside.urls.values(), "--reason", REASON)
    outside.wrote()
    outside.box.requests.clear()

    done = outside.run("reopen", *outside.urls.values(), "--reason", REASON)

    assert (0, []) == (done.code, outside.wrote())
    assert 3 == done.out.count("was reopened for this reason before; nothing to do")


def test_an_item_closed_by_hand_since_is_reopened_again(project: Project) -> None:
    project.items("github")
    project.run("reopen", KEYS["github"], "--reason", REASON)
    project.box.github.edit("octo/widgets", 4, state="closed", state_reason="completed")

    done = project.run("reopen", KEYS["github"], "--reason", REASON)

    assert 0 == done.code, done.said
    assert "open" == project.states()["github"]
    assert 2 == len(project.comments()["github"])


@pytest.mark.parametrize("tracker", ALL)
def test_an_item_is_closed(project: Project, tracker: str) -> None:
    project.items(tracker, finished=False)

    done = project.run("close", KEYS[tracker], "--reason", "Fixed")

    assert (0, f"✓ {TITLES[tracker]} closed; commented; labels +completed\n") == (
        done.code,
        done.out,
    )
    assert {tracker: CLOSED[tracker]} == project.states()
    [comment] = project.comments()[tracker]
    assert "Closed" in comment


def test_reopening_needs_no_more_requests_than_resume(project: Project) -> None:
    project.increment(links=project.items("github"))
    project.run("resume", "7", "--reason", REASON, "--yes")
    project.run("complete", "7")
    project.box.requests.clear()
    project.run("resume", "7", "--reason", "Again", "--yes")
    resumed = project.sent()
    project.run("complete", "7")
    project.box.requests.clear()

    done = project.run("reopen", KEYS["github"], "--reason", "Once more", "--item-only")

    assert 0 == done.code, done.said
    assert len(resumed) >= len(project.sent()) > 0


def test_an_item_of_an_increment_is_refused_with_the_next_step(completed: Project) -> None:
    before = completed.tree()

    done = completed.run("reopen", KEYS["jira"], "--reason", REASON)

    assert 2 == done.code
    assert "error[item-of-increment]: SCRUM-28 belongs to increment 0007" in done.err
    assert "unlatch resume 0007-smart-discipline" in done.err
    assert (before, []) == (completed.tree(), completed.wrote())


def test_item_only_leaves_the_increment_as_it_is(completed: Project) -> None:
    done = completed.run("reopen", KEYS["jira"], "--reason", REASON, "--item-only")

    assert 0 == done.code, done.said
    assert {**CLOSED, "jira": "In Progress"} == completed.states()
    assert "completed" == completed.metadata()["status"]


@pytest.mark.parametrize("word", ["#4", "4", "SCRUM"])
def test_a_bare_number_is_no_item(outside: Project, word: str) -> None:
    done = outside.run("close", word)

    assert (2, True) == (done.code, "error[unknown-item]" in done.err)


@pytest.mark.parametrize(("command", "meant"), [("close", "complete"), ("status", "show")])
def test_a_number_names_the_command_for_the_increment(
    single: Project, command: str, meant: str
) -> None:
    done = single.run(command, "7")

    assert (2, True) == (done.code, f"next: for an increment: unlatch {meant} 7;" in done.err)


def test_an_increments_id_is_resumed(single: Project) -> None:
    done = single.run("reopen", "7", "--reason", REASON, "--yes")

    assert 0 == done.code, done.said
    assert "active" == single.metadata()["status"]


def test_a_reason_is_required(outside: Project) -> None:
    done = outside.run("reopen", outside.urls["github"])

    assert (2, True) == (done.code, "error[reason-missing]" in done.err)
    assert [] == records(outside)


def test_nothing_is_recorded_for_a_host_that_is_not_trusted(outside: Project) -> None:
    word = "https://git.example.com/octo/widgets/issues/4"

    done = outside.run("reopen", word, "--reason", REASON)

    assert (1, True) == (done.code, "error[host-not-trusted]" in done.err)
    assert ([], []) == (outside.sent(), records(outside))


def test_a_key_of_jira_needs_its_site_outside(outside: Project) -> None:
    outside.items("jira")
    refused = outside.run("reopen", KEYS["jira"], "--reason", REASON)
    outside.extra["JIRA_URL"] = outside.box.jira.site

    done = outside.run("reopen", KEYS["jira"], "--reason", REASON)

    assert (2, True, 0) == (refused.code, "error[site-unknown]" in refused.err, done.code)


def test_a_key_of_github_is_on_the_host_of_gh(outside: Project) -> None:
    outside.items("github")
    outside.extra["GH_HOST"] = outside.box.github.web_url

    done = outside.run("reopen", KEYS["github"], "--reason", REASON)

    assert 0 == done.code, done.said


def test_items_of_two_sites_are_served_in_one_command(outside: Project) -> None:
    outside.items("github", "jira")
    outside.box.github.add_repository("octo/gadgets")
    outside.box.github.add_issue("octo/gadgets", number=5, title="T", state="closed")
    other = f"{outside.box.github.web_url}/octo/gadgets/issues/5"

    done = outside.run(
        "reopen", outside.urls["github"], other, outside.urls["jira"], "--reason", REASON
    )

    assert (0, 3) == (done.code, done.out.count("reopened; commented")), done.said


def test_a_missing_reason_is_asked_for_with_the_whole_command(completed: Project) -> None:
    words = ("reopen", KEYS["jira"], KEYS["ado"], "--item-only")

    done = completed.run(*words)

    (line,) = [one for one in done.err.splitlines() if "next: " in one]
    command = line.partition("next: unlatch ")[2]
    assert shlex.split(command) == [*words, "--reason", "TEXT"]
    assert completed.run(*words, "--reason", REASON).code == 0
