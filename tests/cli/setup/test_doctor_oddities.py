"""doctor on odd files: explains each oddity, and fixes the safe ones."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from tests.cli.project import NAME, REASON, Project
from tests.cli.setup.own_config import own_config
from tests.cli.setup.test_doctor import HOME, ULID, at, check_each, findings, messages

OTHER = "0008-other"
SPEC = f"{HOME}/{NAME}/spec.md"
TASKS = f"{HOME}/{NAME}/tasks.md"


def write(project: Project, name: str, text: str, *, increment: str = NAME) -> None:
    (project.folder(increment) / name).write_text(text, encoding="utf-8")


def test_times_that_cannot_all_be_true(project: Project) -> None:
    order = "dates-out-of-order"
    old = {"created": "2025-10-01", "completedAt": "2025-10-01", "lastActivity": "2025-09-30"}
    rows: list[tuple[dict[str, Any], list[tuple[str, str]]]] = [
        ({"completedAt": "2025-09-01T00:00:00Z"}, [(order, ":/completedAt")]),
        (old, [(order, ":/lastActivity"), *(("old-time", f":/{key}") for key in old)]),
        ({"lastActivity": "2999-01-01T00:00:00Z"}, [("time-in-future", ":/lastActivity")]),
        ({"status": "active"}, [("completed-at-left", ":/completedAt")]),
        (
            {"completedAt": True},
            [("completed-at-missing", "metadata.json"), ("shape-unexpected", ":/completedAt")],
        ),
    ]

    check_each(project, rows)


def test_documents(project: Project) -> None:
    def write_all(project: Project, name: str, files: dict[str, str]) -> None:
        for file, text in files.items():
            write(project, file, text, increment=name)

    open_work = "completed-with-open-work"
    twice = "# S\n\n- [ ] **AC-US1-01**: a\n- [x] **AC-US1-01**: b\n"
    rows: list[tuple[dict[str, str], list[tuple[str, str]]]] = [
        (
            {"tasks.md": "## T-001: A\n\n## T-002: B\n\n## T-001: C\n"},
            [("task-id-twice", "tasks.md")],
        ),
        ({"spec.md": twice}, [("criterion-id-twice", "spec.md"), (open_work, "spec.md")]),
        (
            {"tasks.md": "# T\n\n## T-001: A\n\n**Status**: [ ] pending\n"},
            [(open_work, "tasks.md")],
        ),
        (
            {"spec.md": "- [ ] **AC-US1-01**: a\n", "tasks.md": "- [ ] T-001: A\n"},
            [(open_work, "spec.md"), (open_work, "tasks.md")],
        ),
        (
            {"spec.md": "# S\n\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n"},
            [("document-in-conflict", "spec.md:3")],
        ),
        ({"events.jsonl": ""}, []),
        ({"spec.md": "# S\n\n======= \n>>>>>>> x\n<<<<<<< y\n"}, []),
    ]

    check_each(project, rows, write_all)


def test_documents_that_are_missing_or_no_text(project: Project) -> None:
    project.increment()
    (project.folder() / "tasks.md").unlink()
    (project.folder() / "spec.md").write_bytes(b"\xff\xfe# S")
    done = project.run("doctor", "--json")
    assert [("document-unreadable", SPEC)] == findings(done)
    assert ("document-missing", TASKS) in findings(done, "note")


def test_one_item_one_number_or_one_name_of_two_increments(project: Project) -> None:
    links = project.items("github")
    project.increment(links=links)
    project.increment(OTHER, links=links)
    project.increment(NAME, archived=True)
    project.increment("0007-else")
    done = project.run("doctor", "--json")
    assert set(findings(done, "warning")) == {
        ("item-shared", at(":/github", OTHER)),
        ("number-twice", f"{HOME}/{NAME}"),
    }
    assert f"also linked to {NAME};" in messages(done)["item-shared"]
    assert [("folder-twice", f"{HOME}/_archive/{NAME}")] == findings(done, "error")


@pytest.mark.parametrize("status", ["backlog", "paused"])
def test_unfinished_work_in_the_archive(project: Project, status: str) -> None:
    """`specweave archive` 1.0.593 moves the first three there."""
    project.increment(status=status, archived=True)
    project.increment(OTHER, archived=True)
    listed = ("archived-unfinished", f"{HOME}/_archive/{NAME}/metadata.json")
    done = project.run("doctor", "--json")
    assert [listed] == findings(done)
    assert f"but {status}" in messages(done)[listed[0]]
    project.run("resume", "7", "--reason", REASON, "--yes")
    assert [] == findings(project.run("doctor", "--json"))


def test_an_active_profile_that_names_no_place_is_reported(project: Project) -> None:
    project.configure("")
    path = project.root / ".specweave/config.json"
    path.parent.mkdir()
    rows: list[dict[str, Any]] = [
        {"activeProfile": "other", "profiles": {"main": {"provider": "jira"}}},
        {"activeProfile": 5},
        {"defaultProfile": "main", "profiles": {"main": {"provider": "gitlab"}}},
        {"activeProfile": "main", "profiles": {"main": {"provider": "github", "config": {}}}},
    ]
    for sync in rows:
        path.write_text(json.dumps({"sync": sync}))
        done = project.run("doctor", "--json")
        found = ("specweave-profile-unread", ".specweave/config.json:sync")
        assert [found] == findings(done, "warning"), sync
        named = sync.get("activeProfile", "main")
        assert f"the active profile '{named}' names no" in messages(done)[found[0]]

    project.configure_more()
    assert [] == findings(project.run("doctor", "--json"), "warning")


@pytest.mark.parametrize("tracked", [False, True])
def test_your_own_configuration_in_conflict_needs_git_only_in_a_repository(
    project: Project, tracked: bool
) -> None:
    own_config(project, "<<<<<<< HEAD\nconfirm_closing = true\n=======\n>>>>>>> b\n")
    if tracked:
        project.git("init", cwd=project.home)
    done = project.run("config", "list").ends(
        1, err="the file has git conflict markers (at line 1)"
    )
    add = f", then git -C {project.home} add -- .config/unlatch/config.toml" if tracked else ""
    assert f"  next: resolve it by hand{add}\n" in done.err


def test_an_item_and_an_address_that_differ_are_both_named(project: Project) -> None:
    url = "https://github.com/octo/widgets/issues/5"
    project.increment(links={"github": {"issue": 4, "url": url}})
    said = "names github 4, and its address shows 5"
    assert f"0007-smart-discipline/metadata.json:/github: {said} (an" in project.run("doctor").out
    assert f"note: github {said}\n" in project.run("show", "7").err


def test_specweave_that_still_writes_by_itself(project: Project) -> None:
    sync = {"statusSync": {"autoSync": True, "mappings": {"ado": {"active": {"tags": ["A"]}}}}}
    hooks = {"post_increment_done": {"close_github_issue": True}}
    path = project.root / ".specweave/config.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"sync": sync, "hooks": hooks}))

    done = project.run("doctor", "--json")

    place = ".specweave/config.json"
    assert findings(done) == [
        ("specweave-sync-on", f"{place}:sync.statusSync.autoSync"),
        ("specweave-sync-on", f"{place}:hooks.post_increment_done.close_github_issue"),
    ]
    unused = ("specweave-labels-unused", f"{place}:sync.statusSync.mappings.ado.active.tags")
    assert unused in findings(done, "note")

    path.write_text(json.dumps({"sync": {**sync, "enabled": False}, "hooks": hooks}))
    assert findings(project.run("doctor", "--json")) == []


def lost_event(project: Project) -> None:
    project.increment()
    project.run("resume", "7", "--reason", REASON, "--yes", "--offline")
    project.run("complete", "7", "--offline")
    path = project.folder() / "events.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(line for line in lines if "reopened" not in line))


def other_id(project: Project) -> None:
    project.increment(id="0007")


def other_status(project: Project) -> None:
    project.increment()
    write(project, "spec.md", "---\r\ntitle: It\r\nstatus: active # now\r\n---\r\n# It")


def left_behind(project: Project) -> None:
    project.increment()
    write(project, ".metadata.json.a1b2c3.unlatch.tmp", '{"id"')


@pytest.mark.parametrize(
    ("make", "finding", "line"),
    [
        (other_id, "id-differs", f'+  "id": "{NAME}",'),
        (lost_event, "event-missing", f'"to": "active", "reason": "{REASON}"'),
        (left_behind, "unfinished-file", '-{"id"'),
    ],
)
def test_what_is_safe_is_mended_after_it_was_shown(
    project: Project, make: Callable[[Project], None], finding: str, line: str
) -> None:
    make(project)
    everything = ("error", "warning", "note")
    assert finding in dict(findings(project.run("doctor", "--json"), *everything))
    before = project.tree()
    rehearsed = project.run("doctor", "--fix", "--dry-run")
    project.run("doctor", "--fix").ends(2, err="error[not-interactive]")
    assert (line in rehearsed.out, before) == (True, project.tree())
    assert before == project.tree()
    done = project.run("doctor", "--fix", "--yes", "--json")
    assert [(finding, NAME, True)] == [
        (one["id"], one["increment"], one["done"]) for one in done.document["fixes"]
    ]
    assert finding not in dict(findings(done, *everything))
    changed = {name for name, text in project.tree().items() if before.get(name) != text}
    changed |= set(before) - set(project.tree())
    assert changed == {done.document["fixes"][0]["path"]}


def test_a_second_time_there_is_nothing_to_mend(project: Project) -> None:
    other_id(project)
    project.run("doctor", "--fix", "--yes")
    before = project.tree()
    project.run("doctor", "--fix", "--yes").shows(err="No safe fixes")
    assert before == project.tree()
    assert [2, 2] == [project.run("doctor", flag).code for flag in ("--yes", "--dry-run")]


def test_a_status_that_a_person_wrote_is_named_and_left(project: Project) -> None:
    other_status(project)
    before = project.tree()
    done = project.run("doctor", "--fix", "--yes").ends(
        0,
        out=(
            "spec.md: status active differs from completed in metadata.json, which applies",
            "next: write status: completed there; the next change of status does so, too",
        ),
        err="No safe fixes",
    )
    assert before == project.tree(), done.said


def test_what_is_not_safe_is_left_alone(project: Project) -> None:
    project.increment()
    duplicate = f'{{"id": "x", "status": "active", "status": "paused", "created": "{ULID}"}}'
    write(project, "metadata.json", duplicate)
    project.increment(OTHER, status="shipped")
    project.increment("0009-dates", completedAt="2024-01-01T00:00:00Z")
    before = project.tree()
    project.run("doctor", "--fix", "--yes").ends(1, err="No safe fixes")
    assert before == project.tree()
    # A diff of a safe one is harmless on a terminal.
    project.increment("0010-odd", id="\x1b[2J::error::x")
    shown = project.run("doctor", "--fix", "--dry-run").out
    assert ('+  "id": "0010-odd"' in shown, "\x1b" in shown) == (True, False)
