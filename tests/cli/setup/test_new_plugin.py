"""`unlatch plugins new` writes a plugin that runs at once, red where its author goes on."""

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from tests.cli.project import Project
from tests.docs.pages import ROOT

from unlatch.errors import StoreError
from unlatch.project.plugins import new_plugin
from unlatch.spi import OneWritePlugin

FILES = [
    "README.md",
    "pyproject.toml",
    "tests/test_conformance.py",
    "unlatch_redmine/__init__.py",
    "unlatch_redmine/plugin.py",
    "unlatch_redmine/py.typed",
    "unlatch_redmine/settings.py",
]
ALONE = ("--no-deps", "--no-index", "--no-build-isolation", "--disable-pip-version-check")


def make(project: Project, folder: Path, name: str = "redmine") -> Path:
    project.run("plugins", "new", name, "--folder", str(folder)).ends(0)
    return folder / f"unlatch-{name}"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new plugin, which is installed beside it in the folder `site`."""
    folder = tmp_path_factory.mktemp("plugin")
    new_plugin.make_plugin("redmine", folder, taken=())
    plugin, site = folder / "unlatch-redmine", folder / "site"
    assert (0, "") == python("pip", "install", *ALONE, "-q", "--target", site, plugin, cwd=folder)
    return plugin


def python(*arguments: str | Path, cwd: Path, **environ: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=cwd,
        env={**os.environ, **environ},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
    )
    return done.returncode, done.stdout


def test_skeleton_is_written(project: Project, tmp_path: Path) -> None:
    done = project.run("plugins", "new", "redmine", "--folder", str(tmp_path), "--json")
    made = tmp_path / "unlatch-redmine"
    assert (0, str(made), FILES) == (done.code, done.document["folder"], done.document["made"])
    found = [str(one.relative_to(made)) for one in made.rglob("*") if one.is_file()]
    assert sorted(found) == FILES
    # Its methods have the docstrings of the interface.
    text = (made / "unlatch_redmine" / "plugin.py").read_text()
    for name in OneWritePlugin.__abstractmethods__:
        line = (getattr(OneWritePlugin, name).__doc__ or "").splitlines()[0]
        assert re.search(rf'def {name}\(.*\n        """{re.escape(line)}"""', text), name


@pytest.mark.sweep
def test_its_tests_name_the_next_method_to_write(made: Path, tmp_path: Path) -> None:
    site, report = made.with_name("site"), tmp_path / "report.xml"

    arguments = ("-p", "no:cacheprovider", "--tb=line", f"--junitxml={report}")
    # Other plugins of pytest, which it does without, take longer to load than its tests.
    alone = {"PYTHONPATH": str(site), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    code, _ = python("pytest", *arguments, cwd=made, **alone)

    cases = [*ET.parse(report).iter("testcase")]
    problems = {found.get("message", "") for one in cases for found in one.iter("failure")}
    passed = [one.get("name") for one in cases if not len(one)]
    assert (1, []) == (code, [one.get("name") for one in cases if one.find("error") is not None])
    says = re.compile(r"NotImplementedError: (?:Harness|Plugin)\.\w+: .{40}")
    assert [] == [one for one in problems if not says.match(one)]
    assert "Harness.make: create an item with this title" in "".join(problems)
    assert len(passed) < 5  # those of the manifest, which is complete

    code, shown = python("unlatch.cli", "plugins", cwd=tmp_path, PYTHONPATH=str(site))
    assert (0, True) == (code, "Redmine (unfinished)" in shown)


@pytest.mark.parametrize(
    "name", [pytest.param("x", marks=pytest.mark.sweep), "a_tracker_of_thirty_characters"]
)
def test_skeleton_is_formatted(project: Project, tmp_path: Path, name: str) -> None:
    made = make(project, tmp_path, name)
    for command in (("format", "--check"), ("check", "--select=E,F,I,B,UP,SIM,RUF,PT")):
        code, shown = python("ruff", *command, "--isolated", "--line-length=100", ".", cwd=made)
        assert 0 == code, shown


@pytest.mark.sweep
def test_skeleton_passes_mypy(project: Project, tmp_path: Path) -> None:
    made = make(project, tmp_path)
    cache = f"--cache-dir={ROOT / '.mypy_cache' / 'skeleton'}"
    assert (0, "Success: no issues found in 4 source files\n") == python(
        "mypy", cache, ".", cwd=made
    )


def test_bad_name_is_refused(project: Project, tmp_path: Path) -> None:
    (tmp_path / "unlatch-known").mkdir()
    for name, id_ in (
        *((one, "plugin-name-invalid") for one in ("Redmine", "my-tracker", "../up", "", "x" * 31)),
        *((one, "plugin-name-taken") for one in ("github", "status")),
        ("known", "folder-exists"),
    ):
        done = project.run("plugins", "new", name, "--folder", str(tmp_path), "--json")
        assert (2, id_) == (done.code, done.document["error"]["id"]), name
    assert ["unlatch-known"] == [one.name for one in tmp_path.glob("*unlatch-*")]
    assert [] == [*(tmp_path / "unlatch-known").iterdir()]


def test_nothing_is_left_if_it_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, content: bytes) -> None:
        if path.name == "plugin.py":
            raise StoreError("not-writable", "the disk is full")
        path.write_bytes(content)

    monkeypatch.setattr(new_plugin, "replace_file", full)
    with pytest.raises(StoreError):
        new_plugin.make_plugin("redmine", tmp_path, taken=())
    assert [] == [*tmp_path.iterdir()]
