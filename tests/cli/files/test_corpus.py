"""Real increments of other projects: a copy of the corpus, if present."""

import json
import os
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.cli.project import REASON, Project

from unlatch.increments.files.metadata_file import ACTIVITY_KEYS, COMPLETED_KEYS

CORPUS = os.environ.get("UNLATCH_CORPUS")
REPOSITORY = "anton-abyzov/specweave"
SEVEN, FORTY_THREE = "0007-smart-increment-discipline", "0043-spec-md-desync-fix"

pytestmark = pytest.mark.skipif(not CORPUS, reason="UNLATCH_CORPUS names no corpus")


@pytest.fixture
def corpus(project: Project) -> Project:
    """A copy whose links mean the sandbox's items, by the addresses that the files have."""
    source = Path(CORPUS or "") / "specweave" / ".specweave"
    root = project.root.with_name("corpus")
    shutil.copytree(source, root / ".specweave")
    box = project.box
    box.github.add_repository(REPOSITORY)
    made = replace(project, root=root)
    made.configure(
        "settle = 0\n"
        "[trackers.github]\n"
        f'api_url = "{box.github.api_url}"\nweb_url = "https://github.com"\n'
        "[trackers.jira]\n"
        f'site = "{box.jira.site}"\nweb_url = "https://specweave.atlassian.net"\n'
        'project = "SCRUM"\napi_version = 3\n'
    )
    return made


def metadata(path: Path) -> Any:
    return json.loads((path / "metadata.json").read_text())


def test_links_are_found_whatever_their_shape(corpus: Project) -> None:
    listed = {entry["id"]: entry for entry in corpus.run("list", "--all", "--json").document}
    links = {name: [f"{link['tracker']} {link['id']}" for link in entry["links"]]
             for name, entry in listed.items()}  # fmt: skip
    assert links[SEVEN] == ["github 4", "jira SCRUM-28"]
    assert len(links[FORTY_THREE]) == 5
    # Every file that names an item somewhere has a link, and no file without one does.
    text = {path.parent.name: path.read_text() for path in corpus.root.rglob("metadata.json")}
    for name, raw in text.items():
        names_an_item = any(key in raw for key in ('"issue', '"epicKey"', '"workItemId"', '"item"'))
        assert bool(links[name]) <= names_an_item, name


def test_resume_reopens_both_items_and_moves_the_folder_back(corpus: Project) -> None:
    box = corpus.box
    box.github.add_issue(REPOSITORY, number=4, title="Smart increments", state="closed",
                         labels=["increment", "completed"])  # fmt: skip
    box.jira.add_issue("SCRUM-28", type="Epic", summary="Smart increments", status="Done")
    increments = corpus.root / ".specweave" / "increments"
    archived, home = increments / "_archive" / SEVEN, increments / SEVEN
    before = (archived / "metadata.json").read_text()
    others = {path.name: path.read_bytes() for path in archived.rglob("*")
              if path.is_file() and path.name not in ("metadata.json", "spec.md")}  # fmt: skip

    corpus.run("resume", "0007", "--reason", REASON, "--yes").ends(0)

    assert box.github.issue(REPOSITORY, 4)["state"] == "open"
    assert box.jira.issue("SCRUM-28")["fields"]["status"]["name"] == "In Progress"
    assert not archived.exists()
    assert (
        others.items() <= {p.name: p.read_bytes() for p in home.rglob("*") if p.is_file()}.items()
    )

    old, new = json.loads(before), metadata(home)
    (entry,) = new.pop("reopenHistory")
    assert entry["reason"] == REASON
    assert {"github", "jira"} == set(entry["syncedTo"])
    assert (
        (entry["syncedTo"]["github"]["issueUrl"])
        == "https://github.com/anton-abyzov/specweave/issues/4"
    )
    bases = [new["github"].pop("base"), new["jira"].pop("base")]
    assert [(base["local"], base["state"]) for base in bases] == [
        ("active", "open"),
        ("active", "In Progress"),
    ]
    changed = {"status": "active", "lastActivity": new["lastActivity"]}
    assert {**old, **changed} == new
    # Nor did anything change about how the rest is written.
    kept = [line for line in before.splitlines() if '"status"' not in line
            and '"lastActivity"' not in line]  # fmt: skip
    written = (home / "metadata.json").read_text().splitlines()
    assert [line for line in kept if line.rstrip(",") not in
                  [other.rstrip(",") for other in written]] == []  # fmt: skip
    assert before.endswith("\n") == (home / "metadata.json").read_text().endswith("\n")


@pytest.mark.sweep
def test_every_completed_one_is_resumed_with_few_changes_and_completed_again(
    corpus: Project,
) -> None:
    config = corpus.root / ".unlatch/config.toml"
    config.write_text(f"{config.read_text()}\n[limits]\nmax_active = 99\nhard_cap = 99\n")
    before = corpus.tree()
    listed = corpus.run("list", "--all", "--status", "completed", "--json").document
    resumed = set()
    for entry in listed:
        done = corpus.run("resume", entry["id"], "--reason", REASON, "--yes", "--offline")
        if done.code == 0:
            resumed.add(entry["id"])
    after = corpus.tree()

    # One has a key twice, which nothing may be written over.
    assert len(resumed) == len(listed) - 1
    for name, text in after.items():
        place = Path(name)
        old = before.get(name) or before.get(name.replace("increments/", "increments/_archive/"))
        if place.parent.name not in resumed or text is None:
            assert old == text, name
        elif place.name == "metadata.json":
            was, now = json.loads(old or b""), json.loads(text)
            (entry,) = now.pop("reopenHistory")
            assert (now.pop("status"), entry["reason"]) == ("active", REASON), name
            assert set(now) - set(was) <= {"pending", "lastActivity"}, name
            assert set(was) - set(now) <= {"status", COMPLETED_KEYS[0]}, name
            assert all(now.pop(key, None) is None for key in COMPLETED_KEYS), name
            changed = {key for key in was.keys() & now.keys() if was[key] != now[key]}
            assert changed <= set(ACTIVITY_KEYS), name
        elif place.name == "spec.md":
            lines = (old or b"").split(b"\n"), text.split(b"\n")
            other = [new for was, new in zip(*lines, strict=True) if was != new]
            assert [re.fullmatch(rb'status: "?active"?\s*', line) for line in other].count(
                None
            ) == 0
            assert len(other) <= 1, name
        elif place.name != "events.jsonl":
            assert old == text, name

    for name in sorted(resumed):
        corpus.run("complete", name, "--offline", "--force", "--reason", REASON).ends(0)
    again = {e["id"]: e["status"] for e in corpus.run("list", "--all", "--json").document}
    assert {"completed"} == {again[entry["id"]] for entry in listed}
    assert corpus.sent() == []
