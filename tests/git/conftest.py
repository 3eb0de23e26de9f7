from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from tests.git.clone import Clone

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture(scope="session")
def _seed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The start of every test, made once: a repository with the merge driver."""
    root = tmp_path_factory.mktemp("seed") / "one clone"
    Clone(root).begin()
    return root


@pytest.fixture
def two(_seed: Path, tmp_path: Path) -> tuple[Clone, Clone]:
    """Two clones with a completed increment; git runs the merge driver in both."""
    clones = []
    for name in ("one clone", "another clone"):
        shutil.copytree(_seed, tmp_path / name, symlinks=True)
        clones.append(Clone(tmp_path / name))
    clones[1].git("remote", "add", "origin", str(clones[0].root))
    return clones[0], clones[1]


@pytest.fixture
def in_conflict(two: tuple[Clone, Clone]) -> Clone:
    """A clone in the middle of a merge: completed here, completed and reopened again there."""
    there, here = two
    there.resume("first")
    here.git("pull", "--quiet", "origin", "main")
    here.complete()
    there.complete()
    there.resume("second")
    here.git("fetch", "--quiet", "origin")
    assert here.try_git("merge", "origin/main").code == 1
    return here


@pytest.fixture
def without_driver(two: tuple[Clone, Clone]) -> Callable[[], Clone]:
    """Reopened in both clones, and merged where git does not know the driver."""

    def make() -> Clone:
        there, here = two
        there.resume("theirs")
        here.git("config", "--remove-section", "merge.unlatch")
        here.resume("ours")
        here.git("fetch", "--quiet", "origin")
        assert here.try_git("merge", "origin/main").code == 1
        return here

    return make
