"""Plugins come by entry points, and load in order; their tables are checked."""

import gettext
import inspect
import json
import shlex
import sys
import threading
import urllib.parse
from collections.abc import Callable, Iterator
from importlib import import_module
from operator import attrgetter, methodcaller
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from unlatch.cli.__main__ import cleandoc, join, ngettext, quote, quote_from_bytes
from unlatch.config.config import CoreConfig, RawConfig
from unlatch.errors import UnlatchError, UsageError
from unlatch.increments.files.paths import METADATA, paths_at
from unlatch.increments.model.increment import Increment
from unlatch.project.check_trackers import check_trackers
from unlatch.project.deferred import defer
from unlatch.project.plugins.checks import (
    manifest_mistakes,
    plugin_mistakes,
    settings_mistakes,
)
from unlatch.project.plugins.loading import is_installed, load_plugin, load_settings
from unlatch.project.registry import Registry
from unlatch.project.workspace import Workspace
from unlatch.worklog.entry_points import entry_points

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


def test_the_projects_own_plugins_are_found_and_listed_for_an_unknown_one() -> None:
    assert list(Registry().manifests) == ["ado", "github", "jira"]
    assert Registry().broken == {}

    with pytest.raises(UsageError) as caught:
        Registry().manifest("gitlab")

    assert caught.value.id == "unknown-tracker"
    assert "ado, github, jira" in caught.value.message


@pytest.mark.parametrize("name", ["ado", "github", "jira"])
def test_no_own_plugin_needs_the_checks_of_others(name: str) -> None:
    manifest = Registry().manifest(name)
    found = [
        *manifest_mistakes(name, manifest),
        *settings_mistakes(load_settings(manifest)),
        *plugin_mistakes(load_plugin(manifest), manifest.capabilities),
    ]
    assert found == []


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


def test_valid_tables_become_settings_and_every_mistake_is_listed() -> None:
    raw = RawConfig(CoreConfig(), {"github": {"repository": "octo/widgets"}})

    settings, problems, _ = check_trackers(raw, Registry())

    assert problems == ()
    assert settings["github"].target == "octo/widgets"

    core = CoreConfig.model_validate({"labels": {"reopened": "two words"}})
    tables: dict[str, dict[str, object]] = {
        "gitbub": {},
        "github": {"repository": "octo"},
        "jira": {"site": 7},
    }
    raw = RawConfig(core, tables, problems=("patience: expected a number",))

    settings, problems, _ = check_trackers(raw, Registry())

    assert settings == {}
    assert problems[0] == "patience: expected a number"
    assert problems[1] == "trackers.gitbub: unknown tracker; did you mean [trackers.github]?"
    places = [problem.partition(":")[0] for problem in problems[2:]]
    assert places == ["trackers.github.repository", "trackers.jira.site", "labels.reopened"]
    assert "(for Jira)" in problems[-1]


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A package `vast` whose body imports everything, and fails to be run twice."""
    package = tmp_path / "vast"
    package.mkdir()
    body = "import sys\nassert not hasattr(sys, 'vast_ran')\nsys.vast_ran = True\n"
    wait = (
        "if hasattr(sys, 'vast_begun'):\n    sys.vast_begun.set()\n    sys.vast_may_end.wait(5)\n"
    )
    (package / "__init__.py").write_text(f"{body}{wait}from .part import Part\n__version__ = '1'\n")
    (package / "part.py").write_text("class Part: ...\n")
    (package / "user.py").write_text("from . import part\nimport vast.part as again\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield "vast"
    _forget()


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A module `vast`, without parts, whose function `begun` uses what is defined later."""
    begun = "def begun(): return Part()\n"
    wait = "import sys\nsys.vast_begun.set()\nsys.vast_may_end.wait(5)\n"
    (tmp_path / "vast.py").write_text(f"{begun}{wait}class Part: ...\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield "vast"
    _forget()


def _forget() -> None:
    for name in [one for one in sys.modules if one.partition(".")[0] == "vast"]:
        del sys.modules[name]
    for name in ("vast_ran", "vast_begun", "vast_may_end"):
        vars(sys).pop(name, None)


def has_run() -> bool:
    return hasattr(sys, "vast_ran")


@pytest.mark.parametrize("name", ["Part", "__version__"])
def test_a_deferred_module_runs_when_a_name_in_it_is_used(library: str, name: str) -> None:
    defer([library])
    part = import_module("vast.part")

    assert {"Part": part.Part, "__version__": "1"}[name] == getattr(import_module("vast"), name)
    assert has_run()


def used_by_two_threads(vast: ModuleType, *uses: Callable[[Any], object]) -> list[object]:
    """What they find if the second begins while the first runs the module."""
    sys.vast_begun = begun = threading.Event()  # type: ignore[attr-defined]
    sys.vast_may_end = may_end = threading.Event()  # type: ignore[attr-defined]
    results: list[object] = []
    threads = [threading.Thread(target=lambda use=use: results.append(use(vast))) for use in uses]
    threads[0].start()
    assert begun.wait(5)
    threads[1].start()
    threads[1].join(0.1)  # it would fail at once
    may_end.set()
    for thread in threads:
        thread.join()
    return results


def test_two_threads_that_use_it_first_both_find_it_whole(library: str) -> None:
    defer([library])
    vast = import_module(library)
    found = used_by_two_threads(vast, attrgetter("Part"), attrgetter("__version__"))
    assert {"1", vast.Part} == {*found}


def test_no_thread_uses_a_module_without_parts_that_is_half_run(module: str) -> None:
    defer([module])
    vast = import_module(module)
    found = used_by_two_threads(vast, methodcaller("Part"), methodcaller("begun"))
    assert [vast.Part, vast.Part] == [type(part) for part in found]


def test_a_deferred_part_is_an_attribute_of_its_package(library: str) -> None:
    import_module(library)
    del sys.modules[f"{library}.part"], vars(sys.modules[library])["part"]
    defer([f"{library}.part"])

    assert "Part" == sys.modules[library].part.Part.__name__


def test_a_version_with_a_part_of_its_own_is_known(library: str, tmp_path: Path) -> None:
    (tmp_path / library / "version.py").write_text("__version__ = '2'\n")
    defer([library])

    assert "2" == import_module(library).__version__
    assert not has_run()


def test_stand_ins_of_the_standard_library_do_what_it_does() -> None:
    for text in ("", "One line.", " led ", "Two\n  lines\n", "a\tb", "\n\n x\n"):
        assert inspect.cleandoc(text) == cleandoc(text), text
    for path in ("/srv/plain", "/srv/größe 100%#a?b&~"):
        assert urllib.parse.quote_from_bytes(path.encode()) == quote_from_bytes(path.encode())
    for number in (0, 1, 2):
        texts = "{} value", "{} values"
        assert gettext.ngettext(*texts, number) == ngettext(*texts, number), number
    words = ["plain", "", "two words", "it's", "größe"]
    assert [*map(shlex.quote, words)] == [*map(quote, words)]
    assert shlex.join(words) == join(words)
