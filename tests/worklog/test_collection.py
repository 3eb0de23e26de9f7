"""Any kind of work finds its folders by number or name, its archives included."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from unlatch.errors import StoreError
from unlatch.worklog.collection import Collection
from unlatch.worklog.disk.file_check import UnsafePath

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """The folder of a kind that has no code of its own."""
    folder = tmp_path / ".unlatch" / "voyages"
    folder.mkdir(parents=True)
    return folder


def add(place: Path, *names: str) -> None:
    for name in names:
        (place / name).mkdir(parents=True)
    # Long ago, so that a later change is not in the same tick of the clock.
    os.utime(place, ns=(0, 0))


def found(collection: Collection, wanted: str) -> list[str]:
    return [str(one.path.relative_to(collection.path)) for one in collection.find(wanted)]


def test_folders_come_by_name_and_those_of_the_archives_last(place: Path) -> None:
    add(place, "0010-b", "0002-a", "_archive/0001-z", "_abandoned/0003-y", "notes")
    (place / "0011-file").write_text("no folder")
    assert [(one.name, one.archived) for one in Collection(place).folders()] == [
        ("0002-a", False),
        ("0010-b", False),
        ("0003-y", True),
        ("0001-z", True),
    ]


def test_archives_are_the_folders_that_begin_with_an_underscore(place: Path) -> None:
    add(place, "0001-a", "_old", "_archive", ".hidden")
    assert [*Collection(place).archives()] == [place / "_archive", place / "_old"]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ("7", ["0007-search", "_archive/0007-find"]),
        ("0007", ["0007-search", "_archive/0007-find"]),
        ("0007-find", ["_archive/0007-find"]),
        ("0008-both", ["0008-both", "_archive/0008-both"]),
        ("9", []),
        ("_archive", []),
        ("../voyages", []),
    ],
)
def test_a_number_or_a_name_finds_all_folders_that_it_may_mean(
    place: Path, wanted: str, expected: list[str]
) -> None:
    add(place, "0007-search", "0008-both", "_archive/0007-find", "_archive/0008-both")
    assert found(Collection(place), wanted) == expected


def test_a_folder_is_found_though_the_time_of_the_listing_did_not_change(place: Path) -> None:
    add(place, "0007-search")
    listed_at = place.stat().st_mtime_ns
    collection = Collection(place)
    assert found(collection, "8") == []
    add(place, "0008-later")
    os.utime(place, ns=(listed_at, listed_at))
    assert found(collection, "8") == ["0008-later"]


def test_a_folder_that_was_found_before_has_vanished(place: Path) -> None:
    add(place, "0007-search")
    collection = Collection(place)
    collection.find("7")
    (place / "0007-search").rmdir()
    with pytest.raises(StoreError) as caught:
        collection.find("0007-search")
    assert (caught.value.id, caught.value.where) == ("folder-vanished", str(place / "0007-search"))


def test_a_folder_that_moved_to_the_archive_is_found_there(place: Path) -> None:
    add(place, "0007-search", "_archive")
    collection = Collection(place)
    collection.find("7")
    (place / "0007-search").rename(place / "_archive" / "0007-search")
    assert found(collection, "7") == ["_archive/0007-search"]


def test_a_kind_without_a_folder_has_no_work(tmp_path: Path) -> None:
    collection = Collection(tmp_path / ".unlatch" / "voyages")
    assert ([*collection.folders()], [*collection.archives()], found(collection, "7")) == (
        [],
        [],
        [],
    )


def test_a_file_in_place_of_the_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / ".unlatch").mkdir()
    place = tmp_path / ".unlatch" / "voyages"
    place.write_text("a file")
    with pytest.raises(StoreError, match="a file is in place of the folder") as caught:
        Collection(place).find("7")
    assert (caught.value.id, caught.value.where) == ("folder-unreadable", str(place))
    with pytest.raises(StoreError, match="a file is in place of the folder"):
        [*Collection(place).folders()]


@pytest.mark.parametrize("target", ["../elsewhere", "_archive", "missing"])
def test_an_archive_behind_a_link_is_not_searched_and_hides_no_other_folder(
    place: Path, target: str
) -> None:
    add(place, "0007-search", "../elsewhere/0007-find")
    (place / "_archive").symlink_to(target)
    assert found(Collection(place), "7") == ["0007-search"]
    assert next(Collection(place).folders()).name == "0007-search"


def test_a_folder_that_a_link_replaces_is_not_searched_any_more(
    place: Path, tmp_path: Path
) -> None:
    add(place, "0007-search", "_archive/0008-find")
    collection = Collection(place)
    assert found(collection, "8") == ["_archive/0008-find"]
    (place / "_archive").rename(tmp_path / "elsewhere")
    add(tmp_path / "elsewhere", "0009-later")
    (place / "_archive").symlink_to(tmp_path / "elsewhere")
    assert found(collection, "9") == []


def test_a_collection_behind_a_link_is_not_listed(tmp_path: Path) -> None:
    add(tmp_path / "elsewhere", "0007-search")
    (tmp_path / ".unlatch").mkdir()
    place = tmp_path / ".unlatch" / "voyages"
    place.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UnsafePath):
        [*Collection(place).folders()]
