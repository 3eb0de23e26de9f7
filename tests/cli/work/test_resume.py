"""resume without a terminal, as CI runs it: files, items, documents and exit codes."""

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


@pytest.mark.sample(at=(1,))
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


def test_template_and_labels_are_the_projects_own(ready: Project) -> None:
    ready.configure_more(
        'comment_template = "{by} took **{increment}** up: {reason}"',
        tables='[labels]\nreopened = "again"\ncompleted = "completed"\n',
    )
    ready.run(*RESUME)
    assert ready.comments()["github"][0].startswith(f"ci-bot took **{NAME}** up: {REASON}\n")
    assert ["again" in labels for labels in ready.labels().values()] == [True] * 3
    assert ["completed" in labels for labels in ready.labels().values()] == [False] * 3


def test_a_status_line_in_spec_md_follows(ready: Project) -> None:
    spec = ready.folder() / "spec.md"
    spec.write_text("---\nepic: FS-007\nstatus: completed  # for now\n---\n# Smart discipline\n")

    ready.run(*RESUME, "--offline")

    assert spec.read_text() == (
        "---\nepic: FS-007\nstatus: active  # for now\n---\n# Smart discipline\n"
    )
