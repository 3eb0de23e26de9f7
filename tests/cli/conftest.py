"""The sandbox's trackers and a project that is linked to their items."""

from __future__ import annotations

import shutil
import zlib
from functools import partial
from typing import TYPE_CHECKING

import pytest
from tests.cli.project import ALL, Project

from unlatch import transport
from unlatch.transport.testing import SkippingClock

if TYPE_CHECKING:
    from pathlib import Path

    from unlatch_sandbox import Sandbox


@pytest.fixture(scope="session")
def _programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A PATH with git alone: no `gh` or `az` of the developer is asked."""
    folder = tmp_path_factory.mktemp("bin")
    git = shutil.which("git")
    assert git is not None
    (folder / "git").symlink_to(git)
    return folder


@pytest.fixture
def project(
    box: Sandbox,
    tmp_path: Path,
    _programs: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> Project:
    """A project without increments, configured for the sandbox.

    In `Project.run` every wait between two requests ends at once, by a clock of its own; the marker
    `real_waits` leaves them as they are.
    """
    if not request.node.get_closest_marker("real_waits"):
        clock = SkippingClock()
        options = partial(transport.TransportOptions, clock=clock, sleep=clock.sleep)
        monkeypatch.setattr(transport, "TransportOptions", options)
    root, home = tmp_path / "project", tmp_path / "home"
    root.mkdir()
    home.mkdir()
    (home / ".gitconfig").write_text("[user]\n\tname = Gil Git\n\temail = gil@example.com\n")
    made = Project(box, root, home, _programs, monkeypatch)
    # Patient, for a machine may be busy; what a hurry brings is a test of its own.
    made.configure(f"patience = 30\n{box.config()}")
    return made


@pytest.fixture
def completed(project: Project) -> Project:
    """The same with 0007-smart-discipline, completed, its three items closed."""
    project.increment(links=project.items())
    return project


@pytest.fixture
def single(project: Project, request: pytest.FixtureRequest) -> Project:
    """The same with one item: of a rule that holds on each tracker, each test takes one."""
    turn = zlib.crc32(request.node.originalname.encode()) % len(ALL)
    project.increment(links=project.items(ALL[turn]))
    return project


@pytest.fixture
def outside(project: Project) -> Project:
    """A folder that is no project."""
    project.configure("")
    (project.root / ".unlatch" / "config.toml").unlink()
    (project.root / ".unlatch").rmdir()
    return project
