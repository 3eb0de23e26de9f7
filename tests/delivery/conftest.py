"""A project on disk and the sandbox's trackers, as the tests of the command line have them."""

from tests.cli.conftest import _programs, completed, project, single

__all__ = ["_programs", "completed", "project", "single"]
