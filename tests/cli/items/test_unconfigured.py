"""Items that a project has no settings for, and records from before it was set up."""

import pytest
from tests.cli.project import CLOSED, OPEN, REASON, Project


def keep_only_github(project: Project) -> None:
    head, _, _ = project.box.config().partition("[trackers.ado]")
    project.configure(f"patience = 30\n{head}")


def test_records_from_before_init_are_found_in_the_new_project(outside: Project) -> None:
    outside.items("github", "jira")
    outside.extra["JIRA_URL"] = outside.box.jira.site
    urls = [outside.urls["github"], outside.urls["jira"]]
    outside.run("reopen", *urls, "--reason", REASON, "--by", "Dana").ends(0)
    outside.run("init").ends(0, err="2 items recorded outside of this project")
    keep_only_github(outside)
    for words in (("list", "--items"), ("history", "--all")):
        outside.run(*words).ends(0, err="2 items recorded outside of this project.\n")
    for url in (urls[0], "SCRUM-28"):
        outside.run("status", url).ends(0, out=f"reopened today by Dana: {REASON}")
        outside.run("history", url).ends(0, out=f"Dana  reopened: {REASON}")
        outside.run("history", "verify", url).ends(0, err="1 entry, 3 parts checked: 0 differ")
        outside.run("undo", url, "--yes").ends(0, out="closed; commented")
        outside.run("undo", url, "--yes").ends(1, err="error[nothing-to-undo]")
    assert {name: CLOSED[name] for name in ("github", "jira")} == outside.states()
    assert 2 == len([*outside.home.rglob("state/unlatch/items/*/metadata.json")])
    assert [] == [*outside.root.rglob("metadata.json")]


def test_an_item_of_a_tracker_that_the_project_does_not_configure_is_changed_as_elsewhere(
    project: Project,
) -> None:
    project.items("github", "jira")
    keep_only_github(project)
    url, elsewhere = project.urls["jira"], project.home / "state/unlatch/items"
    words = ("reopen", "octo/widgets#4", url, "--reason", REASON)
    project.run(*words, "--dry-run").ends(0, out="SCRUM-28")
    project.run(*words, "--offline").ends(0, err=f"Those of no project are in {elsewhere}")
    assert [1, 1] == [len([*root.rglob("metadata.json")]) for root in (project.root, project.home)]
    project.run("sync").ends(0)
    assert {name: OPEN[name] for name in ("github", "jira")} == project.states()


@pytest.mark.parametrize(
    ("word", "extra", "said"),
    [
        ("jira", {}, "error[item-of-increment]"),
        (
            "jira",
            {"UNLATCH_ALLOWED_TARGETS": '{"github": ["octo/widgets"]}'},
            "error[url-unknown]",
        ),
        (
            "jira",
            {"UNLATCH_TRUSTED_HOSTS": "github=127.0.0.1", "JIRA_URL": None},
            "error[url-unknown]",
        ),
        ("https://github.com/main/other/issues/4", {}, "error[url-unknown]"),
        ("main/other#4", {}, "error[target-not-allowed]"),
        ("SCRUM-29", {}, "error[tracker-not-configured]"),
    ],
)
def test_what_a_project_guards_stays_guarded(
    project: Project, word: str, extra: dict[str, str | None], said: str
) -> None:
    project.extra["JIRA_URL"] = project.box.jira.site
    links = project.items("github", "jira")
    project.increment(links={"jira": links["jira"]})
    keep_only_github(project)
    project.extra |= extra
    word = project.urls.get(word, word)
    project.run("reopen", "octo/widgets#4", word, "--reason", REASON, "--offline").ends(2, err=said)
    assert [] == [*project.home.rglob("metadata.json")]
