from __future__ import annotations

import os

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.increments.files.making import GITHUB, STAMP, Project, github, jira, metadata, tree, ulid

from unlatch.errors import StoreError, UsageError
from unlatch.increments.files.new_increment import slug_of
from unlatch.increments.model.status import Status
from unlatch.worklog.ids import FOLDER


def test_a_new_increment_is_planned_and_told_of(project: Project) -> None:
    made = project.manager.create("Smart discipline", kind="feature", by="ada")
    assert (made.id, made.status, made.title) == (
        "0001-smart-discipline",
        Status.PLANNING,
        "Smart discipline",
    )
    times = {"created": STAMP, "lastActivity": STAMP}
    expected = {"id": made.id, "status": "planning", "type": "feature", **times}
    assert project.data(made.id) == expected
    assert project.text(made.id).endswith("}\n")
    told = {"id": ulid(1), "at": STAMP, "event": "created", "by": "ada", "to": "planning"}
    assert project.events(made.id) == [told]
    spec = (made.folder / "spec.md").read_text()
    assert spec.startswith("# Smart discipline\n")
    assert (made.folder / "tasks.md").read_text() == "# Tasks\n"


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


def test_a_title_in_any_script_is_found_again(project: Project) -> None:
    titles = ["照合", "Привет мир", "مرحبا"]
    made = [project.manager.create(title, kind="bug", by="ada") for title in titles]
    assert [one.id for one in made] == ["0001-increment", "0002-increment", "0003-increment"]
    assert [project.manager.read(str(number)).title for number in (1, 2, 3)] == titles


@given(st.text(st.characters(exclude_categories=())).map("a{}".format))
@example("a\ud800")
@example("a\x1b[31m\n---\nstatus: completed\n---\n")
def test_any_title_makes_one_sound_increment(
    tmp_path_factory: pytest.TempPathFactory, title: str
) -> None:
    project = Project(tmp_path_factory.mktemp("any"))
    made = project.manager.create(title, kind="bug", by="ada")
    assert [found.id for found in project.manager.list()] == [made.id]
    assert FOLDER.fullmatch(made.id)
    assert made.folder.parent == project.increments
    spec = (made.folder / "spec.md").read_text(encoding="utf-8")
    assert spec.split("\n", 1)[1] == "\n## User stories\n\n## Acceptance criteria\n"


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


def test_a_file_where_the_folder_belongs_is_an_error(project: Project) -> None:
    (project.increments / "0001-x").write_text("a file")
    with pytest.raises(StoreError) as caught:
        project.manager.create("x", kind="bug", by="ada")
    assert caught.value.id == "not-writable"
    assert (project.increments / "0001-x").read_text() == "a file"


def test_the_folder_of_increments_is_made_when_it_is_needed(project: Project) -> None:
    project.increments.rmdir()
    assert project.manager.create("x", kind="bug", by="ada").id == "0001-x"
