"""The moves of a migration: as few as possible, and never over something that is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from unlatch.errors import StoreError
from unlatch.migrate.plan import moves_between

if TYPE_CHECKING:
    from pathlib import Path


def make(root: Path, *files: str) -> None:
    for name in files:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("{}")


def moves(root: Path) -> list[tuple[str, str]]:
    return sorted((one.source, one.target) for one in moves_between(root, "theirs", "ours"))


def test_a_tree_moves_as_a_whole_where_its_place_is_free(tmp_path: Path) -> None:
    make(tmp_path, "theirs/0001-a/metadata.json", "theirs/0002-b/metadata.json")

    assert [("theirs", "ours")] == moves(tmp_path)


def test_folders_move_one_by_one_into_a_tree_that_is_there(tmp_path: Path) -> None:
    make(tmp_path, "theirs/0001-a/metadata.json", "theirs/0002-b/metadata.json")
    make(tmp_path, "ours/0003-c/metadata.json")

    assert [("theirs/0001-a", "ours/0001-a"), ("theirs/0002-b", "ours/0002-b")] == moves(tmp_path)


def test_archives_in_both_places_come_together(tmp_path: Path) -> None:
    make(tmp_path, "theirs/_archive/0001-a/metadata.json", "theirs/0002-b/metadata.json")
    make(tmp_path, "ours/_archive/0003-c/metadata.json")

    assert [
        ("theirs/0002-b", "ours/0002-b"),
        ("theirs/_archive/0001-a", "ours/_archive/0001-a"),
    ] == moves(tmp_path)


@pytest.mark.parametrize(
    ("theirs", "ours", "taken"),
    [
        ("theirs/0001-a/metadata.json", "ours/0001-a/metadata.json", "ours/0001-a"),
        ("theirs/0001-a/metadata.json", "ours/0001-a/spec.md", "ours/0001-a"),
        ("theirs/0001-a/metadata.json", "ours/0001-a", "ours/0001-a"),
        ("theirs/README.md", "ours/README.md", "ours/README.md"),
    ],
)
def test_a_place_that_is_taken_blocks_the_migration(
    tmp_path: Path, theirs: str, ours: str, taken: str
) -> None:
    make(tmp_path, theirs, ours)

    with pytest.raises(StoreError) as raised:
        moves(tmp_path)

    assert ("migrate-blocked", str(tmp_path / taken)) == (raised.value.id, raised.value.where)
