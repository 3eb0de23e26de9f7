"""The same projects and trackers as the tests of the command line have."""

from __future__ import annotations

from tests.cli.conftest import _programs, completed, project, single

__all__ = ["_programs", "completed", "project", "single"]
