"""An increment with other work that has ended, made once and copied for each test."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from tests.cli.project import NAME
from tests.cli.work import ended

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.project import Project


@pytest.fixture(scope="session")
def _kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the files of such a project, without its configuration."""
    return tmp_path_factory.mktemp("ended") / "kept"


@pytest.fixture
def name(project: Project, _kept: Path) -> str:
    """A completed increment with an effort and a session that have ended."""
    place = project.root / ".unlatch"
    if _kept.exists():
        shutil.copytree(_kept, place, dirs_exist_ok=True)
    else:
        ended.build(project)
        shutil.copytree(place, _kept, ignore=shutil.ignore_patterns("config.toml"))
    return NAME
