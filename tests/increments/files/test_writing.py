"""Files that cannot be written, or that have content to keep."""

import json
import os
import resource
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.changes import reopen
from tests.increments.files.making import GITHUB, Project, github, metadata, tree, ulid

from unlatch.errors import StoreError
from unlatch.increments.files.linking import link, unlink
from unlatch.increments.files.manager import MetadataManager
from unlatch.increments.files.outbox import enqueue
from unlatch.spi.operation import Kind, Operation

SPEC = "---\ntitle: x\nstatus: completed  # since Tuesday\ncreated: 2025-11-01\n---\n\n# x\n"
CHANGES: dict[str, Callable[[MetadataManager], object]] = {
    "reopen": lambda manager: reopen(manager, "7", "why", "ada"),
    "link": lambda manager: link(manager, "7", [github(5)], by="ada"),
    "unlink": lambda manager: unlink(manager, "7", github(4), by="ada"),
    "enqueue": lambda manager: enqueue(
        manager, "7", Operation(ulid(9), Kind.CLOSE, "github", "4", manager.clock(), "ada")
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_duplicate_key_keeps_the_file_from_being_written(project: Project, name: str) -> None:
    block = json.dumps({"issue": 4, "url": GITHUB.format(4)})
    raw = f'{{"status": "completed", "github": {block}, "x": {{"a": 1, "a": 2}}}}'.encode()
    project.add(raw, spec=SPEC.replace("completed", "active"))
    before = tree(project.root)
    with pytest.raises(StoreError) as caught:
        CHANGES[name](project.manager)
    assert (caught.value.id, tree(project.root)) == ("metadata-duplicate-key", before)
    assert "/x/a" in caught.value.message


@contextmanager
def no_room_for_more_than(size: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@contextmanager
def as_nobody(folder: Path) -> Iterator[None]:
    """Act as the user nobody, who may reach `folder` and not write there."""
    for place in (folder, *folder.parents):
        if place.stat().st_uid == os.geteuid() and place.is_relative_to(tempfile.gettempdir()):
            place.chmod(place.stat().st_mode | 0o055)
    os.setegid(65534)
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)


@pytest.mark.parametrize("archive", ["", "_archive"])
@pytest.mark.parametrize("allowed", [0, 40])
def test_a_full_disk_leaves_everything_as_it_was(
    project: Project, archive: str, allowed: int
) -> None:
    project.add(metadata(), archive=archive, spec=SPEC)
    before = tree(project.root)
    with pytest.raises(StoreError) as caught, no_room_for_more_than(allowed):
        reopen(project.manager, "7", "why", "ada")
    assert (caught.value.id, tree(project.root)) == ("not-writable", before)
    reopen(project.manager, "7", "why", "ada")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become nobody")
def test_a_read_only_folder_is_said_to_be_one(project: Project) -> None:
    project.add(metadata(), spec=SPEC)
    before = tree(project.root)
    with pytest.raises(StoreError) as caught, as_nobody(project.root):
        reopen(project.manager, "7", "why", "ada")
    assert (caught.value.id, tree(project.root)) == ("not-writable", before)
    assert "Permission denied" in caught.value.message
    assert caught.value.hint


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become nobody")
def test_a_folder_that_may_not_be_listed_is_said_to_be_one(project: Project) -> None:
    project.add(metadata(), spec=SPEC)
    project.increments.chmod(0o700)
    with pytest.raises(StoreError) as caught, as_nobody(project.root):
        reopen(project.manager, "7", "why", "ada")
    assert caught.value.id == "folder-unreadable"
    assert "Permission denied" in caught.value.message


def test_writing_leaves_no_temporary_file_and_keeps_the_permissions(project: Project) -> None:
    folder = project.add(metadata(), spec=SPEC)
    (folder / "metadata.json").chmod(0o640)
    reopen(project.manager, "7", "why", "ada")
    assert sorted(path.name for path in folder.iterdir()) == [
        "events.jsonl",
        "metadata.json",
        "spec.md",
    ]
    assert stat.S_IMODE((folder / "metadata.json").stat().st_mode) == 0o640


# ---- the status line of spec.md -----------------------------------------------------------------


@pytest.mark.parametrize(
    "spec",
    [
        b"# no front matter\nstatus: completed\n",
        b"---\ntitle: x\n---\n",
        b"",
        b"---\nstatus:",
        b"---\nstatus: In Progress\n---\n",
        b"---\nstatus: completed\n---\n\xff",
    ],
    ids=["no front matter", "no status", "empty", "no value", "another spelling", "no text"],
)
def test_a_spec_md_without_another_status_is_left_alone(project: Project, spec: bytes) -> None:
    folder = project.add(metadata())
    (folder / "spec.md").write_bytes(spec)
    reopen(project.manager, "7", "why", "ada")
    assert (folder / "spec.md").read_bytes() == spec


def test_a_spec_md_that_cannot_be_written_is_reported_and_fixed_later(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = project.add(metadata(), spec=SPEC)
    real = os.fsync
    calls = iter([None, None])  # metadata.json's file and its folder

    def fails_later(descriptor: int) -> None:
        if next(calls, "spent") == "spent":
            raise OSError(28, "No space left on device")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fails_later)
    after, _ = reopen(project.manager, "7", "why", "ada")
    assert any("the next command fixes its status line" in said for said in after.warnings)
    assert (folder / "spec.md").read_text() == SPEC
    monkeypatch.undo()
    link(project.manager, "7", [github(5)], by="ada")
    assert "status: active" in (folder / "spec.md").read_text()


def test_a_crash_before_spec_md_is_mended_by_the_next_command(project: Project) -> None:
    folder = project.add(metadata(status="active"), spec=SPEC)
    unlink(project.manager, "7", github(5), by="ada")
    assert "status: active" in (folder / "spec.md").read_text()
    assert project.data() == metadata(status="active")
