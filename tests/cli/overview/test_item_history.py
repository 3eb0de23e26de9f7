"""history: a change of an item leaves who, when and why, on each tracker and by each command."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from tests.cli.output.test_documents import check_files
from tests.cli.project import ALL, REASON, Project
from tests.cli.trackers.test_ingest import payload

from unlatch_sandbox import Fault

NOUNS = {"github": "issue", "ado": "work-item", "jira": "issue"}
WORDS = {"reopen": "reopened", "close": "closed", "update": "updated"}
ULID = "01JC0000000000000000000001"
WHY = "The customer reports it again"
FACTS = ("kind", "by", "reason", "item")

every_tracker = pytest.mark.parametrize("tracker", ALL)


def history(project: Project) -> dict[str, Any]:
    done = project.run("history", "7", "--json").ends(0)
    document: dict[str, Any] = done.document
    return document


def delivered(project: Project) -> list[dict[str, Any]]:
    """The facts of each delivery, in the order of the trackers."""
    events = [one for one in history(project)["events"] if one["event"] == "delivered"]
    events.sort(key=lambda one: [*ALL].index(one["tracker"]))
    return [{key: one.get(key) for key in FACTS} for one in events]


def told(project: Project) -> list[str]:
    """The lines of the text without their times."""
    lines = project.run("history", "7").out.splitlines()
    return [line.split("  ", 1)[1] for line in lines if not line.startswith(" ")]


def facts(project: Project, kind: str, reason: str | None, *trackers: str) -> list[dict[str, Any]]:
    of = {"kind": kind, "by": "Dana", "reason": reason}
    return [{**of, "item": project.urls[one]} for one in trackers or ALL]


@every_tracker
@pytest.mark.parametrize("kind", ["reopen", "close", "update"])
def test_a_change_of_one_item_leaves_its_reason(project: Project, tracker: str, kind: str) -> None:
    is_closed = kind == "reopen"
    links = project.items(tracker, finished=is_closed)
    project.increment(status="completed" if is_closed else "active", links=links)
    project.run(tracker, f"{kind}-{NOUNS[tracker]}", "7", "--reason", WHY, "--by", "Dana").ends(0)
    assert facts(project, kind, WHY, tracker) == delivered(project)
    assert f"Dana  {tracker} {project.urls[tracker]} {WORDS[kind]}: {WHY}" == told(project)[-1]
    check_files(project)


@every_tracker
def test_a_change_that_failed_is_listed_with_its_reason(completed: Project, tracker: str) -> None:
    completed.box.faults.add(Fault(tracker, "status", code=503, times=1000))
    command = (tracker, f"reopen-{NOUNS[tracker]}", "7", "--reason", WHY, "--by", "Dana")
    assert completed.run(*command).code == 3
    pending = [{key: one[key] for key in FACTS} for one in history(completed)["pending"]]
    assert facts(completed, "reopen", WHY, tracker) == pending
    url = completed.urls[tracker]
    assert f"Dana  pending: reopen {tracker} {url}: {WHY}" == told(completed)[-1]


def test_a_pending_reopen_has_the_author_of_its_reopen(completed: Project) -> None:
    completed.run("resume", "7", "--reason", WHY, "--yes", "--offline", "--by", "Dana")
    lines = [f"Dana  pending: reopen {one} {completed.urls[one]}" for one in ALL]
    assert lines == told(completed)[-3:]


def resume(project: Project) -> None:
    project.run("resume", "7", "--reason", WHY, "--yes", "--by", "Dana")


def _resumed_by_ada(project: Project) -> None:
    project.run("resume", "7", "--reason", REASON, "--yes", "--by", "Ada")


def undo(project: Project) -> None:
    _resumed_by_ada(project)
    project.run("undo", "7", "--reason", WHY, "--yes", "--by", "Dana")


def complete(project: Project) -> None:
    _resumed_by_ada(project)
    project.run("complete", "7", "--reason", WHY, "--by", "Dana")


def abandon(project: Project) -> None:
    _resumed_by_ada(project)
    project.run("abandon", "7", "--reason", WHY, "--by", "Dana")


def revive(project: Project) -> None:
    _resumed_by_ada(project)
    project.run("abandon", "7", "--reason", REASON, "--by", "Ada")
    project.run("resume", "7", "--reopen-items", "--reason", WHY, "--yes", "--by", "Dana")


def change_scope(project: Project) -> None:
    _resumed_by_ada(project)
    project.run("resume", "7", "--scope", "More", "--reason", WHY, "--by", "Dana")


@pytest.mark.parametrize(
    ("act", "kind", "line"),
    [
        (resume, "reopen", f"Dana  reopened: {WHY}"),
        pytest.param(undo, "undo", f"Dana  reopen undone: {WHY}", marks=pytest.mark.sweep),
        pytest.param(
            complete, "close", f"Dana  active -> completed: {WHY}", marks=pytest.mark.sweep
        ),
        pytest.param(
            abandon, "close", f"Dana  active -> abandoned: {WHY}", marks=pytest.mark.sweep
        ),
        pytest.param(
            revive, "reopen", f"Dana  abandoned -> active: {WHY}", marks=pytest.mark.sweep
        ),
        pytest.param(
            change_scope,
            "reopen",
            f"Dana  scope changed: More (reason: {WHY})",
            marks=pytest.mark.sweep,
        ),
    ],
)
def test_a_change_of_the_increment_leaves_its_reason_with_each_item(
    completed: Project, act: Callable[[Project], None], kind: str, line: str
) -> None:
    act(completed)
    by_dana = [one for one in delivered(completed) if one["by"] == "Dana"]
    assert facts(completed, kind, WHY) == by_dana
    # The text has the reason once, although each delivery has it.
    assert [line] == [one for one in told(completed) if WHY in one]
    check_files(completed)


def finish_by_hand(project: Project) -> None:
    path = project.folder() / "metadata.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "status": "completed"}))


@pytest.mark.sweep
def test_a_push_by_sync_says_why(completed: Project) -> None:
    _resumed_by_ada(completed)
    finish_by_hand(completed)
    completed.run("sync", "7", "--by", "Dana").ends(0)
    why = "the increment was finished"
    by_dana = [one for one in delivered(completed) if one["by"] == "Dana"]
    assert facts(completed, "close", why) == by_dana
    lines = [f"Dana  {one} {completed.urls[one]} closed: {why}" for one in ALL]
    assert sorted(lines) == sorted(told(completed)[-3:])
    # That reason is for the history alone: no item got a second comment.
    assert {one: len(said) for one, said in completed.comments().items()} == dict.fromkeys(ALL, 1)
    check_files(completed)


@pytest.mark.parametrize("command", ["sync", "ingest"])
def test_a_pull_says_who_and_where(completed: Project, command: str) -> None:
    completed.run("sync", "7")
    completed.box.github.edit("octo/widgets", 4, state="open", by="mona")
    (completed.home / "event.json").write_text(json.dumps(payload(completed)))
    arguments = ["7"] if command == "sync" else ["--from", "github-event", "../home/event.json"]
    completed.run(command, *arguments, "--by", "Dana").ends(0)
    why = "octo/widgets#4 was reopened by mona"
    (reopened,) = (one for one in history(completed)["events"] if one["event"] == "reopened")
    assert ("mona", why) == (reopened["by"], reopened["reason"])
    assert [("mona", why)] * 3 == [(one["by"], one["reason"]) for one in delivered(completed)]
    assert [f"mona  reopened: {why}"] == [line for line in told(completed) if why in line]


def test_results_have_words(project: Project) -> None:
    project.increment(links=project.items("github"))
    project.box.github.edit("octo/widgets", 4, state="open")
    project.run("resume", "7", "--reason", REASON, "--yes", "--by", "Dana")
    project.box.github.edit("octo/widgets", 4, state="closed")
    project.run("complete", "7", "--by", "Dana")
    project.run("resume", "7", "--scope", "More", "--reason", WHY, "--yes", "--by", "Dana")
    project.run("resume", "7", "--scope", "Even more", "--by", "Dana")
    github = f"Dana  github {project.urls['github']} "
    results = [line.removeprefix(github) for line in told(project) if line.startswith(github)]
    assert results == ["was open already", "was closed already", "reopened", "commented"]


def test_events_of_other_versions_have_words_too(project: Project) -> None:
    project.increment(status="active")
    of = {"at": "2025-11-04T10:00:00Z", "tracker": "github", "item": "B", "op": ULID}
    kept = {"kind": "undo", "result": "state-kept", "commented": False}
    events: list[dict[str, Any]] = [
        {"event": "delivered", **kept},
        {"event": "delivered", **kept, "result": "archived", "commented": True},
        {"event": "parked", "cause": "item-locked"},
        {"event": "repointed", "from": "A"},
        {"event": "undone", "from": "active", "to": "completed", "reopen": ULID, "by": "Ada"},
        {"event": "celebrated", "by": "Ada"},
    ]
    lines = [
        json.dumps({"id": f"{ULID[:-1]}{n}", "by": "", **of, **one}) for n, one in enumerate(events)
    ]
    (project.folder() / "events.jsonl").write_text("\n".join(lines))

    assert told(project)[1:] == [
        "unknown user  github B left unchanged",
        "unknown user  github B commented",
        "unknown user  github B blocked: item-locked",
        "unknown user  github A moved to B",
        "Ada  reopen undone",
        "Ada  celebrated",
    ]
