"""spec.md or tasks.md that is there and cannot be read: who shows the increment says so."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.project import Project


def _linked(path: Path) -> None:
    target = path.parents[4] / f"real-{path.name}"
    path.rename(target)
    path.symlink_to(target)


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _other_encoding(path: Path) -> None:
    path.write_bytes("# Größe\n".encode("latin-1"))


def _huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(9 << 20)


SPOILT: dict[str, tuple[Callable[[Path], None], str, str]] = {
    "link": (_linked, "unsafe-path", "is a symbolic link, which unlatch does not follow"),
    "folder": (_folder, "not-a-file", "is a folder, not a file"),
    "pipe": (_pipe, "not-a-file", "is a named pipe, not a file"),
    "other encoding": (_other_encoding, "document-unreadable", "cannot be read as UTF-8 text"),
    "huge": (_huge, "file-too-large", "has 9,437,184 bytes; at most 8,388,608 are read"),
}


@pytest.mark.parametrize("name", ["spec.md", "tasks.md"])
def test_show_says_that_a_document_was_not_read_and_why(project: Project, name: str) -> None:
    for number, (spoil, error, why) in enumerate(SPOILT.values(), 1):
        path = project.folder(project.increment(f"{number:04}-one", status="active")) / name
        spoil(path)
        expected = f"{name} was not read: it {why} [{error}] at {path}"
        project.run("show", str(number)).ends(0, err=f"  note: {expected}\n")
        document = project.run("show", str(number), "--json").document
        assert [expected] == document["warnings"]


@pytest.mark.parametrize("command", ["list", "status"])
def test_what_lists_the_increment_by_its_folders_name_says_why(
    project: Project, command: str
) -> None:
    notes = []
    for number, (spoil, error, why) in enumerate(SPOILT.values(), 1):
        folder = project.folder(project.increment(f"{number:04}-one-thing", status="active"))
        spoil(folder / "spec.md")
        notes.append(f"note: spec.md was not read: it {why} [{error}] at {folder / 'spec.md'}\n")
    listed, document = project.run(command), project.run(command, "--json")
    assert (0, len(notes)) == (listed.code, listed.out.count("one thing"))
    for note in notes:
        assert (1, 1) == (listed.err.count(note), document.err.count(note)), note
    assert "0001-one-thing" in document.out
