"""The same projects and trackers as the tests of the command line have."""

from __future__ import annotations

from tests.cli.conftest import _programs, completed, project
from tests.cli.trackers.test_sync import in_step

__all__ = ["_programs", "completed", "in_step", "project"]
