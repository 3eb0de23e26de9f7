"""doctor: its findings about configuration, trackers and increments, and its exit code."""

import json
import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.cli.project import NAME, Done, Project
from tests.cli.setup.own_config import own_config

ULID = "01JC0000000000000000000000"
NOON = "2025-11-01T12:00:00Z"
HOME = ".unlatch/increments"
STATUSES = "planning, backlog, active, paused, ready_for_review, completed, abandoned"


def findings(done: Done, *severities: str, of: str | None = None) -> list[tuple[str, str | None]]:
    """Ids and places of the findings, of one increment or of all."""
    wanted = severities or ("error", "warning")
    return [
        (one["id"], one["where"])
        for one in done.document["findings"]
        if one["severity"] in wanted and of in (None, one["increment"])
    ]


def messages(done: Done) -> dict[str, str]:
    return {one["id"]: one["message"] for one in done.document["findings"]}


def metadata(project: Project, *, name: str = NAME, **changed: Any) -> None:
    path = project.folder(name) / "metadata.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changed}))


def at(place: str = "", name: str = NAME) -> str:
    return f"{HOME}/{name}/metadata.json{place}"


def change(project: Project, name: str, changed: dict[str, Any] | str) -> None:
    """Change keys of metadata.json, or write a text in its place."""
    if isinstance(changed, str):
        (project.folder(name) / "metadata.json").write_text(changed)
    else:
        metadata(project, name=name, **changed)


def check_each(
    project: Project,
    rows: Sequence[tuple[Any, Sequence[tuple[str, str]]]],
    change: Callable[[Project, str, Any], None] = change,
    *,
    severities: Sequence[str] = (),
    status: str = "completed",
) -> Done:
    """Doctor has for each increment, changed as its row says, just the findings of the row."""
    names = [project.increment(f"{number:04}-one", status=status) for number in range(len(rows))]
    for name, (changed, _) in zip(names, rows, strict=True):
        change(project, name, changed)
    done = project.run("doctor", "--json")
    for name, (changed, expected) in zip(names, rows, strict=True):
        found = [(id_, place or "") for id_, place in findings(done, *severities, of=name)]
        file = f"{HOME}/{name}/metadata.json"
        places = [(i, f"{HOME}/{name}/{p}" if p[0] != ":" else f"{file}{p}") for i, p in expected]
        assert sorted(places) == sorted(found), changed
    return done


def test_a_sound_project_has_no_errors_and_no_warnings(completed: Project) -> None:
    before, environ = completed.tree(), completed.box.environ()
    done, shown = completed.run("doctor", "--json"), completed.run("doctor")
    assert (findings(done), done.code) == ([], 0)
    notes = [("host-trusted", None), ("library-installed", None), ("token-found", None)]
    assert findings(done, "note") == notes * 3
    # It sends, writes and shows nothing of a secret.
    assert ([], before) == (completed.sent(), completed.tree())
    secrets = [environ[name] for name in environ if "TOKEN" in name or "PAT" in name]
    assert [secret for secret in secrets if secret in done.said + shown.said] == []


def test_every_mistake_is_told_with_its_place_and_a_hint(project: Project) -> None:
    project.configure(
        'comment = "loud"\nlables = {}\n[labels]\nreopened = ""\n'
        '[trackers.github]\nrepositry = "octo/widgets"\nrepository = "widgets"\n'
        "[trackers.linear]\n"
    )
    done = project.run("doctor", "--json").ends(1)
    assert {
        ".unlatch/config.toml:comment",
        ".unlatch/config.toml:lables",
        ".unlatch/config.toml:trackers.github.repositry",
        ".unlatch/config.toml:trackers.github.repository",
        ".unlatch/config.toml:trackers.linear",
    } <= {where for _, where in findings(done, "error")}
    hints = {one["where"]: one["hint"] for one in done.document["findings"]}
    assert (
        hints[".unlatch/config.toml:trackers.github.repositry"]
        == "did you mean trackers.github.repository?"
    )
    assert hints[".unlatch/config.toml:trackers.github.repository"].startswith("correct the")
    _, _, step = hints[".unlatch/config.toml:comment"].partition("; to use the default: unlatch ")
    assert 0 == project.run(*step.split()).code
    assert '"loud"' not in (project.root / ".unlatch/config.toml").read_text()


def test_it_says_where_each_value_came_from(project: Project) -> None:
    project.configure('frequent_reopens = 5\n[labels]\nreopened = "again"\n')
    (project.root / ".specweave").mkdir()
    (project.root / ".specweave/config.json").write_text(
        json.dumps({"limits": {"maxActiveIncrements": 2}})
    )
    own = own_config(project, '[trusted_hosts]\ngithub = ["github.example.com"]\n')
    hosts = "jira=jira.example.com,old.example.com,ado=user:secret@ado.example.com"
    project.extra |= {"UNLATCH_TRUSTED_HOSTS": hosts, "JIRA_URL": "https://issues.example.com"}

    settings = project.run("doctor", "--json").document["settings"]

    found = [(one["key"], one["value"], one["source"]) for one in settings]
    assert ("frequent_reopens", 5, ".unlatch/config.toml") in found
    assert ("labels.reopened", "again", ".unlatch/config.toml") in found
    assert ("labels.completed", "completed", "default") in found
    assert ("limits.max_active", 2, ".specweave/config.json") in found
    assert [one for one in found if one[0].startswith("trusted_hosts")] == [
        ("trusted_hosts", ["old.example.com"], "UNLATCH_TRUSTED_HOSTS"),
        ("trusted_hosts.ado", ["(not shown: it holds a user name)"], "UNLATCH_TRUSTED_HOSTS"),
        ("trusted_hosts.github", ["github.example.com"], str(own)),
        ("trusted_hosts.jira", ["jira.example.com"], "UNLATCH_TRUSTED_HOSTS"),
        ("trusted_hosts.jira", ["https://issues.example.com"], "JIRA_URL"),
    ]


def test_a_token_that_is_missing_or_half_there_and_a_host_that_is_not_trusted(
    completed: Project,
) -> None:
    completed.extra |= {"GITHUB_TOKEN": None, "JIRA_EMAIL": None}
    done = completed.run("doctor", "--json")
    assert findings(done, "warning") == [("token-missing", None)]
    assert findings(done, "error") == [("credential-incomplete", None)]
    completed.extra = {"UNLATCH_TRUSTED_HOSTS": None}
    done = completed.run("doctor", "--json")
    assert ([name for name, _ in findings(done)], done.code) == (["host-not-trusted"] * 3, 1)


def test_a_program_is_named_and_not_started(completed: Project, tmp_path: Path) -> None:
    started = tmp_path / "started"
    own = tmp_path / "own-bin"
    shutil.copytree(completed.bin, own, symlinks=True)
    program = own / "gh"
    program.write_text(f"#!/bin/sh\n: > {started}\necho token\n")
    program.chmod(0o755)
    completed.bin = own
    completed.extra |= {"GITHUB_TOKEN": None}
    done = completed.run("doctor", "--json")
    assert ("token-from-program", None) in findings(done, "note")
    assert not started.exists()


def test_what_keeps_an_increment_from_being_read_is_one_error(project: Project) -> None:
    reopen = {"id": "1", "reopenedAt": NOON, "reason": "x"}
    reopen |= {"previousStatus": "completed", "reopenedBy": "Ada"}
    pending = {"op": ULID, "kind": "merge", "tracker": "github", "item": "4", "at": NOON}
    rows: list[tuple[dict[str, Any] | str, list[tuple[str, str]]]] = [
        ({"status": "shipped"}, [("status-unknown", ":/status")]),
        ({"formatVersion": 3}, [("metadata-newer", ":/formatVersion")]),
        ({"pending": {}}, [("metadata-invalid", ":/pending")]),
        ({"amendments": {}}, [("metadata-invalid", ":/amendments")]),
        ({"reopenHistory": [reopen]}, [("metadata-invalid", ":/reopenHistory/0/id")]),
        ({"pending": [pending]}, [("metadata-invalid", ":/pending/0/kind")]),
        ("", [("metadata-invalid", ":1:1")]),
        ('{\n "id": ', [("metadata-invalid", ":2:8")]),
        ("{\n<<<<<<< ours\n", [("metadata-in-conflict", ":2:1")]),
        ('{"id": 1, "id": 2, "status": "active"}', [("metadata-duplicate-key", ":/id")]),
    ]
    done = check_each(project, rows, severities=["error"]).ends(1)
    errors = [one for one in done.document["findings"] if one["severity"] == "error"]
    told = {str(one["where"]).partition(":")[2]: one["message"] for one in errors}
    assert told["/amendments"] == "expected a list, found {}"
    assert told["/status"] == f"unknown status 'shipped' (known: {STATUSES})"


def test_a_folder_without_metadata_a_status_in_spec_and_old_keys(project: Project) -> None:
    project.folder("0001-empty").mkdir(parents=True)
    project.increment("0002-other")
    (project.folder("0002-other") / "spec.md").write_text("---\nstatus: abandoned\n---\n# It\n")
    project.increment("0003-old", status="active")
    path = project.folder("0003-old") / "metadata.json"
    text = path.read_text().replace('"created"', '"created_at"').replace('"type"', '"kind"')
    path.write_text(text)
    (project.root / ".specweave/increments/0001-other").mkdir(parents=True)

    found = findings(project.run("doctor", "--json"))

    assert sorted(found) == [
        ("key-missing", at(name="0003-old")),
        ("metadata-missing", at(name="0001-empty")),
        ("old-key", at(":/created_at", "0003-old")),
        ("spec-status-differs", f"{HOME}/0002-other/spec.md"),
        ("two-increment-folders", ".specweave/increments"),
    ]


def test_lines_that_are_no_events(completed: Project) -> None:
    sound = {"id": ULID, "at": "2025-11-01T00:00:00Z", "by": "Ada"}
    lines = [
        json.dumps({**sound, "event": "created", "to": "planning"}),
        '{"id": "01J',
        json.dumps({**sound, "event": "teleported"}),
        json.dumps({**sound, "event": "linked", "tracker": "github"}),
    ]
    (completed.folder() / "events.jsonl").write_text("\n".join(lines) + "\n")
    done = completed.run("doctor", "--json").ends(0)
    place = f"{HOME}/{NAME}/events.jsonl"
    assert [
        ("event-unreadable", f"{place}:2"),
        ("event-unknown", f"{place}:3"),
        ("event-invalid", f"{place}:4"),
    ] == findings(done)


def test_links_that_nothing_can_be_delivered_to(project: Project) -> None:
    project.configure(project.box.github.config())
    elsewhere = f"{project.box.github.web_url}/other/place/issues/1"
    project.increment(
        links={"github": {"issue": 1, "url": elsewhere}, "jira": {"issueKey": "SCRUM-28"}}
    )
    done = project.run("doctor", "--json")
    found = [("target-not-allowed", at(":/github")), ("tracker-not-configured", None)]
    assert (found, 0) == (findings(done), done.code)


def test_a_fix_of_one_increment_leaves_the_others(project: Project) -> None:
    project.increment(id="other")
    project.increment("0008-other", id="other")
    project.run("doctor", "8", "--fix", "--yes")
    ids = [project.metadata(name)["id"] for name in (NAME, "0008-other")]
    assert ["other", "0008-other"] == ids


@pytest.mark.parametrize("variable", ["GITHUB_TOKEN", "UNLATCH_TRUSTED_HOSTS"])
def test_online_reports_a_mistake_of_a_tracker_once(completed: Project, variable: str) -> None:
    completed.configure(completed.box.github.config())
    completed.increment("0008-alone")
    shutil.rmtree(completed.folder())
    completed.extra[variable] = None
    done = completed.run("doctor", "--online", "--json")
    assert 1 == len(findings(done)), done.said


@pytest.mark.sweep
@pytest.mark.skipif("UNLATCH_CORPUS" not in os.environ, reason="UNLATCH_CORPUS is not set")
def test_real_increments_have_old_shapes_and_one_that_cannot_be_written(project: Project) -> None:
    (real,) = Path(os.environ["UNLATCH_CORPUS"]).rglob(".specweave")
    shutil.rmtree(project.root / ".unlatch")
    shutil.copytree(real, project.root / ".specweave")
    done = project.run("doctor", "--json")
    assert done.document["increments"] == 51
    assert [name for name, _ in findings(done, "error")] == ["metadata-duplicate-key"]


def test_settings_are_listed_on_request_after_the_findings(project: Project) -> None:
    project.configure("")
    project.run("doctor").shows(not_out="Setting")
    asked = project.run("doctor", "--settings")
    assert asked.out.index("[no-tracker]") < asked.out.index("Setting") < asked.out.index("checked")
    assert [] != project.run("doctor", "--json").document["settings"]
