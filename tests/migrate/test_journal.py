"""The journal of a migration: read as it was written, and trusted with no other place."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.increments.files.making import NOW, ulid

from unlatch.errors import StoreError
from unlatch.increments.files.paths import ProjectPaths
from unlatch.migrate.journal import (
    Edit,
    Journal,
    Move,
    State,
    digest,
    read_journals,
    remove_journal,
    write_journal,
)

if TYPE_CHECKING:
    from pathlib import Path

OURS, THEIRS = ".unlatch/increments", ".specweave/increments"


@pytest.fixture
def paths(tmp_path: Path) -> ProjectPaths:
    (tmp_path / ".unlatch").mkdir()
    return ProjectPaths(tmp_path, tmp_path / OURS)


def journal(number: int = 1) -> Journal:
    config = Edit(path=".unlatch/config.toml", before=None, after=digest(b"x"))
    metadata = Edit(path=f"{OURS}/0001-a/metadata.json", before=b'{"\xc3\xa9": 1}', after="0")
    return Journal(
        id=ulid(number),
        at=NOW,
        by="ada",
        state=State.BEGUN,
        moves=(Move(source=THEIRS, target=OURS),),
        edits=(config, metadata),
    )


def change(paths: ProjectPaths, **changes: Any) -> None:
    path = paths.home / "migrations" / f"{ulid(1)}.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def test_journals_are_read_as_they_were_written_and_in_order(paths: ProjectPaths) -> None:
    write_journal(paths, journal(2))
    write_journal(paths, journal(1))

    assert (journal(1), journal(2)) == read_journals(paths)


def test_the_folder_of_the_journals_goes_with_the_last_one(paths: ProjectPaths) -> None:
    for number in (1, 2):
        write_journal(paths, journal(number))

    remove_journal(paths, journal(1))
    assert (journal(2),) == read_journals(paths)
    remove_journal(paths, journal(2))
    assert () == read_journals(paths)
    assert [] == list(paths.home.iterdir())


@pytest.mark.parametrize(
    "changes",
    [
        {"formatVersion": 2},
        {"moves": [{"from": OURS, "to": f"{OURS}/../../elsewhere"}]},
        {"moves": [{"from": ".git/hooks", "to": OURS}]},
        {"moves": "none"},
        {"files": [{"path": "/etc/passwd", "before": "x", "after": "0"}]},
        {"files": [{"path": f"{OURS}/.git/metadata.json", "before": "x", "after": "0"}]},
        {"files": [{"path": f"{OURS}/a\\b/metadata.json", "before": "x", "after": "0"}]},
        {"files": [{"path": ".gitattributes", "before": 7, "after": "0"}]},
        {"files": [{"path": ".gitattributes", "before": "\ud800", "after": "0"}]},
        {"files": [{"path": ".gitattributes"}]},
        {"state": "half"},
        {"state": []},
        {"id": ulid(3)},
        {"at": "yesterday"},
    ],
)
def test_a_journal_that_unlatch_did_not_write_is_refused(
    paths: ProjectPaths, changes: dict[str, Any]
) -> None:
    write_journal(paths, journal())
    change(paths, **changes)

    with pytest.raises(StoreError) as raised:
        read_journals(paths)

    expected = "migration-newer" if "formatVersion" in changes else "migration-unreadable"
    assert expected == raised.value.id
