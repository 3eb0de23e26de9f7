"""Which changed files of a checkout a job may commit."""

from __future__ import annotations

import pytest

from unlatch.publish.own_files import own_files

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
