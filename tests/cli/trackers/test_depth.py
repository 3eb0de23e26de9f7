"""Commands that use plugins' capabilities: stories, dry runs of creates, moved items, rights."""

import json

import pytest
from tests.cli.output.test_documents import check, check_files
from tests.cli.project import ALL, NAME, REASON, Project

SPEC = """# Smart discipline

## User stories

### US-001: Draw a widget

- [x] **AC-US1-01**: It is round
- [ ] **AC-US1-02**: It is blue

### US-002: Erase a widget

- [ ] **AC-US2-01**: It is gone
"""
TASKS = """# Tasks

### T-001: Draw

**User Story**: US-001
**Status**: [x] completed

### T-002: Erase

**User Story**: US-002
**Status**: [ ] pending
"""
NOUNS = {"github": "issue", "ado": "work-item", "jira": "issue"}


@pytest.fixture
def specified(project: Project) -> Project:
    project.increment(status="active")
    (project.folder() / "spec.md").write_text(SPEC)
    (project.folder() / "tasks.md").write_text(TASKS)
    return project


def titles(project: Project, tracker: str) -> list[str]:
    return sorted(view.title for view in getattr(project.box, tracker).items())


def test_metadata_without_a_time_of_activity_gets_one_with_its_item(specified: Project) -> None:
    path = specified.folder() / "metadata.json"
    data = specified.metadata()
    del data["lastActivity"]
    path.write_text(json.dumps(data))
    assert specified.run("github", "create-issue", "7").code == 0
    check_files(specified)
    assert "schema" not in specified.run("doctor").said


@pytest.mark.parametrize("tracker", ALL)
def test_one_item_per_user_story_as_its_rehearsal_shows(specified: Project, tracker: str) -> None:
    command = (tracker, f"create-{NOUNS[tracker]}", "7", "--per-story")
    before = specified.tree()

    document = check(specified, "dry-run", *command, "--dry-run")
    shown = specified.run(*command, "--dry-run").out

    assert (before, []) == (specified.tree(), titles(specified, tracker))
    assert ": a new " in shown
    assert "for US-002" in shown
    assert " requests to 2 items" in shown
    assert [(True, None)] * 2 == [
        (item["requests"] != [], item["error"]) for item in document["items"]
    ]

    done = specified.run(*command)
    again = specified.run(*command)

    assert (0, 0) == (done.code, again.code), done.said + again.said
    assert "No user story without " in again.err
    assert ["US-001: Draw a widget", "US-002: Erase a widget"] == titles(specified, tracker)
    block = specified.metadata()[tracker]
    assert ["US-001", "US-002"] == [item["story"] for item in block["items"]]


def test_what_cannot_or_may_not_be_created_is_refused_before_it_is_recorded(
    specified: Project,
) -> None:
    create = ("github", "create-issue", "7")
    before = specified.tree()
    specified.run(*create, "--story", "US-009").ends(2, err="error[item-unknown]")
    assert before == specified.tree()
    specified.configure_more(tables='[sync]\nwrite = ["status", "comment"]\n')
    before = specified.tree()
    specified.run(*create).ends(2, err="error[write-not-permitted]")
    assert before == specified.tree()
    specified.configure_more()
    (specified.folder() / "spec.md").write_text("# Smart discipline\n")
    specified.run(*create, "--per-story").ends(2, err="error[no-story]")


@pytest.fixture
def transferred(project: Project) -> Project:
    """A completed increment whose issue was moved to another repository."""
    project.increment(links=project.items("github"))
    project.box.github.add_repository("octo/gadgets")
    project.box.github.transfer_issue("octo/widgets", 4, "octo/gadgets")
    return project


def allow(project: Project) -> None:
    text = project.box.config().replace(
        "[trackers.github]\n", '[trackers.github]\nrepositories = ["octo/gadgets"]\n'
    )
    project.configure(text)


def test_a_transferred_issue_is_followed_on_demand_to_configured_places_alone(
    transferred: Project,
) -> None:
    transferred.run("resume", "7", "--reason", REASON, "--yes", "--follow").ends(3)
    assert "octo/widgets/issues/4" in transferred.metadata()["github"]["url"]
    allow(transferred)
    transferred.run("sync", "7").ends(3, out=("octo/gadgets", "--follow"))
    assert transferred.metadata()["github"]["issue"] == 4
    transferred.run("sync", "7", "--follow").ends(0)
    block = transferred.metadata()["github"]
    assert "octo/gadgets/issues/" in block["url"]
    assert "pending" not in transferred.metadata()
    number = int(block["issue"])
    said = [comment["body"] for comment in transferred.box.github.comments("octo/gadgets", number)]
    assert 1 == sum(REASON in body for body in said)
    (moved,) = [e for e in transferred.events() if e["event"] == "repointed"]
    assert moved["item"] == block["url"]
    check(transferred, "show", "show", "7")


def test_doctor_asks_one_tracker_alone_and_only_online(completed: Project) -> None:
    completed.run("doctor", "--online", "github").shows(out="GitHub: comments are posted as")
    assert (0, 0) == (completed.box.requests.count("ado"), completed.box.requests.count("jira"))
    assert completed.run("doctor", "github").code == 2
    assert completed.run("doctor", "--online", "gitlab").code == 2


def test_status_of_many_increments_takes_few_requests(project: Project) -> None:
    for number in range(12):
        made = project.box.github.add_issue(title=f"Issue {number}")
        url = f"{project.box.github.web_url}/octo/widgets/issues/{made}"
        links = {"github": {"issue": made, "url": url}}
        project.increment(f"{number + 10:04}-thing", status="active", links=links)
    project.box.requests.clear()
    document = check(project, "tracker-status", "github", "status")
    assert ["open"] * 12 == [one["items"][0]["state"] for one in document["increments"]]
    assert 1 == project.box.requests.count("github")


def test_an_option_of_one_tracker_is_refused_where_no_item_is_there(project: Project) -> None:
    project.increment(status="active", links=project.items("github"))
    project.increment("0008-more", status="active", links={})
    for words in (
        ("reopen", "octo/widgets#4", "--item-only", "--reason", REASON, "--children"),
        ("resume", "7", "--reason", REASON, "--yes", "--children"),
        ("resume", "7", "8", "--reason", REASON, "--yes", "--allow-path"),
        ("abandon", "7", "--yes", "--allow-path"),
        ("abandon", "7", "8", "--yes", "--allow-path"),
        ("resume", "7", "8", "--reason", REASON, "--yes", "--no-notify"),
    ):
        done = project.run(*words)
        option = words[-1]

        assert (2, []) == (done.code, project.wrote()), done.said
        its = "Azure DevOps and Jira" if option == "--no-notify" else "Jira"
        assert f"{option} is an option of {its}, and no item is there" in done.err
        assert f"next: leave out {option}\n" in done.err
    for tracker, count in (("github issue", 0), ("jira issue", 1)):
        group, noun = tracker.split()
        assert count == project.run(group, f"reopen-{noun}", "--help").out.count("--children")
    assert "active" == project.metadata()["status"]


def test_options_of_plugins_are_kept_with_the_operation(project: Project) -> None:
    project.increment(links=project.items("jira"))
    project.run("resume", "7", "--reason", REASON, "--offline", "--yes", "--allow-path").ends(0)
    assert {("allow-path",)} == {tuple(one["options"]) for one in project.metadata()["pending"]}
    assert project.run("sync", NAME).code == 0
