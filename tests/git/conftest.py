"""Two clones of one project, in states that are made once and copied."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from tests.git.clone import Clone

if TYPE_CHECKING:
    from pathlib import Path

Two = tuple[Clone, Clone]
THERE, HERE = "one clone", "another clone"
# As `git remote add origin` writes it.
REMOTE = '[remote "origin"]\n\turl = {url}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n'


def _copied(made: Path, folder: Path) -> Two:
    """Two clones in another folder; the second has the first for its origin."""
    for name in (THERE, HERE):
        shutil.copytree(made / name, folder / name, symlinks=True)
    config = folder / HERE / ".git/config"
    config.write_text(config.read_text().replace(str(made), str(folder)))
    return Clone(folder / THERE), Clone(folder / HERE)


@pytest.fixture(scope="session")
def _seed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The start of every test: a repository with the merge driver, twice."""
    folder = tmp_path_factory.mktemp("seed")
    Clone(folder / THERE).begin()
    shutil.copytree(folder / THERE, folder / HERE, symlinks=True)
    with (folder / HERE / ".git/config").open("a") as config:
        config.write(REMOTE.format(url=folder / THERE))
    return folder


@pytest.fixture(scope="session")
def _reopened(_seed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reopened")
    there, here = _copied(_seed, folder)
    there.resume("theirs")
    here.resume("ours")
    here.git("fetch", "--quiet", "origin")
    return folder


@pytest.fixture(scope="session")
def _without_driver(_reopened: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("without")
    here = _copied(_reopened, folder)[1]
    here.git("config", "--remove-section", "merge.unlatch")
    here.clash()
    return folder


@pytest.fixture(scope="session")
def _in_conflict(_seed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("conflict")
    there, here = _copied(_seed, folder)
    there.resume("first")
    here.git("pull", "--quiet", "origin", "main")
    here.complete()
    there.complete("there")
    there.resume("second")
    here.clash()
    return folder


@pytest.fixture
def two(_seed: Path, tmp_path: Path) -> Two:
    """Two clones with a completed increment; git runs the merge driver in both."""
    return _copied(_seed, tmp_path)


@pytest.fixture
def reopened(_reopened: Path, tmp_path: Path) -> Two:
    """Both reopened for different reasons; the second has fetched the first."""
    return _copied(_reopened, tmp_path)


@pytest.fixture
def in_conflict(_in_conflict: Path, tmp_path: Path) -> Clone:
    """A clone in the middle of a merge: completed here, completed and reopened again there."""
    return _copied(_in_conflict, tmp_path)[1]


@pytest.fixture
def without_driver(_without_driver: Path, tmp_path: Path) -> Clone:
    """Reopened in both clones, and merged where git does not know the driver."""
    return _copied(_without_driver, tmp_path)[1]
