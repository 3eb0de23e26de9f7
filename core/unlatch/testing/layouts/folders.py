"""Checks of a layout on the folders of a project that uses its tool."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import replace
from pathlib import Path, PurePosixPath
from shutil import copytree
from typing import TYPE_CHECKING

from unlatch.testing.layouts.shapes import shapes
from unlatch.testing.layouts.texts import MOST_TASKS, check_texts, facts
from unlatch.worklog.disk.safe_open import add_root

if TYPE_CHECKING:
    from unlatch.increments.layouts.interface import Layout, Texts
    from unlatch.increments.model.unit import Unit


def check_layout(
    layout: Layout, root: Path, scratch: Path, *, most_tasks: int = MOST_TASKS
) -> None:
    """Check a layout on a project that uses its tool; an AssertionError names the unit.

    Args:
        root: a project with at least one unit; it is copied and stays as it is.
        scratch: an empty folder, such as pytest's `tmp_path`.
        most_tasks: the number of tasks of one unit that are ticked and unticked.
    """
    project = scratch / "project"
    copytree(root, project, symlinks=True)
    add_root(project)
    units = _check_units(layout, project)
    _check_empty(layout, scratch / "empty")
    for unit in units:
        texts = texts_of(layout, unit)
        _check_documents(layout, unit)
        check_texts(layout, unit, texts, most_tasks=most_tasks)
        _check_shapes(layout, unit, texts)
    _check_links(layout, project, units, outside=scratch / "outside")


def texts_of(layout: Layout, unit: Unit) -> Texts:
    """The documents of a unit; one that is missing, or is not UTF-8 text, is empty."""
    texts = {}
    for name in layout.documents(unit):
        texts[name] = ""
        with suppress(OSError, UnicodeDecodeError):
            texts[name] = (unit.folder / name).read_bytes().decode()
    return texts


def _check_units(layout: Layout, project: Path) -> list[Unit]:
    assert layout.detect(project), "the project is not detected"
    units = list(layout.units(project))
    assert units, "no unit is found"
    assert units == list(layout.units(project)), "the units change without a change of the files"
    for (key, archived), count in Counter((unit.key, unit.archived) for unit in units).items():
        assert count == 1, f"{key}: {count} units with this key (archived: {archived})"
    for unit in units:
        assert layout.name == unit.layout, f"{unit.key}: it is of the layout {unit.layout!r}"
        assert unit.key not in ("", ".", ".."), "a unit without a key"
        assert PurePosixPath(unit.key).name == unit.key, f"{unit.key}: not the name of a folder"
        kind, is_there = ("file", Path.is_file) if unit.is_file else ("folder", Path.is_dir)
        assert is_there(unit.place), f"{unit.key}: {unit.place} is no {kind}"
        home = layout.home(unit)
        assert (home == unit.place) is not unit.archived, f"{unit.key}: its home is {home}"
        for place in (unit.place, home):
            assert place.is_relative_to(project), f"{unit.key}: {place} is outside of the project"
    return units


def _check_empty(layout: Layout, empty: Path) -> None:
    empty.mkdir()
    assert not layout.detect(empty), "an empty folder is detected"
    assert list(layout.units(empty)) == [], "an empty folder has units"


def _check_documents(layout: Layout, unit: Unit) -> None:
    names = layout.documents(unit)
    assert names, f"{unit.key}: no documents"
    assert len(set(names)) == len(names), f"{unit.key}: a document is listed twice: {names}"
    for name in names:
        path = PurePosixPath(name)
        inside = str(path) == name and not path.is_absolute() and ".." not in path.parts
        assert inside, f"{unit.key}: {name!r} is not a path below its folder"
    layout.documents(replace(unit, place=unit.place.with_name("missing")))  # does not fail


def _check_shapes(layout: Layout, unit: Unit, texts: Texts) -> None:
    """Check the unit with other line endings, a BOM, and without a final newline."""
    expected = facts(layout.read(shapes(texts)["lf"]))
    for name, shaped in shapes(texts).items():
        actual = facts(layout.read(shaped))
        assert expected == actual, f"{unit.key} reads differently as {name}"
        if shaped != texts:
            check_texts(layout, unit, shaped, most_tasks=3)


def _check_links(layout: Layout, project: Path, units: list[Unit], *, outside: Path) -> None:
    """Check that a link to other units, and one in the folder of a unit, are not followed."""
    if not _can_link(outside):
        return
    copytree(units[0].place.parent, outside / "units")
    listed = {unit.place: tuple(layout.documents(unit)) for unit in units}
    for unit in [unit for unit in units if not unit.is_file]:
        (unit.place / "linked").symlink_to(outside, target_is_directory=True)
        for folder in [path for path in unit.place.iterdir() if path.is_dir()]:
            if not folder.is_symlink():
                (folder / "linked").symlink_to(unit.place, target_is_directory=True)
    (units[0].place.parent / "9998-linked").symlink_to(outside / "units")
    for unit in layout.units(project):
        through = [parent for parent in unit.place.parents if parent.is_symlink()]
        assert not through, f"{unit.key} was found through the link {through}"
        documents = tuple(layout.documents(unit))
        if not unit.place.is_symlink():  # no file is read from one that is
            assert listed[unit.place] == documents, f"{unit.key}: documents found through a link"


def _can_link(outside: Path) -> bool:
    outside.mkdir()
    with suppress(OSError):  # on Windows it takes a privilege
        (outside / "itself").symlink_to(outside, target_is_directory=True)
        (outside / "itself").unlink()
        return True
    return False
