"""The same projects and trackers as the tests of the command line have."""

from __future__ import annotations

from tests.cli.conftest import _programs, _running, box, completed, project
from tests.cli.trackers.test_sync import in_step

__all__ = ["_programs", "_running", "box", "completed", "in_step", "project"]
