"""Increments are found and listed, and made with the next number."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from tests.changes import reopen
from tests.increments.files.making import (
    GITHUB,
    Project,
    github,
    jira,
    manager_at,
    metadata,
    tree,
    ulid,
)

from unlatch.errors import StoreError, UsageError
from unlatch.increments.files.new_increment import slug_of
from unlatch.increments.files.paths import paths_at
from unlatch.increments.model.increment import BrokenIncrement, Increment

REOPEN = {
    "id": ulid(1),
    "reopenedAt": "2025-11-02T09:00:00Z",
    "reason": "why",
    "previousStatus": "completed",
    "reopenedBy": "ada",
    "syncedTo": {},
}
PENDING = {
    "op": ulid(1),
    "kind": "reopen",
    "tracker": "github",
    "item": GITHUB.format(4),
    "at": "2025-11-02T09:00:00Z",
}


# ---- find -------------------------------------------------------------------------------------


@pytest.mark.parametrize("wanted", ["8", "0007-sear", "search", "", "../0007-search", "9" * 5000])
def test_what_is_not_there_is_unknown(project: Project, wanted: str) -> None:
    project.add(metadata())
    with pytest.raises(UsageError) as caught:
        project.manager.read(wanted)
    assert (caught.value.id, caught.value.exit_code) == ("unknown-increment", 2)


@pytest.mark.parametrize(
    ("wanted", "archived"), [("7", "0007-find"), ("0007-search", "0007-search")]
)
def test_what_two_increments_have_is_ambiguous(
    project: Project, wanted: str, archived: str
) -> None:
    project.add(metadata())
    project.add(metadata(), name=archived, archive="_archive")
    with pytest.raises(UsageError) as caught:
        project.manager.find(wanted)
    assert caught.value.id == "ambiguous-increment"
    assert ("0007-search", f"_archive/{archived}") == caught.value.problems


def test_without_any_increments_everything_is_unknown(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.increments.rmdir()
    assert project.manager.list() == []
    with pytest.raises(UsageError):
        project.manager.find("7")
    project.increments.write_text("a file where the folder belongs")
    for ask in (project.manager.list, lambda: project.manager.find("7")):
        with pytest.raises(StoreError, match="a file is in place of the folder"):
            ask()


def test_specweaves_increments_are_used_where_they_are(tmp_path: Path) -> None:
    theirs = tmp_path / ".specweave" / "increments"
    theirs.mkdir(parents=True)
    assert paths_at(tmp_path).increments == theirs
    ours = tmp_path / ".unlatch" / "increments"
    ours.mkdir(parents=True)
    assert paths_at(tmp_path).increments == ours


# ---- list -------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["id", "increment", "increment_id"])
def test_the_folders_name_counts_and_another_id_is_told(project: Project, key: str) -> None:
    project.add({"status": "active", key: "0099-else"})
    found = project.manager.read("7")
    assert found.id == "0007-search"
    assert "0099-else" in found.warnings[0]


def test_of_a_key_that_occurs_twice_the_last_counts_and_it_is_told(project: Project) -> None:
    project.add(b'{"status": "active", "type": "a", "type": "b"}')
    found = project.manager.read("7")
    assert (found.type, found.warnings) == ("b", ("/type occurs twice; the last one counts",))


VALID = json.dumps(metadata()).encode()
CONFLICT = b'{\n<<<<<<< ours\n"status": "active"\n=======\n"status": "paused"\n>>>>>>> theirs\n}'
BROKEN: dict[str, tuple[bytes | dict[str, Any], str, str]] = {
    "empty": (b"", "metadata-invalid", "the file is empty"),
    "blank": (b" \n", "metadata-invalid", "the file is empty"),
    "truncated": (VALID[:-20], "metadata-invalid", "unexpected end of file"),
    "not UTF-8": (b'{"status": "\xe9"}', "metadata-invalid", "not UTF-8"),
    "in conflict": (CONFLICT, "metadata-in-conflict", "conflict markers"),
    "a list": (b"[]", "metadata-invalid", "does not hold a JSON object"),
    "null": (b"null", "metadata-invalid", "does not hold a JSON object"),
    "newer": (metadata(formatVersion=3), "metadata-newer", "format version 3"),
    "no status": ({"id": "x"}, "status-unknown", "has no status"),
    "another status": (metadata(status="done?"), "status-unknown", "'done?'"),
    "a status that is none": (metadata(status=None), "status-unknown", "None"),
    "a history that is none": (metadata(reopenHistory={}), "metadata-invalid", "/reopenHistory"),
    "pending that is none": (metadata(pending="x"), "metadata-invalid", "/pending"),
    **{
        f"an entry whose {key} is {value!r}": (
            metadata(reopenHistory=[REOPEN, {**REOPEN, key: value}]),
            "metadata-invalid",
            f"/reopenHistory/1/{key}",
        )
        for key, value in (
            ("id", "1"), ("id", None), ("reopenedAt", "x"), ("reason", None), ("reopenedBy", 3),
            ("previousCompletedAt", 3), ("source", []), ("syncedTo", []), ("syncedTo", "x"),
            ("syncedTo", None), ("syncedTo", {"github": 4}), ("syncedTo", {"github": {"items": 4}}),
            ("syncedTo", {"github": {"items": [4]}}),
        )
    },
    **{
        f"an operation whose {key} is {value!r}": (
            metadata(pending=[{**PENDING, key: value}]),
            "metadata-invalid",
            f"/pending/0/{key}",
        )
        for key, value in (
            ("op", "x"), ("kind", "explode"), ("kind", 3), ("at", ""), ("tracker", None),
            ("item", 4), ("by", 4), ("reason", {}), ("cause", 4),
        )
    },
    "an entry that is none": (metadata(reopenHistory=[3]), "metadata-invalid", "/reopenHistory/0"),
    "an operation that is none": (metadata(pending=[None]), "metadata-invalid", "/pending/0"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_what_cannot_be_read_is_listed_with_its_reason_and_not_written(
    project: Project, name: str
) -> None:
    content, error_id, reason = BROKEN[name]
    folder = project.add(content, spec="---\nstatus: x\n---\n")
    project.add(metadata(), name="0008-sound")
    broken, sound = project.manager.list()
    assert isinstance(broken, BrokenIncrement)
    assert isinstance(sound, Increment)
    assert (broken.id, broken.error_id, broken.folder) == ("0007-search", error_id, folder)
    assert reason in broken.reason
    assert "metadata.json" in broken.reason
    assert str(folder) not in broken.reason
    before = tree(project.root)
    with pytest.raises(StoreError) as caught:
        reopen(project.manager, "7", "why", "ada")
    assert (caught.value.id, tree(project.root)) == (error_id, before)


@pytest.mark.parametrize(
    ("stands_there", "error_id"),
    [("nothing", "metadata-missing"), ("a folder", "not-a-file"), ("a loop", "unsafe-path")],
)
def test_a_file_that_is_none_is_listed_as_broken(
    project: Project, stands_there: str, error_id: str
) -> None:
    path = project.add(metadata(), archive="_archive") / "metadata.json"
    path.unlink()
    if stands_there == "a folder":
        path.mkdir()
    elif stands_there == "a loop":
        path.symlink_to(path.name)
    (broken,) = project.manager.list()
    assert isinstance(broken, BrokenIncrement)
    assert (broken.error_id, broken.archived) == (error_id, True)


def title_of(project: Project, spec: bytes) -> str:
    folder = project.increments / "0001-from-its-folder"
    folder.mkdir(parents=True, exist_ok=True)
    folder.joinpath("metadata.json").write_text('{"status": "active"}')
    folder.joinpath("spec.md").write_bytes(spec)
    return project.manager.read("1").title


LONG = b"x" * 10_000


def test_a_title_is_found_wherever_it_stands(project: Project) -> None:
    front = b"---\nepic: X\ntitle: Front\n---\n"

    assert title_of(project, front + b"# Heading\n" + LONG) == "Front"
    assert title_of(project, b"# Heading\n" + LONG) == "Heading"
    assert title_of(project, LONG + b"\n# Late\n") == "Late"
    assert title_of(project, b"---\n# no heading\nkey: " + LONG + b"\ntitle: Far\n---\n") == "Far"
    assert title_of(project, b"```\n# code\n" + LONG + b"\n```\n# Behind\n") == "Behind"
    assert title_of(project, b"# " + "\u00e4".encode() * 5_000) == "\u00e4" * 5_000
    assert title_of(project, LONG) == "from its folder"
    assert title_of(project, b"# Head\n" + b"\xff" * 10) == "from its folder"


def test_links_are_there_from_the_first_write(project: Project) -> None:
    made = project.manager.create("x", kind="bug", by="ada", links=[github(4), jira("A-1")])
    assert [link.item for link in made.links] == ["4", "A-1"]
    assert project.data(made.id)["github"] == {"issue": 4, "url": GITHUB.format(4)}


SECRET = "ghp_" + "A1b2C3d4" * 4


@pytest.mark.parametrize(
    ("existing", "name"),
    [
        ([], "0001-x"),
        ([("0007-a", ""), ("0003-b", "")], "0008-x"),
        ([("0007-a", ""), ("0041-b", "_archive")], "0042-x"),
        ([("9999-a", "")], "10000-x"),
        ([("0005-broken", "_abandoned")], "0006-x"),
    ],
)
def test_numbers_go_on_from_the_highest(
    project: Project, existing: list[tuple[str, str]], name: str
) -> None:
    for known, archive in existing:
        project.add(b"broken" if "broken" in known else metadata(), name=known, archive=archive)
    assert project.manager.create("x", kind="bug", by="ada").id == name


@pytest.mark.parametrize(
    ("title", "name", "error_id", "words"),
    [
        *(
            (title, "0007-a", "title-unusable", "")
            for title in ("", " ", "!!!", "../..", "🎉", "\x00")
        ),
        ("x" * 257, "0007-a", "increment-title-too-long", "the title has 257 characters"),
        ("x", "999999999-far", "number-too-high", "rename 999999999-far"),
    ],
)
def test_what_cannot_be_named_or_numbered_is_refused(
    project: Project, title: str, name: str, error_id: str, words: str
) -> None:
    project.add(metadata(), name=name)
    before = tree(project.root)
    with pytest.raises(UsageError) as caught:
        project.manager.create(title, kind="bug", by="ada")
    assert (caught.value.id, tree(project.root)) == (error_id, before)
    assert words in f"{caught.value.message} {caught.value.hint}"


@pytest.mark.parametrize("name", ["9998-a", "_archive/9999-a", "10000-a"])
def test_no_number_is_given_that_specweave_does_not_list(tmp_path: Path, name: str) -> None:
    """1.0.593 lists none after 9999 (findings/specweave-last-number.sh)."""
    folder = tmp_path / ".specweave" / "increments" / name
    folder.mkdir(parents=True)
    (folder / "metadata.json").write_bytes(VALID)
    manager = manager_at(tmp_path)
    if name == "9998-a":
        assert manager.create("x", kind="bug", by="ada").id == "9999-x"
    with pytest.raises(UsageError, match="number-too-high"):
        manager.create("y", kind="bug", by="ada")
    assert not [*folder.parent.rglob("*-y")]


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Smart discipline", "smart-discipline"),
        ("  Crème brûlée: 2 for 1!  ", "creme-brulee-2-for-1"),
        ("../../etc/passwd", "etc-passwd"),
        ("a\x00b\nc/d\\e", "a-b-c-d-e"),
        ("--force", "force"),
        ("漢字 7", "7"),
        ("x" * 200, "x" * 60),
        (f"{'x' * 59} y", "x" * 59),
        ("$(rm -rf ~); `id`", "rm-rf-id"),
        ("\ud800ok", "ok"),
        ("照合", "increment"),
        ("Привет мир", "increment"),
        ("مرحبا", "increment"),
        ("Привет API", "api"),
        (f"Rotate {SECRET} now", "rotate-now"),
        (f"Set API_TOKEN={SECRET[4:]}", "set-api-token"),
        (SECRET, "increment"),
    ],
)
def test_a_folder_is_named_by_plain_words(title: str, slug: str) -> None:
    assert slug_of(title) == slug


def test_what_cannot_be_made_leaves_nothing_behind(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = iter([None, OSError(28, "No space left on device")])
    real = os.fsync

    def full(descriptor: int) -> None:
        if error := next(calls, None):
            raise error
        real(descriptor)

    before = tree(project.root)
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreError) as caught:
        project.manager.create("x", kind="bug", by="ada")
    assert (caught.value.id, tree(project.root)) == ("not-durable", before)
    assert "No space left on device" in caught.value.message
