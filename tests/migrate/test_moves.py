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


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (["theirs/0001-a/x", "theirs/0002-b/x"], {"": ""}),
        (
            ["theirs/0001-a/x", "theirs/0002-b/x", "ours/0003-c/x"],
            {"/0001-a": "/0001-a", "/0002-b": "/0002-b"},
        ),
        (
            ["theirs/_archive/0001-a/x", "theirs/0002-b/x", "ours/_archive/0003-c/x"],
            {"/0002-b": "/0002-b", "/_archive/0001-a": "/_archive/0001-a"},
        ),
    ],
    ids=["a free place", "beside others", "an archive in both"],
)
def test_as_little_moves_as_the_places_that_are_free_allow(
    tmp_path: Path, files: list[str], expected: dict[str, str]
) -> None:
    make(tmp_path, *files)
    assert [(f"theirs{old}", f"ours{new}") for old, new in expected.items()] == moves(tmp_path)


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
