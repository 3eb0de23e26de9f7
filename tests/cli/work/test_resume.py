"""resume without a terminal, as CI runs it: files, items, documents and exit codes."""

import shutil
from shlex import quote

import pytest
from tests.cli.project import ALL, CLOSED, FINISHED, NAME, OPEN, REASON, Project, stamp

from unlatch.increments.records.reopens import spelled_out
from unlatch.spi.text import ops_in
from unlatch.worklog.ids import is_ulid

RESUME = ("resume", "0007", "--reason", REASON, "--yes")


@pytest.fixture
def ready(completed: Project) -> Project:
    """As in CI, where the actor is known."""
    completed.extra["GITHUB_ACTOR"] = "ci-bot"
    return completed


def counts(project: Project) -> dict[str, int]:
    return {name: len(comments) for name, comments in project.comments().items()}


def test_one_command_reopens_comments_and_relabels_everything(ready: Project) -> None:
    done = ready.process(*RESUME).ends(0, whole_err="Next: unlatch show 0007-smart-discipline\n")
    assert sorted(done.out.splitlines()) == [
        "✓ Azure DevOps fabrikam/widgets 101 reopened; commented; labels +reopened -completed",
        "✓ GitHub octo/widgets#4 reopened; commented; labels +reopened -completed",
        "✓ Increment 0007-smart-discipline reopened: completed -> active (by ci-bot)",
        "✓ Jira SCRUM-28 reopened; commented; labels +reopened -completed",
    ]
    assert ready.states() == OPEN
    assert {
        "github": {"bug", "reopened"},
        "ado": {"ui", "reopened"},
        "jira": {"ux", "reopened"},
    } == (ready.labels())


def test_the_comment_says_reason_who_and_when_and_carries_the_marker(ready: Project) -> None:
    ready.box.github.add_comment("octo/widgets", 4, "Well done")

    ready.run(*RESUME)

    entry = ready.metadata()["reopenHistory"][0]
    at = f"{entry['reopenedAt'][:10]} {entry['reopenedAt'][11:16]} UTC"
    said = f"Increment 0007-smart-discipline, by ci-bot, {at}"
    op = entry["id"]
    assert ready.comments() == {
        "github": [
            "Well done",
            f"**Reopened**: {REASON}\n\n{said}\n\n<!-- unlatch:op={op} -->",
        ],
        "ado": [f"<p><b>Reopened</b>: {REASON}</p><p>{said}</p><p>unlatch ref {op}</p>"],
        "jira": [f"Reopened: {REASON}\n\n{said}\n\nunlatch ref {op}"],
    }
    assert [{op}] * 3 == [set(ops_in(texts[-1])) for texts in ready.comments().values()]


def test_files_and_events_tell_what_happened_and_nothing_else_changed(ready: Project) -> None:
    before = ready.metadata()

    ready.run(*RESUME)

    after = ready.metadata()
    entry = after["reopenHistory"][0]
    assert is_ulid(entry["id"])
    assert entry == {
        "id": entry["id"],
        "reopenedAt": after["lastActivity"],
        "reason": REASON,
        "previousStatus": "completed",
        "previousCompletedAt": stamp(FINISHED),
        "reopenedBy": "ci-bot",
        "doneWork": 0,
        "syncedTo": entry["syncedTo"],
    }
    items: dict[str, dict[str, object]] = {
        "github": {"issueNumber": 4, "issueUrl": ready.urls["github"]},
        "ado": {"workItemId": 101, "workItemUrl": ready.urls["ado"]},
        "jira": {"issueKey": "SCRUM-28", "issueUrl": ready.urls["jira"]},
    }
    for name in ALL:
        synced = dict(entry["syncedTo"][name])
        (details,) = synced.pop("items")
        assert items[name] == synced
        assert items[name] == {key: details[key] for key in items[name]}
        assert set(details) == {*items[name], "effect"}
        details = spelled_out(details)
        assert (CLOSED[name], OPEN[name]) == tuple(details[k]["state"] for k in ("before", "after"))
        assert (["reopened"], ["completed"]) == (details["labelsAdded"], details["labelsRemoved"])
    bases = {
        "github": {"local": "active", "remote": "todo", "state": "open"},
        "ado": {"local": "active", "remote": "doing", "state": "Active"},
        "jira": {"local": "active", "remote": "doing", "state": "In Progress"},
    }
    expected = {**before, "status": "active", "lastActivity": after["lastActivity"]}
    del expected["completedAt"]
    for name in ALL:
        expected[name] = {**before[name], "base": bases[name]}
    assert {**expected, "reopenHistory": [entry]} == after
    assert list(before)[:6] == [*list(after)[:5], "completedAt"]
    reopened, *delivered = ready.events()
    assert (entry["id"], "reopened", "ci-bot") == tuple(reopened[k] for k in ("id", "event", "by"))
    assert {(event["event"], event["op"], event["result"]) for event in delivered} == {
        ("delivered", entry["id"], "reopened")
    }
    earlier = {event["tracker"]: event["before"] for event in delivered}
    assert CLOSED == {name: item["state"] for name, item in earlier.items()}
    assert {"bug", "completed"} == set(earlier["github"]["labels"])


def test_the_document_is_exactly_this(ready: Project) -> None:
    done = ready.process(*RESUME, "--json")

    entry = ready.metadata()["reopenHistory"][0]
    nothing_left: dict[str, object] = {"retry": "none", "retryAt": None}
    reached = {"outcome": "reopened", "notes": [], "error": None, **nothing_left}
    requests = {name: ready.box.requests.count(name) for name in ALL}
    # The SDK of Azure DevOps discovers the organization once, and the type's states are read once.
    assert (5, 3) == (requests["github"], requests["jira"])
    assert done.document == {
        "schema": "unlatch.resume/1",
        "increment": {"id": NAME, "status": "active", "previousStatus": "completed"},
        "reopen": spelled_out(entry),
        "trackers": [
            {
                "tracker": name,
                "id": item,
                "url": ready.urls[name],
                **reached,
                "requests": requests[name],
            }
            for name, item in (("github", "4"), ("ado", "101"), ("jira", "SCRUM-28"))
        ],
        "scope": None,
        "warnings": [],
        **nothing_left,
        "exitCode": 0,
    }
    assert done.err == ""


def test_an_id_may_be_given_in_any_shape(ready: Project) -> None:
    for wanted in ("7", "007", "0007", NAME):
        done = ready.run("resume", wanted, "--dry-run", "--offline", "--json")
        assert (done.code, done.document["increment"]["id"]) == (0, NAME), wanted


def test_without_a_terminal_both_options_are_needed(ready: Project) -> None:
    before = ready.tree()
    for options, given in (
        ((), "TEXT"),
        (("--reason", REASON), quote(REASON)),
        (("--yes",), "TEXT"),
    ):
        ready.run("resume", "7", *options).ends(
            2,
            whole_out="",
            whole_err=f"error[not-interactive]: {NAME} is completed; cannot prompt: stdin is not a "
            f"terminal\n  next: unlatch resume {NAME} --reason {given} --yes\n",
        )
    assert before == ready.tree()
    assert ready.sent() == []


def test_offline_leaves_the_items_and_sync_delivers_them_with_a_probe(ready: Project) -> None:
    offline = ready.run(*RESUME, "--offline").ends(0)
    assert offline.err == "3 operations pending. Next: unlatch sync\n"
    assert ready.metadata()["status"] == "active"
    assert ready.sent() == []
    assert ready.states() == CLOSED
    op = ready.metadata()["reopenHistory"][0]["id"]
    assert [(op, "reopen", name) for name in ALL] == [
        (pending["op"], pending["kind"], pending["tracker"])
        for pending in ready.metadata()["pending"]
    ]
    ready.run("sync").ends(0)
    assert ready.states() == OPEN
    assert dict.fromkeys(ALL, 1) == counts(ready)
    assert "pending" not in ready.metadata()
    # The item was read and its comments were listed before anything was written.
    first, second = ((e.method, e.path) for e in ready.box.requests.entries("github")[:2])
    assert ("GET", "GET") == (first[0], second[0])
    assert second[1].endswith("/issues/4/comments")


def test_a_repeated_resume_delivers_what_is_pending_and_then_says_so(ready: Project) -> None:
    document = ready.run(*RESUME, "--offline", "--json").document
    ready.run("resume", "7").ends(0, out="is already active; delivering 3 operations\n")
    before, comments = ready.tree(), ready.comments()
    ready.box.requests.clear()
    again = ready.process(*RESUME)
    assert document["exitCode"] == 0
    assert [(name, "pending", 0, None) for name in ALL] == [
        (entry["tracker"], entry["outcome"], entry["requests"], entry["error"])
        for entry in document["trackers"]
    ]
    assert document["reopen"]["syncedTo"] == {}
    assert ready.states() == OPEN
    assert len(ready.metadata()["reopenHistory"]) == 1
    assert dict.fromkeys(ALL, 1) == counts(ready)
    already = "✓ Increment 0007-smart-discipline is already active; nothing to do\n"
    assert (0, already) == (again.code, again.out)
    assert (before, comments, []) == (ready.tree(), ready.comments(), ready.wrote())


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize(
    ("more", "effect"),
    [
        ((), "nothing is delivered with --offline"),
        (("--reopen-items", "--reason", "More"), "the reopen of its items is recorded"),
    ],
)
def test_offline_the_line_about_active_work_promises_no_delivery(
    ready: Project, more: tuple[str, ...], effect: str, many: bool
) -> None:
    ready.run(*RESUME, "--offline")
    if more:
        assert ready.run("sync").code == 0
    if many:
        ready.increment("0008-other", status="paused")
    done = ready.run("resume", "7", *(["8"] if many else []), *more, "--offline", "--yes").shows(
        err="3 operations pending. Next: unlatch sync\n", lacks="delivering"
    )
    start = f"✓ Increment {NAME}{':' if many else ' is'} already active"
    assert f"{start}; {effect}\n" in done.out, done.said


def test_unfinished_work_becomes_active_without_a_reason(project: Project) -> None:
    links = project.items(finished=False)
    for status in ("paused", "planning", "backlog", "ready_for_review"):
        shutil.rmtree(project.increments, ignore_errors=True)
        project.increment(status=status, links=links)
        done = project.run("resume", "7").ends(0)
        assert f"✓ Increment {NAME} resumed: {status} -> active\n" == done.out
        assert project.metadata()["status"] == "active"
        assert "reopenHistory" not in project.metadata()
        assert project.wrote() == []


def test_abandoned_work_needs_a_reason_and_leaves_its_items_alone(project: Project) -> None:
    project.increment(status="abandoned", links=project.items())
    project.run("resume", "7").ends(2, err="error[not-interactive]")
    project.run("resume", "7", "--reason", "Wanted after all", "--yes").ends(
        0, err="3 linked items are closed: "
    )
    assert project.metadata()["status"] == "active"
    assert [event.get("reason") for event in project.events()] == ["Wanted after all"]
    assert "reopenHistory" not in project.metadata()
    assert (CLOSED, []) == (project.states(), project.wrote())
    reopened = project.run("resume", "7", "--reason", "In full", "--yes", "--reopen-items").ends(0)
    assert (OPEN, dict.fromkeys(ALL, 1)) == (project.states(), counts(project)), reopened.said


def test_abandoned_work_takes_its_items_along_on_demand(project: Project) -> None:
    project.increment(status="abandoned", links=project.items())

    done = project.run("resume", "7", "--reason", "Wanted after all", "--yes", "--reopen-items")

    assert done.code == 0, done.said
    assert project.states() == OPEN
    assert dict.fromkeys(ALL, 1) == counts(project)


def test_items_that_are_open_already_still_get_comment_and_labels(ready: Project) -> None:
    ready.box.github.edit("octo/widgets", 4, state="open")
    ready.box.ado.edit(101, state="Active")
    ready.box.jira.edit("SCRUM-28", status="In Progress")

    document = ready.run(*RESUME, "--json").document

    assert [(name, "already-open") for name in ALL] == [
        (entry["tracker"], entry["outcome"]) for entry in document["trackers"]
    ]
    assert dict.fromkeys(ALL, 1) == counts(ready)
    assert all("reopened" in labels for labels in ready.labels().values())


def test_an_increment_without_links_is_reopened_locally_and_says_so(project: Project) -> None:
    project.increment()
    project.run(*RESUME).ends(0, err="It has no linked items; unlatch link adds some.")
    assert project.metadata()["status"] == "active"
    assert project.sent() == []


def test_several_items_on_one_tracker_are_all_reopened(project: Project) -> None:
    numbers = [project.box.github.add_issue(title=f"Part {n}", state="closed") for n in range(3)]
    web = f"{project.box.github.web_url}/octo/widgets/issues"
    items = [{"issue": number, "url": f"{web}/{number}"} for number in numbers]
    project.increment(links={"github": {**items[0], "items": items}})

    done = project.run(*RESUME)

    assert done.code == 0, done.said
    assert [project.box.github.issue("octo/widgets", n)["state"] for n in numbers] == ["open"] * 3
    assert [len(project.box.github.comments("octo/widgets", n)) for n in numbers] == [1] * 3
    synced = project.metadata()["reopenHistory"][0]["syncedTo"]["github"]
    assert synced["issueNumber"] in numbers
    assert sorted(numbers) == sorted(item["issueNumber"] for item in synced["items"])


def test_who_it_was_is_said_or_found_out(project: Project) -> None:
    links = project.items("github")
    cases = [
        (("--by", "Dana"), {"GITHUB_ACTOR": "ci-bot"}, "Dana"),
        ((), {"GITHUB_ACTOR": "ci-bot"}, "ci-bot"),
        ((), {}, "Gil Git"),
    ]
    for number, (options, extra, expected) in enumerate(cases):
        name = project.increment(f"{number + 1:04}-case", links=links)
        project.extra = dict(extra)
        project.run("resume", name, "--reason", REASON, "--yes", "--offline", *options)
        assert project.metadata(name)["reopenHistory"][0]["reopenedBy"] == expected


@pytest.mark.parametrize(
    ("style", "expected"),
    [("full", "**Reopened**: Bug discovered in error handling\n\nIncrement 0007"),
     ("short", "**Reopened**: Bug discovered in error handling\n\n<!-- unlatch:op="),
     ("none", None)],
)  # fmt: skip
def test_how_much_is_said_may_be_chosen(ready: Project, style: str, expected: str | None) -> None:
    ready.run("reopen", *RESUME[1:], "--comment", style).ends(0)
    by_option = ready.comments()["github"]
    ready.run("complete", "7")
    ready.configure_more(f'comment = "{style}"')
    ready.run(*RESUME).ends(0)
    assert ready.states() == OPEN
    said = [*by_option, *ready.comments()["github"][1:]]
    assert [True] * (2 if expected else 0) == [one.startswith(expected or "-") for one in said]


def test_nothing_is_said_on_demand_by_the_synonym(ready: Project) -> None:
    done = ready.run("reopen", *RESUME[1:], "--comment", "none")

    assert done.code == 0, done.said
    assert ready.states() == OPEN
    assert dict.fromkeys(ALL, 0) == counts(ready)


def test_template_and_labels_are_the_projects_own(ready: Project) -> None:
    ready.configure_more(
        'comment_template = "{by} took **{increment}** up: {reason}"',
        tables='[labels]\nreopened = "again"\ncompleted = "completed"\n',
    )
    ready.run(*RESUME)
    assert ready.comments()["github"][0].startswith(f"ci-bot took **{NAME}** up: {REASON}\n")
    assert ["again" in labels for labels in ready.labels().values()] == [True] * 3
    assert ["completed" in labels for labels in ready.labels().values()] == [False] * 3


def test_a_later_completion_leaves_both_reasons_on_the_items(ready: Project) -> None:
    ready.run(*RESUME, "--offline")
    ready.run("complete", "7", "--reason", "Mended", "--offline")

    done = ready.run("sync", "7")

    assert done.code == 0, done.said
    assert ready.states() == CLOSED
    for comments in ready.comments().values():
        assert [REASON in comments[0], "Mended" in comments[1]] == [True, True]
    assert all("reopened" not in labels for labels in ready.labels().values())


def test_a_status_line_in_spec_md_follows(ready: Project) -> None:
    spec = ready.folder() / "spec.md"
    spec.write_text("---\nepic: FS-007\nstatus: completed  # for now\n---\n# Smart discipline\n")

    ready.run(*RESUME, "--offline")

    assert spec.read_text() == (
        "---\nepic: FS-007\nstatus: active  # for now\n---\n# Smart discipline\n"
    )
