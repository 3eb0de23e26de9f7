"""`new` and `similar` say which finished work a new report may repeat."""

import json
import os
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from benchmarks.refile import figures
from tests.cli.project import Project

OLD = datetime.now(UTC) - timedelta(days=1500)
LATE = "0003-login-fails-after-the-token-expires"
# Other finished work, so that words have a rarity.
OTHERS = (
    "0001-export-the-table-to-csv",
    "0002-rate-limit-retries",
    "0004-dead-links-in-the-help-pages",
    "0005-archive-of-messages-grows",
    "0006-login-page-has-no-logo",
)


@pytest.fixture
def finished(project: Project) -> Project:
    for name in (LATE, *OTHERS):
        project.increment(name)
    return project


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("After the token expires, login fails again", LATE),
        ("Login is failing when tokens expire", LATE),
        ("Retries run into the rate limit", "0002-rate-limit-retries"),
        ("Help pages: dead link", "0004-dead-links-in-the-help-pages"),
        # One word of the title in common.
        ("Login with a passkey", None),
        ("Sort the table by date", None),
        ("Draw a map of the office", None),
        ('\x1b[31m " OR 1=1 -- NEAR( *', None),
    ],
)
def test_a_report_looks_like_finished_work(
    finished: Project, title: str, expected: str | None
) -> None:
    document = finished.run("similar", title, "--json").document
    looks_like = document["looksLike"]
    assert expected == (looks_like and looks_like["id"])
    if expected:
        assert f"unlatch resume {expected}" == looks_like["next"]
        assert 0.3 < looks_like["score"] <= 1


@pytest.mark.parametrize("status", ["active", "planning", "abandoned", "paused"])
def test_work_that_is_not_completed_is_never_suggested(project: Project, status: str) -> None:
    project.increment(LATE, status=status)
    done = project.run("similar", "Login fails after the token expires")
    assert (0, "") == (done.code, done.out)


def test_an_empty_project_suggests_nothing(project: Project) -> None:
    assert project.run("similar", "Anything", "--json").document["looksLike"] is None
    assert "looks like" not in project.run("new", "Anything").said


def test_what_was_finished_years_ago_needs_more_in_common(project: Project) -> None:
    project.increment(LATE, completedAt=OLD.isoformat(), lastActivity=OLD.isoformat())
    assert not project.run("similar", "Login is failing when tokens expire").out


def test_titles_that_name_different_hosts_or_files_are_different(project: Project) -> None:
    name = project.increment("0003-page-is-blank")
    (project.folder(name) / "spec.md").write_text("# leo.org: the page is blank\n")
    same, other = "www.leo.org: the page is blank", "huk24.de: the page is blank"
    assert project.run("similar", same).out.startswith("this looks like 0003-page-is-blank")
    assert not project.run("similar", other).out


def test_new_names_it_with_items_score_and_command_and_still_makes_the_increment(
    finished: Project,
) -> None:
    links = finished.items("github", "jira")
    finished.increment("0007-search-forgets-its-filters", links=links)
    done = finished.run("new", "Filters are forgotten by search", "--json")
    (warning,) = done.document["warnings"]
    assert "looks-finished" == warning["id"]
    assert "unlatch resume 0007-search-forgets-its-filters" == warning["hint"]
    assert "(#4, SCRUM-28), completed on" in warning["message"]
    assert "0008-filters-are-forgotten-by-search" == done.document["increment"]["id"]
    assert "completed" == finished.metadata("0007-search-forgets-its-filters")["status"]


def test_new_succeeds_without_an_index(finished: Project) -> None:
    finished.run("similar", "Login")
    (index,) = (finished.home).rglob("search.sqlite3")
    index.unlink()
    index.mkdir()
    assert 0 == finished.run("new", "Login fails after the token expires").code


TITLE = "Login fails after the token expires"
EVENTS: dict[str, dict[str, Any]] = {
    "github": {"action": "opened", "issue": {"title": TITLE, "body": None}},
    "ado": {
        "eventType": "workitem.created",
        "resource": {"fields": {"System.Title": TITLE, "System.Description": "<p>See <b>it</b>"}},
    },
    "jira": {
        "webhookEvent": "jira:issue_created",
        "issue": {"key": "SCRUM-9", "fields": {"summary": TITLE, "description": "It does"}},
    },
}


@pytest.mark.parametrize("tracker", EVENTS)
def test_a_job_on_a_new_issue_names_it(finished: Project, tracker: str) -> None:
    file = finished.home / "event.json"
    file.write_text(json.dumps(EVENTS[tracker]))
    finished.run("similar", "--event", str(file)).ends(0, out=f"this looks like {LATE}", err=LATE)


def test_an_issue_does_not_repeat_the_increment_that_it_is_linked_to(project: Project) -> None:
    project.increment(LATE, links=project.items("github"))
    file = project.home / "event.json"
    issue = {"title": TITLE, "body": "", "html_url": project.urls["github"]}
    file.write_text(json.dumps({"action": "opened", "issue": issue}))
    assert not project.run("similar", "--event", str(file)).out


@pytest.mark.parametrize(
    ("content", "error"),
    [
        ("{", "event-not-understood"),
        ("[" * 100_000, "event-not-understood"),
        ('{"issue": {"title": 4}}', "event-not-understood"),
        (None, "event-unreadable"),
    ],
)
def test_an_event_about_no_item_is_an_error(
    project: Project, content: str | None, error: str
) -> None:
    file = project.home / "event.json"
    if content is not None:
        file.write_text(content)
    project.run("similar", "--event", str(file)).ends(2, err=error)


@pytest.mark.sweep
@pytest.mark.skipif("UNLATCH_SAMPLES" not in os.environ, reason="UNLATCH_SAMPLES is not set")
def test_at_most_one_suggestion_in_ten_is_wrong() -> None:
    measured = {figure.what: figure for figure in figures()}
    assert not [what for what, figure in measured.items() if figure.verdict == "over"]


def test_the_number_of_an_increment_is_no_title(finished: Project) -> None:
    name = finished.increment("0041-search-forgets-its-filters")
    for word in ("41", name):
        done = finished.run("similar", word).ends(2, err="title-missing")
        assert "unlatch similar 'Search forgets its filters'" in done.said
    # Words, and the number of no increment, are titles.
    finished.run("similar", "Search forgets its filters").ends(0)
    finished.run("similar", "404").ends(0)
