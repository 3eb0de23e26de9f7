"""A project that configures the tracker of a third party's plugin, which a test installs."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.project import Project

_NUMBERS = count()


@pytest.fixture
def package(tmp_path: Path, project: Project, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a package to install, in a project that configures its tracker."""
    monkeypatch.syspath_prepend(tmp_path / "site")
    (tmp_path / "site").mkdir()
    project.configure_more(tables='[trackers.redmine]\nurl = "https://redmine.example.com"')
    project.extra["REDMINE_KEY"] = "not-needed"
    return f"foreign_redmine_{next(_NUMBERS)}"
