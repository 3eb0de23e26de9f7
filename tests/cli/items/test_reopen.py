"""unlatch reopen and close with items: all trackers, in a project and outside of one."""

import json
import shlex
from typing import Any

import pytest
from tests.cli.project import ALL, CLOSED, OPEN, REASON, Project

TITLES = {"github": "GitHub octo/widgets#4", "ado": "Azure DevOps fabrikam/widgets 101"}
TITLES["jira"] = "Jira SCRUM-28"
KEYS = {"github": "octo/widgets#4", "ado": "fabrikam/widgets 101", "jira": "SCRUM-28"}
DONE = "reopened; commented; labels +reopened -completed"


def records(project: Project) -> list[dict[str, Any]]:
    """The metadata.json of all records, of the project and of the user."""
    places = [project.root / ".unlatch/items", project.home / "state/unlatch/items"]
    found = [path for place in places for path in sorted(place.glob("*/metadata.json"))]
    return [json.loads(path.read_text()) for path in found]


@pytest.mark.sample(at=(0,))
@pytest.mark.parametrize("tracker", ALL)
@pytest.mark.parametrize("words", ["urls", "keys"])
def test_an_item_is_reopened_in_a_project(project: Project, tracker: str, words: str) -> None:
    project.items(tracker)
    word = project.urls[tracker] if words == "urls" else KEYS[tracker]
    project.run("reopen", word, "--reason", REASON).ends(
        0, whole_out=f"✓ {TITLES[tracker]} {DONE}\n"
    )
    assert {tracker: OPEN[tracker]} == project.states()
    [comment] = project.comments()[tracker]
    assert REASON in comment
    [record] = records(project)
    assert "pending" not in record


def test_items_of_three_trackers_are_reopened_side_by_side_outside_of_a_project(
    outside: Project,
) -> None:
    outside.items()
    words = ("reopen", *outside.urls.values(), "--reason", REASON)
    done = outside.run(*words)
    assert {f"✓ {title} {DONE}" for title in TITLES.values()} == {*done.out.splitlines()}
    assert (0, OPEN) == (done.code, outside.states()), done.err
    assert [1, 1, 1] == [len(texts) for texts in outside.comments().values()]
    assert [] == [*outside.root.iterdir()]
    outside.box.requests.clear()
    again = outside.run(*words)
    assert (0, []) == (again.code, outside.wrote())
    assert 3 == again.out.count("is open; nothing changed, and no comment was posted")


@pytest.mark.parametrize("tracker", ALL)
def test_an_item_is_closed(project: Project, tracker: str) -> None:
    project.items(tracker, finished=False)
    project.run("close", KEYS[tracker], "--reason", "Fixed").ends(
        0, whole_out=f"✓ {TITLES[tracker]} closed; commented; labels +completed\n"
    )
    assert {tracker: CLOSED[tracker]} == project.states()
    [comment] = project.comments()[tracker]
    assert "Closed" in comment


def test_an_item_of_an_increment_is_refused_and_item_only_leaves_the_increment(
    completed: Project,
) -> None:
    before = completed.tree()
    completed.run("reopen", KEYS["jira"], "--reason", REASON).ends(
        2,
        err=(
            "error[item-of-increment]: SCRUM-28 belongs to increment 0007",
            "unlatch resume 0007-smart-discipline",
        ),
    )
    assert (before, []) == (completed.tree(), completed.wrote())
    completed.run("reopen", KEYS["jira"], "--reason", REASON, "--item-only").ends(0)
    assert {**CLOSED, "jira": "In Progress"} == completed.states()
    assert "completed" == completed.metadata()["status"]
    words = ("reopen", KEYS["jira"], KEYS["ado"], "--item-only")
    done = completed.run(*words)
    (line,) = [one for one in done.err.splitlines() if "next: " in one]
    command = line.partition("next: unlatch ")[2]
    assert shlex.split(command) == [*words, "--reason", "TEXT"]
    assert completed.run(*words, "--reason", REASON).code == 0


def test_nothing_is_recorded_for_half_a_name_without_a_reason_or_for_an_untrusted_host(
    outside: Project,
) -> None:
    word = "https://git.example.com/octo/widgets/issues/4"
    outside.run("reopen", word, "--reason", REASON).ends(1, err="error[host-not-trusted]")
    for word in ("#4", "4", "SCRUM"):
        outside.run("close", word).ends(2, err="error[unknown-item]")
    assert [] == outside.sent()
    outside.items("github")
    outside.run("reopen", outside.urls["github"]).ends(2, err="error[reason-missing]")
    assert [] == records(outside)


def test_a_key_outside_is_on_the_site_that_the_environment_names(outside: Project) -> None:
    outside.items("jira")
    refused = outside.run("reopen", KEYS["jira"], "--reason", REASON)
    outside.extra["JIRA_URL"] = outside.box.jira.site
    done = outside.run("reopen", KEYS["jira"], "--reason", REASON)
    assert (2, True, 0) == (refused.code, "error[site-unknown]" in refused.err, done.code)
    outside.items("github")
    outside.extra["GH_HOST"] = outside.box.github.web_url
    outside.run("reopen", KEYS["github"], "--reason", REASON).ends(0)


@pytest.mark.parametrize("tracker", ALL)
def test_labels_of_the_command_are_set_and_undo_takes_them_back(
    project: Project, tracker: str
) -> None:
    project.items(tracker)
    before = project.labels()[tracker]
    words = ("--label", "regression", "--label", "urgent", "--remove-label", "Completed")
    done = project.run("reopen", KEYS[tracker], "--reason", REASON, *words)
    labels = project.labels()[tracker]
    undone = project.run("undo", project.urls[tracker], "--yes")
    assert (0, 0) == (done.code, undone.code), done.err + undone.err
    assert "labels +reopened +regression +urgent -completed" in done.out
    assert before - {"completed"} | {"reopened", "regression", "urgent"} == labels
    assert before == project.labels()[tracker]


@pytest.mark.sample(at=(0, 2, 6))
@pytest.mark.parametrize(
    ("settings", "words", "created"),
    [
        ("", (), False),
        ("", ("--label", "again"), True),
        ("", ("--label", "urgent"), False),
        ("create_missing = true", (), True),
    ],
)
@pytest.mark.parametrize("place", ["project", "outside"])
def test_a_label_that_the_repository_lacks_is_created_only_when_asked_for(
    request: pytest.FixtureRequest,
    place: str,
    settings: str,
    words: tuple[str, ...],
    *,
    created: bool,
) -> None:
    project: Project = request.getfixturevalue(place)
    project.items("github")
    labels = f'labels]\nreopened = "again"\n{settings}\n'
    if place == "project":
        project.configure_more(tables=f"[{labels}")
    else:
        project.configure_user(
            f'[items]\ncomment_template = "Once more: {{reason}}"\n[items.{labels}'
        )
    command = ("reopen", project.urls["github"], "--reason", REASON, *words)

    foreseen = project.run(*command, "--dry-run")
    done = project.run(*command)
    again = project.run("sync")

    assert (0, 0, OPEN["github"]) == (foreseen.code, done.code, project.states()["github"])
    assert created is ("again" in project.labels()["github"])
    assert {*words[1:]} <= project.labels()["github"]
    assert created is ("add label again" in foreseen.out.replace("urgent, ", ""))
    missing = "label again not added: octo/widgets has no such label (create it: --label again)"
    assert created is (missing not in done.said), done.said
    assert "Nothing is pending" in again.said
    [comment] = project.comments()["github"]
    assert ("Once more: " in comment) is (place == "outside")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--label", " "), "is not a label"),
        (("--label", "a\nb"), "is not a label"),
        (("--label", "Bug", "--remove-label", "bug"), "both name 'bug'"),
    ],
)
def test_labels_that_cannot_be_meant_are_refused(
    project: Project, words: tuple[str, ...], said: str
) -> None:
    project.items("github")
    done = project.run("reopen", KEYS["github"], "--reason", REASON, *words)
    assert (2, [], True) == (done.code, project.wrote(), said in done.err), done.err


@pytest.mark.parametrize("command", ["close", "reopen"])
def test_a_comment_is_not_repeated_where_the_state_may_not_be_written(
    project: Project, command: str
) -> None:
    project.items("github", finished=command == "reopen")
    before = project.states()
    project.configure_more(tables='[sync]\nwrite = ["comment"]\n')

    for _ in range(2):
        project.run(command, project.urls["github"], "--reason", REASON).ends(0)
    assert before == project.states()
    assert 1 == len(project.comments()["github"])
