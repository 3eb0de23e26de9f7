"""Plugins come by entry points; a broken one is reported and breaks nothing else."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from unlatch.errors import UnlatchError, UsageError
from unlatch.increments.files.paths import METADATA, paths_at
from unlatch.project.plugins.loading import is_installed, load_plugin
from unlatch.project.registry import Registry
from unlatch.project.workspace import Workspace
from unlatch.worklog.entry_points import entry_points

if TYPE_CHECKING:
    from pathlib import Path

    from unlatch.increments.model.increment import Increment

GROUP = "unlatch.plugins"
MODULE = """
from dataclasses import replace
from unlatch_github import manifest as github
good = replace(github, name="good", title="Good", requires=("no_such_library", "good"))
newer = replace(github, name="newer", spi_version=99)
named_otherwise = replace(github, name="other")
text = "no manifest"
"""


@pytest.fixture
def foreign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installed foreign distribution, with one good plugin and some bad ones."""
    (tmp_path / "foreign_plugin.py").write_text(MODULE)
    info = tmp_path / "foreign-1.0.dist-info"
    info.mkdir()
    (info / "entry_points.txt").write_text(
        "[console_scripts]\nforeign = foreign:main\n\n"
        "[unlatch.plugins]\n"
        "# a comment\n"
        "good = foreign_plugin:good\n"
        "newer = foreign_plugin:newer\n"
        "misnamed = foreign_plugin:named_otherwise\n"
        "text = foreign_plugin:text [extra]\n"
        "missing = no_such_module:manifest\n"
        "github = foreign_plugin:good\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def test_the_projects_own_plugins_are_found() -> None:
    assert list(Registry().manifests) == ["ado", "github", "jira"]
    assert Registry().broken == {}


@pytest.mark.usefixtures("foreign")
def test_a_foreign_plugin_is_found_and_broken_ones_are_told_of() -> None:
    registry = Registry()

    assert registry.manifest("good").title == "Good"
    # No other distribution replaces a plugin of unlatch.
    assert {"ado", "github", "jira"} <= set(registry.manifests)
    assert {"misnamed", "missing", "newer", "text"} == set(registry.broken)
    assert "is written for interface 99; this is 2" in registry.broken["newer"].message
    assert "another name than its entry point: 'other'" in registry.broken["misnamed"].message
    assert "foreign_plugin:text is not a Manifest" in registry.broken["text"].message
    assert "the plugin text (foreign 1.0) cannot be used" in registry.broken["text"].message


@pytest.mark.usefixtures("foreign")
@pytest.mark.parametrize("key", ["good", "externalLinks"])
def test_a_foreign_plugins_name_in_metadata_is_a_link_or_a_warning(
    tmp_path: Path, key: str
) -> None:
    def read(name: str, value: object) -> Increment:
        folder = tmp_path / ".unlatch" / "increments" / name
        folder.mkdir(parents=True)
        block = value if key == "good" else {"good": value}
        (folder / METADATA).write_text(json.dumps({"status": "active", key: block}))
        return Workspace(paths_at(tmp_path), environ={}).manager.read(name)

    place = "good" if key == "good" else "externalLinks/good"
    linked, unread = read("0001-linked", {"issue": 4}), read("0002-unread", "https://good/4")
    assert ([("good", "4")], ()) == (
        [(one.tracker, one.item) for one in linked.links],
        linked.warnings,
    )
    assert ((), (f"{place} names good, but no item that unlatch can read",)) == (
        unread.links,
        unread.warnings,
    )


@pytest.mark.usefixtures("foreign")
def test_entry_points_are_read_as_importlib_reads_them() -> None:
    from importlib.metadata import entry_points as as_importlib  # noqa: PLC0415

    theirs: dict[str, str] = {}
    for point in as_importlib(group=GROUP):
        if point.name not in theirs or (point.dist and point.dist.name == "unlatch"):
            theirs[point.name] = f"{point.module}:{point.attr}"

    assert theirs == entry_points(GROUP)


def test_a_file_that_cannot_be_read_hides_nothing(foreign: Path) -> None:
    info = foreign / "broken-1.0.dist-info"
    info.mkdir()
    (info / "entry_points.txt").write_bytes(b"[unlatch.plugins]\n\xff = x:y\n")

    assert "good" in entry_points(GROUP)


@pytest.mark.usefixtures("foreign")
def test_a_library_that_is_missing_is_named_with_the_command_that_adds_it() -> None:
    with pytest.raises(UnlatchError) as caught:
        load_plugin(Registry().manifest("good"))

    assert (caught.value.id, caught.value.where) == ("extra-missing", "no_such_library")
    assert "install good" in (caught.value.hint or "")
    assert not is_installed("no_such_library.inside")


def test_an_unknown_tracker_lists_those_that_are_known() -> None:
    with pytest.raises(UsageError) as caught:
        Registry().manifest("gitlab")

    assert caught.value.id == "unknown-tracker"
    assert "ado, github, jira" in caught.value.message
