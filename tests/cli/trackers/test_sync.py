"""unlatch sync: changes on a tracker and local changes come together."""

from __future__ import annotations

import pytest
from tests.cli.output.test_documents import check
from tests.cli.project import ALL, NAME, TITLE, Project

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


@pytest.fixture
def in_step(project: Project) -> Project:
    """An active increment whose three items are open, seen in step."""
    project.increment(status="active", links=project.items(finished=False))
    assert project.run("sync").code == 0
    writes(project)
    return project


@pytest.fixture
def finished(project: Project) -> Project:
    """A completed increment whose three items are closed, seen in step."""
    project.increment(links=project.items())
    assert project.run("sync").code == 0
    writes(project)
    return project


def bases(project: Project) -> dict[str, tuple[str, str]]:
    metadata = project.metadata()
    found = {name: metadata[name].get("base") for name in ALL if name in metadata}
    return {name: (base["local"], base["remote"]) for name, base in found.items() if base}


def test_the_first_look_notes_agreement_and_sends_nothing(project: Project) -> None:
    project.increment(status="active", links=project.items(finished=False))

    done = project.run("sync")

    assert (0, []) == (done.code, writes(project)), done.said
    assert dict.fromkeys(ALL, "active") == {name: b[0] for name, b in bases(project).items()}


def test_an_unchanged_world_makes_no_writes_on_disk_either(in_step: Project) -> None:
    before = in_step.tree()

    done = in_step.run("sync")

    assert (0, [], before) == (done.code, writes(in_step), in_step.tree()), done.said
    assert "both sides are in sync" in done.err


def test_without_a_base_disagreement_is_listed_and_nothing_written(project: Project) -> None:
    project.increment(status="active", links=project.items("github"))
    before = project.tree()

    done = project.run("sync")

    assert (0, [], before) == (done.code, writes(project), project.tree()), done.said
    assert "no sync is on record" in done.out


@pytest.mark.parametrize("tracker", ALL)
def test_an_item_reopened_by_hand_reopens_the_increment_and_the_others(
    finished: Project, tracker: str
) -> None:
    by_hand(finished, tracker, opens=True)

    done = finished.run("sync", "--by", "Gil")

    assert done.code == 0, done.said
    (entry,) = finished.metadata()["reopenHistory"]
    assert finished.metadata()["status"] == "active"
    assert entry["source"] == finished.urls[tracker]
    assert "was reopened" in entry["reason"]
    assert set(ALL) == set(entry["syncedTo"])
    others = [name for name in ALL if name != tracker]
    said = finished.comments()
    assert dict.fromkeys(others, 1) == {name: len(said[name]) for name in others}
    assert said[tracker] == []
    for labels in finished.labels().values():
        assert ("reopened" in labels, "completed" in labels) == (True, False)
    assert {name: OPEN_STATES[name] for name in ALL} == finished.states()
    writes(finished)
    before = finished.tree()
    assert (0, [], before) == (finished.run("sync").code, writes(finished), finished.tree())


@pytest.mark.parametrize("tracker", ["ado", "jira"])
def test_who_reopened_an_item_is_in_the_history_and_in_the_comments(
    finished: Project, tracker: str
) -> None:
    by_hand(finished, tracker, opens=True)

    done = finished.run("sync")

    assert done.code == 0, done.said
    (entry,) = finished.metadata()["reopenHistory"]
    assert entry["reopenedBy"] == "A Person"
    said = [text for texts in finished.comments().values() for text in texts]
    assert [True, True] == ["by A Person" in text for text in said]


def test_an_item_closed_by_hand_waits_for_somebody(in_step: Project) -> None:
    by_hand(in_step, "github", opens=False)
    before = in_step.tree()

    done = in_step.run("sync")

    assert (5, [], before) == (done.code, writes(in_step), in_step.tree()), done.said
    assert "needs a decision" in done.out


def test_an_item_closed_by_hand_finishes_the_increment_where_that_is_the_policy(
    in_step: Project,
) -> None:
    in_step.configure_more(tables='[sync]\non_close = "follow"\n')
    by_hand(in_step, "jira", opens=False)

    done = in_step.run("sync")

    assert done.code == 0, done.said
    assert in_step.metadata()["status"] == "completed"
    assert {name: CLOSED_STATES[name] for name in ALL} == in_step.states()


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

    done = in_step.run("sync")

    assert done.code == 0, done.said
    assert {name: CLOSED_STATES[name] for name in ALL} == in_step.states()


@pytest.mark.parametrize(
    ("policy", "status", "code"),
    [
        ('direction = "push"', "completed", 0),
        ('direction = "off"', "completed", 0),
        ('direction = "pull"', "active", 0),
        ('[sync.trackers.github]\ndirection = "push"', "completed", 0),
    ],
)
def test_the_direction_decides_who_may_follow(
    finished: Project, policy: str, status: str, code: int
) -> None:
    tables = policy if policy.startswith("[") else f"[sync]\n{policy}"
    finished.configure_more(tables=f"{tables}\n")
    by_hand(finished, "github", opens=True)

    done = finished.run("sync")

    assert (code, status) == (done.code, finished.metadata()["status"]), done.said


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
    project: Project, policy: str, code: int, status: str
) -> None:
    project.increment(links=project.items("github"))
    assert project.run("sync").code == 0
    settings = f'[sync]\nconflict = "{policy}"\non_close = "follow"\n'
    project.configure_more(tables=settings)
    both_differ(project)

    done = project.run("sync")

    assert (code, status) == (done.code, project.metadata()["status"]), done.said


def test_an_item_of_two_increments_is_never_pulled_and_closes_with_the_last(
    project: Project,
) -> None:
    links = project.items("github")
    project.increment(links=links)
    project.increment("0008-other", links=links)
    assert project.run("sync").code == 0
    by_hand(project, "github", opens=True)

    done = project.run("sync")

    assert done.code == 0, done.said
    assert "belongs to several increments" in done.out
    assert ["completed"] * 2 == [project.metadata(n)["status"] for n in (NAME, "0008-other")]


def test_check_is_the_gate(finished: Project) -> None:
    calm = finished.run("sync", "--check")
    by_hand(finished, "github", opens=True)
    before = finished.tree()

    drifted = finished.run("sync", "--check")

    assert (0, 5, before) == (calm.code, drifted.code, finished.tree())
    assert "the item was reopened" in drifted.out
    assert writes(finished) == []


def test_plan_shows_both_sides_requests_and_comments(
    finished: Project,
) -> None:
    by_hand(finished, "github", opens=True)
    before = finished.tree()

    done = finished.run("sync", "--plan")
    document = check(finished, "sync-plan", "sync", "--plan")

    assert (0, before, []) == (done.code, finished.tree(), writes(finished)), done.said
    assert "completed -> active (octo/widgets#4 was reopened" in done.out
    assert "3 items would be written to" in done.out
    assert "2 comments; people who watch these items are notified" in done.out
    assert set(document["requests"]) == set(ALL)
    (move,) = document["moves"]
    assert (move["before"], move["after"]) == ("completed", "active")


def test_more_items_than_agreed_are_refused_before_anything_is_written(finished: Project) -> None:
    finished.configure_more(tables="[sync]\nmax_items = 1\n")
    by_hand(finished, "github", opens=True)
    before = finished.tree()

    refused = finished.run("sync", "--yes")
    agreed = finished.run("sync", "--max-items", "3")

    assert (2, "too-many-items") == (refused.code, refused.err.split("[")[1].split("]")[0])
    assert agreed.code == 0, agreed.said
    assert before != finished.tree()


def test_a_plan_says_that_a_sync_would_change_too_many_items(finished: Project) -> None:
    by_hand(finished, "github", opens=True)

    done = finished.run("sync", "--plan", "--max-items", "1")
    document = check(finished, "sync-plan", "sync", "--plan", "--max-items", "1")

    assert 0 == done.code, done.said
    assert "3 items would be written to; the limit is 1 [too-many-items]." in done.err, done.said
    assert "--max-items 3" in done.err
    assert "too-many-items" == document["refused"]["id"]
    assert None is check(finished, "sync-plan", "sync", "--plan")["refused"]


@pytest.fixture
def pending_and_adrift(finished: Project) -> Project:
    """Three pending operations, and another increment that was reopened without any."""
    issue = finished.box.github.add_issue(number=90, title="Another", state="closed")
    url = f"{finished.box.github.web_url}/octo/widgets/issues/{issue}"
    finished.increment("0090-other", links={"github": {"issue": issue, "url": url}})
    assert 0 == finished.run("sync").code
    metadata = finished.folder("0090-other") / "metadata.json"
    metadata.write_text(metadata.read_text().replace('"status": "completed"', '"status": "active"'))
    assert 0 == finished.run("resume", "7", "--reason", "More", "--yes", "--offline").code
    writes(finished)
    return finished


def test_too_many_items_after_deliveries_are_an_open_question(pending_and_adrift: Project) -> None:
    project = pending_and_adrift

    done = project.run("sync", "--yes", "--max-items", "3")

    assert 5 == done.code, done.said
    assert OPEN_STATES == project.states()
    assert "closed" == project.box.github.issue("octo/widgets", 90)["state"]
    assert "4 items would be written to, 3 of them are done; the limit is 3" in done.err
    assert "--max-items 1" in done.err
    assert 0 == project.run("sync", "--yes", "--max-items", "1").code


def test_the_document_names_deliveries_and_why_the_rest_was_refused(
    pending_and_adrift: Project,
) -> None:
    options = ("--yes", "--max-items", "3")

    document = check(pending_and_adrift, "sync", "sync", *options)

    assert (5, "too-many-items") == (document["exitCode"], document["refused"]["id"])
    (served,) = document["increments"]
    assert (3, 0) == (len(served["trackers"]), served["left"])


def test_blocked_operations_that_are_not_tried_count_as_no_items(finished: Project) -> None:
    issue = finished.box.github.add_issue(number=90, title="Another", state="closed")
    url = f"{finished.box.github.web_url}/octo/widgets/issues/{issue}"
    finished.increment("0090-other", links={"github": {"issue": issue, "url": url}})
    assert 0 == finished.run("sync").code
    # Two items were closed on purpose: their operations are blocked.
    finished.box.github.edit("octo/widgets", 4, state="open")
    finished.box.github.edit("octo/widgets", 4, state="closed", state_reason="not_planned")
    finished.box.ado.edit(101, state="Removed")
    assert 3 == finished.run("resume", "7", "--reason", "More", "--yes").code
    assert 2 == len(finished.metadata()["pending"])
    finished.box.github.edit("octo/widgets", 90, state="open")
    finished.configure_more(tables="[sync]\nmax_items = 1\n")

    plan, done = finished.run("sync", "--plan"), finished.run("sync", "--yes")

    assert "1 item would be written to" in plan.out
    assert "active" == finished.metadata("0090-other")["status"], done.said
    assert "too-many-items" in finished.run("sync", "--yes", "7").err


def test_changed_since_looks_only_at_what_a_branch_touched(finished: Project) -> None:
    finished.increment("0008-other", links={})
    finished.commit()
    by_hand(finished, "github", opens=True)

    untouched = finished.run("sync", "--check", "--changed-since", "main")
    (finished.folder() / "tasks.md").write_text("# Tasks, more\n")
    touched = finished.run("sync", "--check", "--changed-since", "main")
    unknown = finished.run("sync", "--check", "--changed-since", "nowhere")

    assert (0, 5, 2) == (untouched.code, touched.code, unknown.code)
    assert "unknown-ref" in unknown.err


def test_titles_and_states_of_items_are_words(finished: Project) -> None:
    finished.box.github.edit("octo/widgets", 4, title=f"{TITLE}\x1b[31m::error::x")
    by_hand(finished, "github", opens=True)

    done = finished.run("sync", "--plan")

    assert "\x1b" not in done.said


def test_an_issue_that_a_merged_pull_request_closed_is_no_drift(in_step: Project) -> None:
    in_step.box.github.merge_pull_request("octo/widgets", 12, closes=4)

    done = in_step.run("sync", "--check")

    assert done.code == 0, done.said
    assert "closed by the merged pull request octo/widgets#12" in done.out


def test_who_reopened_an_issue_stands_in_the_entry(finished: Project) -> None:
    by_hand(finished, "github", opens=True)

    finished.run("sync")

    (entry,) = finished.metadata()["reopenHistory"]
    assert ("a-person", "octo/widgets#4 was reopened by a-person") == (
        entry["reopenedBy"],
        entry["reason"],
    )


def test_a_check_names_folders_that_look_like_increments(finished: Project) -> None:
    (finished.increments / "7-search").mkdir()
    for name in ("search", "search-again", "more"):
        (finished.increments / name).mkdir()
        (finished.increments / name / "metadata.json").write_text("{}")

    done = finished.run("sync", "--check")

    assert 0 == done.code, done.said
    said = "note: 4 folders look like increments and are not read: 7-search, more, search and 1"
    assert f"{said} more\n  next: unlatch doctor\n" in done.err
    assert "folders" not in finished.run("sync", "--check", "7").err


def test_a_plan_that_only_records_says_so_once(project: Project) -> None:
    project.increment(links=project.items())

    first = project.run("sync", "--plan").out
    assert 0 == project.run("sync").code

    said = "No items would be changed; 3 links would be recorded as in sync.\n"
    assert (True, False) == (first.endswith(said), "No changes" in first)
    assert "No changes would be made.\n" == project.run("sync", "--plan").out
