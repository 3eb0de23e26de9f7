"""Items under other addresses and names: moved ones, needless spaces, and wrong numbers."""

import pytest
from tests.cli.items.test_reopen import KEYS, records
from tests.cli.project import OPEN, REASON, Project


@pytest.fixture
def moved(outside: Project) -> Project:
    """An issue that was moved to another repository, and a folder that is no project."""
    outside.items("github")
    outside.box.github.add_repository("octo/gadgets")
    outside.box.github.transfer_issue("octo/widgets", 4, "octo/gadgets")
    return outside


def test_a_moved_item_is_followed_and_both_addresses_name_one_record(moved: Project) -> None:
    old = moved.urls["github"]
    new = old.replace("widgets/issues/4", "gadgets/issues/1")

    first = moved.run("reopen", old, "--reason", REASON)
    done = moved.run("reopen", old, "--follow")

    assert (3, True) == (first.code, "item-moved" in first.out), first.said
    assert f"Next: unlatch reopen {old} --follow" in first.err
    assert (0, True) == (done.code, "octo/gadgets#1 reopened; commented" in done.out), done.said
    for word in (old, new):
        again = moved.run("reopen", word, "--reason", REASON)
        shown = moved.run("status", word)
        assert (0, True) == (again.code, "nothing changed" in again.out), again.said
        assert (0, True) == (shown.code, f": {REASON}" in shown.out), shown.said
    assert 1 == len(records(moved))
    # Closed there since, it is reopened by its old address.
    moved.box.github.edit("octo/gadgets", 1, state="closed", state_reason="completed")
    reopened = moved.run("reopen", old, "--reason", REASON)
    assert (0, True) == (reopened.code, "octo/gadgets#1 reopened" in reopened.out), reopened.said


def test_items_of_two_hosts_with_one_name_have_records_of_their_own(outside: Project) -> None:
    outside.items("github")
    here, there = outside.urls["github"], "https://github.com/octo/widgets/issues/4"
    outside.run("reopen", here, "--reason", REASON, "--offline")

    done = outside.run("reopen", there, "--reason", "Of another host", "--offline")

    assert 0 == done.code, done.said
    assert {here, there} == {one["github"]["url"] for one in records(outside)}


@pytest.mark.parametrize("command", ["reopen", "close"])
def test_needless_spaces_are_no_part_of_a_name(project: Project, command: str) -> None:
    project.items(finished=command == "reopen")
    words = [f" {one.replace(' ', '  ')} " for one in KEYS.values()]

    done = project.run(command, *words, "--reason", REASON)

    assert 0 == done.code, done.said
    assert (command == "reopen") is (OPEN == project.states())


@pytest.mark.parametrize("place", ["project", "outside"])
def test_a_number_that_no_item_has_is_refused(request: pytest.FixtureRequest, place: str) -> None:
    project: Project = request.getfixturevalue(place)
    words = ["octo/widgets#0", f"octo/widgets#{'9' * 40}", "SCRUM-0"]
    for word in words:
        done = project.run("reopen", word, "--reason", REASON)
        assert (2, True) == (done.code, "error[unknown-item]" in done.err), done.said

    if place == "project":
        # Nor is a word a name that its tracker, which is not configured, would not give.
        project.configure("[trackers.jira" + project.box.config().split("[trackers.jira")[1])
        for word in ("octo/widgets#0", "jira:octo/widgets#4"):
            done = project.run("reopen", word, "--reason", REASON)
            assert (2, True) == (done.code, "error[unknown-item]" in done.err), done.said


def test_the_plan_says_why_an_item_could_not_be_read(outside: Project) -> None:
    outside.run("reopen", outside.urls["github"], "--reason", REASON, "--offline")

    done = outside.run("sync", "--plan")

    assert (5, True) == (done.code, "unknown" in done.out), done.said
    assert "1 item unknown [item-not-found]" in done.err


@pytest.mark.parametrize("command", ["status", "reopen", "link"])
@pytest.mark.parametrize("repository", ["octo/widgets", "fabrikam/gadgets"])
def test_a_name_is_of_the_tracker_that_names_items_so(
    project: Project, command: str, repository: str
) -> None:
    project.increment()
    project.configure(project.box.config().replace("octo/widgets", repository))
    words = ["7"] if command == "link" else []
    reason = ["--reason", REASON] if command == "reopen" else []

    done = project.run(command, *words, "fabrikam/gadgets 202", *reason)

    assert (2, True) == (done.code, "error[target-not-allowed]" in done.err), done.said
    assert "the configured targets of Azure DevOps" in done.err
    assert project.box.requests.entries("github") == []


def test_a_name_is_told_and_its_separator_understood_by_the_trackers_that_are_configured(
    project: Project,
) -> None:
    for word, kept, title in (
        ("fabrikam/gadgets 202", "github", "Azure DevOps"),
        ("octo/widgets#4", "jira", "GitHub"),
        ("SCRUM-28", "github", "Jira"),
    ):
        configure_for(project, kept)
        done = project.run("status", word)
        assert (2, True) == (done.code, f"{title} is not configured" in done.err), done.said
        assert "error[tracker-not-configured]" in done.err

    project.items("github", "ado")
    configure_for(project, "github", "jira")

    for word in ("octo/widgets 4", "octo/widgets#4"):
        done = project.run("status", word)
        assert (0, True) == (done.code, "octo/widgets#4" in done.out), done.said


def configure_for(project: Project, *trackers: str) -> None:
    """Leave the other trackers out of the configuration."""
    tables = project.box.config().split("[trackers.")
    kept = [table for table in tables[1:] if table.startswith(trackers)]
    project.configure("[trackers.".join([tables[0], *kept]))
