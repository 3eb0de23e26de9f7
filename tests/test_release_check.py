"""What `make release-check` refuses; the check itself needs the package index and some minutes."""

import sys
import tarfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

TOOLS = Path(__file__).parents[1] / "tools"
PROJECT = tomllib.loads((TOOLS.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(TOOLS)
    import release_check  # noqa: PLC0415  # only on this path

    yield release_check
    for name in ("release_check", "wheel_check"):
        del sys.modules[name]


@pytest.mark.parametrize(
    ("tag", "message"),
    [
        ("v99.0", f"the tag v99.0 is not the version {PROJECT['version']} of pyproject.toml"),
        (PROJECT["version"], "is not the version"),
    ],
)
def test_a_tag_that_is_not_the_version_is_refused(tool: Any, tag: str, message: str) -> None:
    with pytest.raises(SystemExit, match=message):
        tool.check_tag(tag)


def test_a_version_that_the_changelog_lacks_is_refused(
    tool: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "1.2.3"\n')
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## [Unreleased]\n")
    monkeypatch.setattr(tool, "ROOT", tmp_path)

    with pytest.raises(SystemExit, match=r"no section \[1.2.3\]"):
        tool.check_tag("v1.2.3")

    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## [1.2.3] - 2026-11-23\n")
    tool.check_tag("v1.2.3")


def test_pages_without_the_address_of_the_repository_are_refused(
    tool: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool, "ROOT", tmp_path)
    (tmp_path / "docs").mkdir()
    page = tmp_path / "docs" / "start.md"
    (tmp_path / "README.md").write_text("# unlatch\n")
    page.write_text("# Start\n\npipx install git+https://github.com/OWNER/unlatch\n")
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "1.2.3"\n')

    with pytest.raises(SystemExit, match=r"instead of OWNER/unlatch: docs/start.md:3$"):
        tool.check_address()

    page.write_text("# Start\n\npipx install git+https://github.com/acme/unlatch\n")
    with pytest.raises(SystemExit, match=r"no \[project.urls\]"):
        tool.check_address()

    with (tmp_path / "pyproject.toml").open("a") as file:
        file.write('[project.urls]\nRepository = "https://github.com/acme/unlatch"\n')
    tool.check_address()


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ((), "has nothing, not an sdist and a wheel: make dist"),
        (("a-1.tar.gz",), "has a-1.tar.gz, not"),
        (("a-1-py3.whl", "a-1.tar.gz", "b-1.whl"), "has a-1-py3.whl, a-1.tar.gz, b-1.whl, not"),
    ],
)
def test_other_files_than_one_sdist_and_one_wheel_are_refused(
    tool: Any, tmp_path: Path, names: tuple[str, ...], message: str
) -> None:
    for name in names:
        (tmp_path / name).touch()

    with pytest.raises(SystemExit, match=message):
        tool.packages(tmp_path)


def test_packages_that_differ_when_they_are_built_again_are_refused(
    tool: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import wheel_check  # noqa: PLC0415  # only on this path

    (tmp_path / "unlatch-1").mkdir()
    sdist, wheel = tmp_path / "unlatch-1.tar.gz", tmp_path / "unlatch-1-py3-none-any.whl"
    with tarfile.open(sdist, "w:gz") as archive:
        archive.add(tmp_path / "unlatch-1", "unlatch-1")
    wheel.write_bytes(b"first")

    def build(dist: Path, _tree: Path) -> tuple[Path, Path]:
        dist.mkdir()
        (dist / wheel.name).write_bytes(b"second")
        return sdist, dist / wheel.name

    monkeypatch.setattr(wheel_check, "build", build)

    with pytest.raises(SystemExit, match=r"unlatch-1-py3-none-any\.whl differs"):
        tool.check_reproducible(sdist, wheel, tmp_path)


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("print('gemini: skipped, npm is not installed')", "skipped, npm"),
        ("raise SystemExit(1)", "ended with exit code 1"),
    ],
)
def test_a_validator_that_is_skipped_or_fails_ends_the_check(
    tool: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, message: str
) -> None:
    (tmp_path / "validate.py").write_text(script)
    monkeypatch.setattr(tool, "VALIDATORS", tmp_path / "validate.py")

    with pytest.raises(SystemExit, match=message):
        tool.check_integrations()


def test_each_extra_has_a_check(tool: Any) -> None:
    checked = {*tool.MODULES, *tool.RESOLVED, "all"}

    assert PROJECT["optional-dependencies"].keys() == checked
