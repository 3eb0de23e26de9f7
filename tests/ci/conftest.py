"""A team with an origin in common, whose trackers are the sandbox's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.ci.jobs import Job, job, reopen_by_hand
from tests.crash.members import Team

if TYPE_CHECKING:
    from pathlib import Path

    from unlatch_sandbox import Sandbox


@pytest.fixture(scope="session")
def _met(_running: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Team:
    _running.reset()
    made = Team.meet(_running, tmp_path_factory.mktemp("team"))
    made.laptop.unlatch("sync", "--yes")
    made.laptop.push("In step")
    made.colleague.pull()
    return made


@pytest.fixture
def team(_met: Team, tmp_path: Path) -> Team:
    """Two clones with a completed increment, its items closed, and all of it seen in sync."""
    _met.box.reset()
    made = _met.copied(tmp_path)
    made.writes()
    return made


@pytest.fixture
def here(team: Team) -> Job:
    """The checkout of a job on GitHub, after a person reopened the issue."""
    reopen_by_hand(team)
    return job(team, "job")


@pytest.fixture
def ran(tmp_path: Path) -> Path:
    """The folder for a file by each program that ran."""
    (tmp_path / "ran").mkdir()
    return tmp_path / "ran"
