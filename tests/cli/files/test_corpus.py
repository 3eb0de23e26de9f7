"""Real increments of other projects: a copy of the corpus, if present."""

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.cli.project import REASON, Project

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
