"""Which changed files of a checkout a job may commit."""

import pytest

from unlatch_ci.publish.own_files import UnitPlaces, own_files

BELOW = "docs/.unlatch/increments"


def changed(*entries: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    status = "".join(f"{entry[:3]}{BELOW}/{entry[3:]}\0" for entry in entries)
    paths, increments = own_files(f"{status} M README.md\0".encode(), below=(BELOW,))
    return tuple(path.removeprefix(f"{BELOW}/") for path in paths), increments


def test_the_documents_of_a_changed_record_are_ours() -> None:
    entries = (" M 0007-one/metadata.json", "?? 0007-one/events.jsonl", " M 0007-one/tasks.md")
    assert (
        ("0007-one/events.jsonl", "0007-one/metadata.json", "0007-one/tasks.md"),
        ("0007-one",),
    ) == changed(*entries)


@pytest.mark.parametrize(
    "entries",
    [
        (" M 0007-one/spec.md",),
        (" M 0007-one/notes/metadata.json",),
        (" M notes/metadata.json",),
        (" M metadata.json",),
    ],
)
def test_a_file_that_a_person_changed_alone_is_not_ours(entries: tuple[str, ...]) -> None:
    assert ((), ()) == changed(*entries)


def test_a_folder_that_left_the_archive_takes_all_of_its_files_along() -> None:
    entries = (
        " D _archive/0007-one/metadata.json",
        "?? 0007-one/metadata.json",
        " D _archive/0007-one/notes.txt",
        "?? 0007-one/notes.txt",
        "?? 0007-one/other.txt",
    )

    assert (
        (
            "0007-one/metadata.json",
            "0007-one/notes.txt",
            "_archive/0007-one/metadata.json",
            "_archive/0007-one/notes.txt",
        ),
        ("0007-one",),
    ) == changed(*entries)


def test_the_documents_of_a_unit_go_with_its_record() -> None:
    places = ("openspec/changes/archive/2026-01-24-add-login", "openspec/changes/add-login")
    units = {"add-login": UnitPlaces(places, frozenset({"tasks.md"}))}
    entries = (
        f"?? {BELOW}/add-login/metadata.json",
        f" D {places[0]}/tasks.md",
        f"?? {places[1]}/tasks.md",
        f" D {places[0]}/design.md",
        f"?? {places[1]}/design.md",
        f"?? {places[1]}/mine.txt",
        " M openspec/changes/add-search/tasks.md",
    )

    paths, names = own_files("\0".join(entries).encode(), below=(BELOW,), units=units)

    assert names == ("add-login",)
    moved = [f"{place}/{name}" for place in places for name in ("tasks.md", "design.md")]
    assert set(paths) == {f"{BELOW}/add-login/metadata.json", *moved}


def test_the_documents_of_a_unit_alone_are_not_ours() -> None:
    units = {"add-login": UnitPlaces(("openspec/changes/add-login",), frozenset({"tasks.md"}))}
    entries = (" M openspec/changes/add-login/tasks.md", f"?? {BELOW}/unknown/metadata.json")
    assert own_files("\0".join(entries).encode(), below=(BELOW,), units=units) == ((), ())
