"""unlatch doctor checks and fixes the records of items."""

import json
from pathlib import Path

import pytest
from tests.cli.items.test_reopen import KEYS
from tests.cli.project import REASON, Project


@pytest.fixture
def record(project: Project) -> Path:
    """The record of an item that was reopened."""
    project.items("jira")
    project.run("reopen", KEYS["jira"], "--reason", REASON).ends(0)
    (folder,) = (project.root / ".unlatch/items").iterdir()
    return folder


def findings(project: Project, *words: str) -> list[str]:
    """The ids of the findings about records."""
    found = project.run("doctor", *words, "--json").document["findings"]
    return [one["id"] for one in found if "/items" in (one["where"] or "")]


def test_damage_is_found(project: Project, record: Path) -> None:
    path, events = record / "metadata.json", record / "events.jsonl"
    sound, lines = path.read_text(), events.read_text()

    for before, after, wanted in (
        ("{", "", "metadata-invalid"),
        ("{", "<<<<<<< ours\n=======\n>>>>>>> theirs\n{", "metadata-in-conflict"),
        ("{", '{"status": "active",', "metadata-duplicate-key"),
        ('"reopenHistory": [', '"pending": 7, "reopenHistory": [', "metadata-invalid"),
        ('"created": "', '"created": "x', "time-unreadable"),
        ('"created": "2', '"created": "9', "time-in-future"),
        ('"url": "http', '"url": "nowhere', "link-unlocated"),
    ):
        assert before in sound
        path.write_text(sound.replace(before, after, 1))
        assert wanted in findings(project), after
        assert wanted in findings(project, record.name), after

    path.write_text(sound)
    events.write_text(lines[:-9])
    assert ["event-unreadable"] == findings(project)


def test_what_is_fixed_for_increments_is_fixed(project: Project, record: Path) -> None:
    path = record / "metadata.json"
    sound = path.read_text()
    path.write_text(sound.replace(record.name, "another"))
    lines = (record / "events.jsonl").read_text().splitlines(keepends=True)
    kept = [line for line in lines if json.loads(line)["event"] != "reopened"]
    (record / "events.jsonl").write_text("".join(kept))
    (record / ".metadata.json.abc.unlatch.tmp").write_text("{")
    found = findings(project)
    project.run("doctor", "--fix", "--yes").ends(0, err="3 files fixed")
    assert {"id-differs", "event-missing", "unfinished-file"} == set(found)
    assert (sound, []) == (path.read_text(), findings(project))


def test_the_next_step_for_a_conflict_resolves_it(project: Project, record: Path) -> None:
    project.commit()
    project.git("switch", "--quiet", "--create", "theirs")
    for branch, reason in (("theirs", "One"), ("main", "Other")):
        project.git("switch", "--quiet", branch)
        project.box.jira.edit("SCRUM-28", status="Done")
        project.run("reopen", KEYS["jira"], "--reason", reason, "--offline")
        project.git("commit", "--quiet", "--all", "--message", reason)
    project.git("config", "merge.conflictStyle", "merge")
    with pytest.raises(Exception, match="git"):
        project.git("merge", "--quiet", "theirs")
    (found,) = project.run("doctor", "--json").document["findings"][-1:]
    project.run(*found["hint"].split()[1:]).ends(0)
    assert [] == findings(project)
    reasons = [
        one["reason"] for one in json.loads((record / "metadata.json").read_text())["reopenHistory"]
    ]
    assert {REASON, "One", "Other"} == {*reasons}
