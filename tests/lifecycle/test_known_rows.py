"""Rows that are known from an earlier list: the list is the same as without them."""

import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.increments.files.making import SHAPES, Project, metadata, ulid

from unlatch.increments.model.increment import Increment
from unlatch.increments.records.shapes import Shapes
from unlatch.lifecycle.lists import known_rows
from unlatch.lifecycle.lists.known_rows import (
    INCREMENTS,
    LIST_ROWS,
    Kept,
    KnownIncrement,
    KnownRows,
)
from unlatch.lifecycle.lists.list_row import ListRow, row_of
from unlatch.worklog.disk.user_files import state_folder

NAMES = ("0001-one", "0002-two", "0003-three")
ISSUE = {"issue": 5, "url": "https://github.com/octo/widgets/issues/5"}
CONTENTS: tuple[dict[str, Any] | bytes, ...] = (
    metadata(),
    metadata(status="abandoned"),  # of the same length
    metadata(github=ISSUE),
    metadata(status="shipped"),
    b"{",
)
SPECS = ("# A title\n", "# A tutle\n", "---\ntitle: Another\n---\n", "No heading\n", "\udcff")
# Nanoseconds. In the tests everything is older than the longest tick of a clock.
LATER = 3_600_000_000_000


# What is kept between lists, in the tests that run now.
KEPT: list[Kept[Any]] = []


@pytest.fixture(autouse=True, params=[LIST_ROWS, INCREMENTS], ids=lambda kept: kept.file)
def keep(request: pytest.FixtureRequest) -> None:
    KEPT[:] = [request.param]


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path / "project")
    for name in NAMES:
        made.add(metadata(id=name), name=name, spec=SPECS[0])
    return made


def listed(
    project: Project,
    *,
    now: Callable[[], int] = lambda: time.time_ns() + LATER,
    shapes: Shapes = SHAPES,
) -> list[Any]:
    folders = [*project.manager.collection.folders()]
    return [*KnownRows(project.root, shapes, *KEPT, now=now).each(folders, complete=True)]


def shown(found: list[Any]) -> list[Any]:
    """What a list has of each increment; all of it where whole increments are kept."""
    is_whole = KEPT == [INCREMENTS]
    return [row_of(one) if isinstance(one, Increment) and not is_whole else one for one in found]


def kinds(project: Project, **options: Any) -> list[bool]:
    """Of each increment, whether its row was known."""
    return [isinstance(one, ListRow | KnownIncrement) for one in listed(project, **options)]


def test_only_a_changed_increment_is_read_again(project: Project) -> None:
    assert [False] * 3 == kinds(project)
    assert [True] * 3 == kinds(project)

    (project.increments / NAMES[1] / "spec.md").write_text("# Longer title\n")
    assert [True, False, True] == kinds(project)
    assert [True] * 3 == kinds(project)


def edits(project: Project) -> Iterator[Callable[[Path, int], object]]:
    """What people and programs do to the folder of an increment; the number chooses how."""
    yield lambda folder, n: (folder / "metadata.json").write_bytes(
        one if isinstance(one := CONTENTS[n % 5], bytes) else str(one).replace("'", '"').encode()
    )
    yield lambda folder, n: (folder / "spec.md").write_bytes(
        SPECS[n % 5].encode(errors="surrogateescape")
    )
    yield lambda folder, n: (folder / ("spec.md", "metadata.json")[n % 2]).unlink()
    yield lambda folder, _: folder.rename(project.increments / "_archive" / folder.name)
    yield lambda folder, _: (project.increments / "_archive" / folder.name).rename(folder)
    yield lambda folder, _: shutil.rmtree(folder)
    yield lambda folder, n: folder.symlink_to(project.increments / NAMES[n % 3])
    yield lambda folder, _: move_behind_a_link(folder)
    yield lambda folder, n: shutil.copytree(project.increments / NAMES[n % 3], folder)
    yield lambda folder, n: os.utime(folder / "metadata.json", (n, n))
    yield lambda folder, n: (folder / "spec.md").chmod((0o644, 0o600)[n % 2])
    yield lambda folder, _: (folder / "spec.md").symlink_to("metadata.json")


def move_behind_a_link(folder: Path) -> None:
    away = Path(tempfile.mkdtemp(dir=folder.parents[2])) / folder.name
    folder.rename(away)
    folder.symlink_to(away)


def tick(root: Path) -> None:
    """Wait until the file system's clock has moved on."""
    probe = root / "tick"
    probe.touch()
    before = probe.stat().st_ctime_ns
    while probe.stat().st_ctime_ns == before:
        probe.touch()


STEPS = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 2), st.integers(0, 9)), max_size=8)


@given(steps=STEPS)
def test_after_any_edits_the_list_is_as_without_known_rows(
    steps: list[tuple[int, int, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    made = Project(tmp_path_factory.mktemp("edited") / "project")
    (made.increments / "_archive").mkdir()
    for name in NAMES:
        made.add(metadata(id=name), name=name, spec=SPECS[0])
    every = [*edits(made)]
    for which, where, how in steps:
        listed(made)
        tick(made.root)
        try:
            every[which](made.increments / NAMES[where], how)
        except OSError:
            continue  # nothing to do it to
        assert shown(made.manager.list()) == shown(listed(made))


def test_a_row_of_a_file_that_may_change_within_the_same_tick_is_not_kept(
    project: Project,
) -> None:
    folder = project.increments / NAMES[0]
    shutil.rmtree(project.increments / NAMES[1])
    shutil.rmtree(project.increments / NAMES[2])
    places = [folder / "metadata.json", folder / "spec.md"]
    last = max(place.stat().st_ctime_ns for place in places)

    for seconds, known in ((1, False), (2, False), (3, True)):
        listed(project, now=partial(int, last + seconds * 10**9))
        assert [known] == kinds(project, now=lambda: last)


def test_a_damaged_file_is_as_none(project: Project) -> None:
    listed(project)
    rows = state_folder(project.root) / KEPT[0].file
    assert 0o600 == rows.stat().st_mode & 0o777

    whole = rows.read_bytes()
    for damaged in (b"", whole[:-1], whole.replace(b"A title", b"B title"), b"\xff" * 9, b"{}"):
        rows.write_bytes(damaged)
        assert [False] * 3 == kinds(project)
        assert whole == rows.read_bytes()


def test_rows_of_another_version_are_read_again(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed(project)

    for name, value in (("__version__", "0.0.9"), ("_FORMAT", 2)):
        monkeypatch.setattr(known_rows, name, value)
        assert [False] * 3 == kinds(project)
        assert [True] * 3 == kinds(project)


REOPEN = {
    "id": ulid(1),
    "reopenedAt": "2025-11-01T08:00:00Z",
    "reason": "More to do",
    "previousStatus": "completed",
    "reopenedBy": "me",
}
BOXES = {"ticked": ["T-001"], "open": ["T-002"], "lines": "0" * 64}
BASE = {"local": "active", "remote": "open", "state": "open", "boxes": BOXES}
RECORDS: tuple[dict[str, Any], ...] = (
    {"github": {**ISSUE, "base": BASE}},
    {"type": None, "created": "2025-11-01", "lastActivity": "2025-11-01T08:00:00.25+02:00"},
    {"github": ISSUE, "reopenHistory": [REOPEN]},
)


@pytest.mark.parametrize("content", RECORDS)
def test_a_known_increment_is_equal_to_one_that_was_read(
    project: Project, content: dict[str, Any]
) -> None:
    text = json.dumps(metadata(id=NAMES[0], **content))
    (project.increments / NAMES[0] / "metadata.json").write_text(text)
    listed(project)

    assert [True] * 3 == kinds(project)
    assert shown(project.manager.list()) == shown(listed(project))


def test_a_row_that_lacks_what_a_list_tells_is_not_kept(project: Project) -> None:
    # A title from the folder's name, a front matter in place of metadata.json, a mistake.
    (project.increments / NAMES[0] / "spec.md").write_text("No heading\n")
    (project.increments / NAMES[1] / "metadata.json").unlink()
    (project.increments / NAMES[1] / "spec.md").write_text("---\nstatus: active\n---\n# A\n")
    (project.increments / NAMES[2] / "metadata.json").write_text("{")

    assert [False] * 3 == kinds(project)
    assert [False] * 3 == kinds(project)


def test_rows_of_the_archive_stay_while_only_others_are_listed(project: Project) -> None:
    (project.increments / "_archive").mkdir()
    (project.increments / NAMES[2]).rename(project.increments / "_archive" / NAMES[2])
    listed(project)
    (project.increments / NAMES[0] / "spec.md").write_text("# Longer title\n")

    active = [one for one in project.manager.collection.folders() if not one.archived]
    now = lambda: time.time_ns() + LATER  # noqa: E731
    assert 2 == len([*KnownRows(project.root, SHAPES, *KEPT, now=now).each(active, complete=False)])
    assert [True] * 3 == kinds(project)


def test_without_a_folder_for_state_every_row_is_read(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "/dev/null")

    assert [False] * 3 == kinds(project)
    assert shown(project.manager.list()) == shown(listed(project))
