"""A project on disk, as in the tests of the command line."""

from tests.cli.conftest import _programs, completed, project

__all__ = ["_programs", "completed", "project"]
