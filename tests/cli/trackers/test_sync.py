"""unlatch sync: changes on a tracker and local changes come together."""

from typing import Any

import pytest
from tests.cli.output.test_documents import check
from tests.cli.project import ALL, NAME, Project

OPEN_STATES = {"github": "open", "ado": "Active", "jira": "In Progress"}
CLOSED_STATES = {"github": "closed", "ado": "Closed", "jira": "Done"}


def by_hand(project: Project, tracker: str, *, opens: bool) -> None:
    """A person clicks on a tracker."""
    state = (OPEN_STATES if opens else CLOSED_STATES)[tracker]
    if tracker == "github":
        reason = None if opens else "completed"
        project.box.github.edit("octo/widgets", 4, state=state, state_reason=reason)
    elif tracker == "ado":
        project.box.ado.edit(101, state=state)
    else:
        project.box.jira.edit("SCRUM-28", status=state)


def writes(project: Project) -> list[str]:
    """The requests since the last look that changed something."""
    sent = project.box.requests.entries()
    project.box.requests.clear()
    return [f"{one.method} {one.path}" for one in sent if one.changes]


def in_sync(links: dict[str, Any], *, is_open: bool) -> dict[str, Any]:
    """The links with the base that a first sync records: a test below compares them."""
    states = OPEN_STATES if is_open else CLOSED_STATES
    for tracker, block in links.items():
        remote = "done" if not is_open else "todo" if tracker == "github" else "doing"
        local = "active" if is_open else "completed"
        block["base"] = {"local": local, "remote": remote, "state": states[tracker]}
    return links


@pytest.fixture
def in_step(project: Project) -> Project:
    """An active increment whose three items are open, seen in step."""
    links = in_sync(project.items(finished=False), is_open=True)
    project.increment(status="active", links=links)
    return project


@pytest.fixture
def finished(project: Project) -> Project:
    """A completed increment whose three items are closed, seen in step."""
    project.increment(links=in_sync(project.items(), is_open=False))
    return project


@pytest.fixture
def with_issue(project: Project) -> Project:
    """The same with one item, an issue."""
    project.increment(links=in_sync(project.items("github"), is_open=False))
    return project


@pytest.mark.sample(at=(1,))
@pytest.mark.parametrize("status", ["active", "completed"])
def test_the_first_look_records_agreement_and_sends_nothing(project: Project, status: str) -> None:
    is_open = status == "active"
    links = project.items(finished=not is_open)
    project.increment(status=status, links=links)
    done = project.run("sync")
    assert (0, []) == (done.code, writes(project)), done.said
    metadata = project.metadata()
    assert in_sync(links, is_open=is_open) == {name: metadata[name] for name in ALL}


def test_without_a_base_disagreement_is_listed_and_nothing_written(project: Project) -> None:
    project.increment(status="active", links=project.items("github"))
    before = project.tree()
    done = project.run("sync")
    assert (0, [], before) == (done.code, writes(project), project.tree()), done.said
    assert "no sync is on record" in done.out


PEOPLE = {"github": "a-person", "ado": "A Person", "jira": "A Person"}


@pytest.mark.sample(at=(0,))
@pytest.mark.parametrize(
    "tracker", ["github", "ado", pytest.param("jira", marks=pytest.mark.sweep)]
)
def test_an_item_reopened_by_hand_reopens_the_increment_and_the_others(
    finished: Project, tracker: str
) -> None:
    by_hand(finished, tracker, opens=True)
    finished.run("sync").ends(0)
    (entry,) = finished.metadata()["reopenHistory"]
    assert finished.metadata()["status"] == "active"
    assert entry["source"] == finished.urls[tracker]
    assert entry["reopenedBy"] == PEOPLE[tracker]
    assert f"was reopened by {PEOPLE[tracker]}" in entry["reason"]
    assert set(ALL) == set(entry["syncedTo"])
    said = finished.comments()
    assert said.pop(tracker) == []
    assert [[True], [True]] == [
        [f"by {PEOPLE[tracker]}" in text for text in texts] for texts in said.values()
    ]
    for labels in finished.labels().values():
        assert ("reopened" in labels, "completed" in labels) == (True, False)
    assert finished.states() == OPEN_STATES
    writes(finished)
    before = finished.tree()
    assert (0, [], before) == (finished.run("sync").code, writes(finished), finished.tree())


def test_an_item_closed_by_hand_waits_for_a_decision_unless_the_policy_follows_it(
    in_step: Project,
) -> None:
    by_hand(in_step, "jira", opens=False)
    before = in_step.tree()
    asked = in_step.run("sync")
    assert (5, [], before) == (asked.code, writes(in_step), in_step.tree()), asked.said
    assert "needs a decision" in asked.out
    in_step.configure_more(tables='[sync]\non_close = "follow"\n')
    in_step.run("sync").ends(0)
    assert in_step.metadata()["status"] == "completed"
    assert in_step.states() == CLOSED_STATES


def test_open_tasks_keep_a_closed_item_from_completing_the_increment(in_step: Project) -> None:
    in_step.configure_more(tables='[sync]\non_close = "follow"\n')
    tasks = in_step.folder() / "tasks.md"
    tasks.write_text("# Tasks\n\n## T-001: Draw\n\n**Status**: [ ] pending\n")
    by_hand(in_step, "jira", opens=False)
    refused = in_step.run("sync")
    status = in_step.metadata()["status"]
    forced = in_step.run("sync", "--force")
    assert (5, "active") == (refused.code, status), refused.said
    assert "work-open" in refused.out
    assert (0, "completed") == (forced.code, in_step.metadata()["status"]), forced.said


def test_a_status_edited_in_the_file_is_pushed(in_step: Project) -> None:
    path = in_step.folder() / "metadata.json"
    path.write_text(path.read_text().replace('"active"', '"completed"', 1))
    in_step.run("sync").ends(0)
    assert in_step.states() == CLOSED_STATES


@pytest.mark.parametrize(
    ("policy", "status"),
    [
        ('[sync]\ndirection = "push"', "completed"),
        ('[sync]\ndirection = "off"', "completed"),
        ('[sync]\ndirection = "pull"', "active"),
        ('[sync.trackers.github]\ndirection = "push"', "completed"),
    ],
)
def test_the_direction_decides_who_may_follow(
    with_issue: Project, policy: str, status: str
) -> None:
    with_issue.configure_more(tables=f"{policy}\n")
    by_hand(with_issue, "github", opens=True)
    done = with_issue.run("sync")
    assert (0, status) == (done.code, with_issue.metadata()["status"]), done.said


def both_differ(project: Project) -> None:
    """One person reopens the increment in its file, and another closes the issue as not planned."""
    path = project.folder() / "metadata.json"
    path.write_text(path.read_text().replace('"completed"', '"active"', 1))
    for state, reason in (("open", None), ("closed", "not_planned")):
        project.box.github.edit("octo/widgets", 4, state=state, state_reason=reason)


@pytest.mark.parametrize(
    ("policy", "code", "status"),
    [("fail", 5, "active"), ("ask", 5, "active"), ("remote", 0, "abandoned")],
)
def test_conflicts_are_resolved_by_policy(
    with_issue: Project, policy: str, code: int, status: str
) -> None:
    with_issue.configure_more(tables=f'[sync]\nconflict = "{policy}"\non_close = "follow"\n')
    both_differ(with_issue)
    done = with_issue.run("sync")
    assert (code, status) == (done.code, with_issue.metadata()["status"]), done.said


def test_an_item_of_two_increments_is_never_pulled(with_issue: Project) -> None:
    block = with_issue.metadata()["github"]
    with_issue.increment("0008-other", links={"github": block})
    by_hand(with_issue, "github", opens=True)
    with_issue.run("sync").ends(0, out="belongs to several increments")
    assert ["completed"] * 2 == [with_issue.metadata(n)["status"] for n in (NAME, "0008-other")]


def test_check_is_the_gate(with_issue: Project) -> None:
    calm = with_issue.run("sync", "--check")
    by_hand(with_issue, "github", opens=True)
    before = with_issue.tree()
    drifted = with_issue.run("sync", "--check")
    assert (0, 5, before) == (calm.code, drifted.code, with_issue.tree())
    assert "the item was reopened" in drifted.out
    assert writes(with_issue) == []


def test_plan_shows_both_sides_requests_and_comments(finished: Project) -> None:
    by_hand(finished, "github", opens=True)
    before = finished.tree()
    done = finished.run("sync", "--dry-run").shows(
        out=(
            "completed -> active (octo/widgets#4 was reopened",
            "3 items would be written to",
            "2 comments; people who watch these items are notified",
        )
    )
    document = check(finished, "sync-plan", "sync", "--dry-run")
    beyond = finished.run("sync", "--dry-run", "--max-items", "1").shows(
        err=("3 items would be written to; the limit is 1 [too-many-items].", "--max-items 3")
    )
    refused = check(finished, "sync-plan", "sync", "--dry-run", "--max-items", "1")["refused"]
    assert (0, 0, before) == (done.code, beyond.code, finished.tree()), done.said + beyond.said
    assert writes(finished) == []
    assert (set(document["requests"]), document["refused"]) == (set(ALL), None)
    (move,) = document["moves"]
    assert (move["before"], move["after"]) == ("completed", "active")
    assert "too-many-items" == refused["id"]


def add_closed_issue(project: Project) -> None:
    """0090-other, completed, in sync with issue 90."""
    issue = project.box.github.add_issue(number=90, title="Another", state="closed")
    url = f"{project.box.github.web_url}/octo/widgets/issues/{issue}"
    links = in_sync({"github": {"issue": issue, "url": url}}, is_open=False)
    project.increment("0090-other", links=links)


def test_blocked_operations_that_are_not_tried_count_as_no_items(finished: Project) -> None:
    add_closed_issue(finished)
    # Two items were closed on purpose: their operations are blocked.
    finished.box.github.edit("octo/widgets", 4, state="open")
    finished.box.github.edit("octo/widgets", 4, state="closed", state_reason="not_planned")
    finished.box.ado.edit(101, state="Removed")
    assert 3 == finished.run("resume", "7", "--reason", "More", "--yes").code
    assert 2 == len(finished.metadata()["pending"])
    finished.box.github.edit("octo/widgets", 90, state="open")
    finished.configure_more(tables="[sync]\nmax_items = 1\n")
    finished.run("sync", "--dry-run").shows(out="1 item would be written to")
    done = finished.run("sync", "--yes")
    assert "active" == finished.metadata("0090-other")["status"], done.said
    assert "too-many-items" in finished.run("sync", "--yes", "7").err


def test_an_issue_that_a_merged_pull_request_closed_is_no_drift(in_step: Project) -> None:
    in_step.box.github.merge_pull_request("octo/widgets", 12, closes=4)
    in_step.run("sync", "--check").ends(0, out="closed by the merged pull request octo/widgets#12")


def test_a_check_names_folders_that_look_like_increments(with_issue: Project) -> None:
    (with_issue.increments / "7-search").mkdir()
    for name in ("search", "search-again", "more"):
        (with_issue.increments / name).mkdir()
        (with_issue.increments / name / "metadata.json").write_text("{}")
    done = with_issue.run("sync", "--check").ends(0)
    said = "note: 4 folders look like increments and are not read: 7-search, more, search and 1"
    assert f"{said} more\n  next: unlatch doctor\n" in done.err
    assert "folders" not in with_issue.run("sync", "--check", "7").err


def test_a_plan_that_only_records_says_so_once(project: Project) -> None:
    project.increment(links=project.items())
    first = project.run("sync", "--dry-run").out
    assert 0 == project.run("sync").code
    said = "No items would be changed; 3 links would be recorded as in sync.\n"
    assert (True, False) == (first.endswith(said), "No changes" in first)
    assert "No changes would be made.\n" == project.run("sync", "--dry-run").out
