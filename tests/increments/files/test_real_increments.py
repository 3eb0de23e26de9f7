"""Real increments of other projects, at UNLATCH_CORPUS."""

import difflib
import json
import os
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.changes import reopen
from tests.increments.files.making import STAMP, Clock, counted_ids, manager_at, tree

from unlatch.errors import StoreError
from unlatch.increments.documents import front_matter
from unlatch.increments.files.manager import MetadataManager
from unlatch.increments.files.metadata_file import COMPLETED_KEYS
from unlatch.increments.model.increment import Increment
from unlatch.increments.model.status import Status, read_status

CORPUS = os.environ.get("UNLATCH_CORPUS")
pytestmark = pytest.mark.skipif(not CORPUS, reason="UNLATCH_CORPUS names no real increments")

TIMES = ("lastActivity", "lastUpdated", "updated_at")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (home,) = Path(CORPUS or "").rglob(".specweave")
    shutil.copytree(home, tmp_path / ".specweave", copy_function=shutil.copyfile)
    return tmp_path


@pytest.fixture
def manager(root: Path) -> MetadataManager:
    found = manager_at(root, clock=Clock())
    found.new_id = counted_ids()
    return found


def sound(manager: MetadataManager) -> list[Increment]:
    return [found for found in manager.list() if isinstance(found, Increment)]


def raw(increment: Increment) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((increment.folder / "metadata.json").read_bytes())
    return found


def test_all_are_listed_unchanged_and_none_is_broken(manager: MetadataManager, root: Path) -> None:
    before = tree(root)
    listed = manager.list()
    assert tree(root) == before
    assert (len(listed), len(sound(manager))) == (51, 51)
    assert sum(found.archived for found in listed) == 41


NAMED = {
    "github": re.compile(
        r"""(?:https://github\.com/[\w.-]+/[\w.-]+/issues/|"github\#[^"\#]+\#|
        "(?:issue|issueNumber|issue_number|number|github_issue)":\s*"?\#?)([0-9]+)""",
        re.VERBOSE,
    ),
    "jira": re.compile(
        r"""(?:/browse/|"jira\#(?:[^"\#]+\#)?|"(?:issue|issueKey|epicKey|key)":\s*")
        ([A-Z][A-Z0-9_]*-[0-9]+)""",
        re.VERBOSE,
    ),
    "ado": re.compile(
        r"""(?:/_workitems/edit/|/_apis/wit/workItems/|"ado\#[^"\#]+\#|
        "(?:workItemId|workItem|work_item_id|featureId)":\s*"?)([0-9]+)""",
        re.VERBOSE,
    ),
}


def test_each_item_that_their_raw_text_names_is_read(
    root: Path, record_property: Callable[[str, object], None]
) -> None:
    """Counted independently: by patterns over the raw text, and not in its structure."""
    manager = manager_at(root, clock=Clock())
    named: set[tuple[str, str, str]] = set()
    read: set[tuple[str, str, str]] = set()
    for found in sound(manager):
        text = (found.folder / "metadata.json").read_text(encoding="utf-8")
        for tracker, pattern in NAMED.items():
            named |= {(found.id, tracker, item) for item in pattern.findall(text)}
        read |= {(found.id, link.tracker, link.item) for link in found.links}
    record_property("items named", len(named))
    record_property("items read", len(read))
    sys.stdout.write(f"items named: {len(named)}, read: {len(read)}\n")  # for `pytest -s`
    assert sorted(named - read) == []
    assert sorted(read - named) == []
    assert {("0007", "github", "4"), ("0007", "jira", "SCRUM-28")} <= {
        (name[:4], tracker, item) for name, tracker, item in read
    }


def test_reopening_each_completed_one_changes_only_what_it_must(
    manager: MetadataManager, root: Path
) -> None:
    before = tree(root)
    completed = [found for found in sound(manager) if found.status is Status.COMPLETED]
    twice = [found for found in completed if any("twice" in said for said in found.warnings)]
    assert len(twice) <= 1
    expected = {}
    for found in completed:
        if found in twice:
            with pytest.raises(StoreError):
                reopen(manager, found.id, "More to do", "ada")
            continue
        old, text = raw(found), (found.folder / "metadata.json").read_text(encoding="utf-8")
        after, _ = reopen(manager, found.id, "More to do", "ada")
        _check_json(old, raw(after))
        _check_text(text, (after.folder / "metadata.json").read_text(encoding="utf-8"), old)
        expected[found.id] = after
    assert len(expected) > 40
    _check_the_rest(before, tree(root), set(expected))


def _check_json(old: dict[str, Any], new: dict[str, Any]) -> None:
    completed = next((old[key] for key in COMPLETED_KEYS if key in old), None)
    activity = next((key for key in TIMES if key in old), TIMES[0])
    kept = {
        key: None if key in COMPLETED_KEYS else value
        for key, value in old.items()
        if key != COMPLETED_KEYS[0]
    }
    (entry,) = new["reopenHistory"]
    assert entry.get("previousCompletedAt") == completed
    links = new.get("pending", [])
    assert {operation["op"] for operation in links} <= {entry["id"]}
    added = {"reopenHistory": [entry], **({"pending": links} if links else {})}
    assert new == {**kept, activity: STAMP, "status": "active", **added}
    assert [key for key in new if key in kept] == list(kept)


def _check_text(old: str, new: str, data: dict[str, Any]) -> None:
    diff = list(difflib.ndiff(old.splitlines(), new.splitlines()))
    gone = [line for line in diff if line.startswith("- ")]
    # status, activity, completion, and the last line, which gained a comma.
    assert len(gone) <= 4, (data["status"], gone)
    assert old.endswith("\n") == new.endswith("\n")


def _check_the_rest(before: dict[str, bytes], after: dict[str, bytes], reopened: set[str]) -> None:
    """All files except metadata.json are unchanged, apart from a status line and their place."""
    moved = {name.replace("_archive/", ""): name for name in before}
    for name, content in after.items():
        folder = Path(name).parts[2] if len(Path(name).parts) > 2 else ""
        if name.startswith(".unlatch") or name.endswith(("metadata.json", "events.jsonl")):
            continue
        old = before[name] if name in before else before[moved[name]]
        if name.endswith("spec.md") and folder in reopened:
            said = front_matter.status(content.decode())
            assert said is None or read_status(said) is Status.ACTIVE
            assert len(_changed(old, content)) <= 1
        else:
            assert content == old
    files = [name for name in before if not name.endswith("_archive")]
    assert {Path(n).name for n in files} <= {Path(n).name for n in after}
    assert len([n for n in after if n.endswith(".md")]) == len(
        [n for n in files if n.endswith(".md")]
    )


def _changed(old: bytes, new: bytes) -> list[bytes]:
    assert old.count(b"\n") == new.count(b"\n")
    return [
        one for one, other in zip(old.split(b"\n"), new.split(b"\n"), strict=True) if one != other
    ]
