"""A look at a whole project: what is wrong, what is odd, and where each setting came from.

Nothing is written, no request is sent, and no program but git is started.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.engine.doctor.configuration import check_configuration
from unlatch.engine.doctor.finding import Finding, Setting, Severity
from unlatch.engine.doctor.foreign import check_specweave
from unlatch.engine.doctor.increments import check_increments
from unlatch.engine.doctor.limits import check_limits
from unlatch.engine.doctor.project import check_project
from unlatch.engine.doctor.trackers import check_trackers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch.project.workspace import Workspace

__all__ = ["Finding", "Setting", "Severity", "examine"]


def examine(workspace: Workspace) -> Iterator[Finding | Setting]:
    """All that there is to say about a project, each as it is found."""
    yield from check_project(workspace)
    yield from check_configuration(workspace)
    yield from check_specweave(workspace)
    yield from check_trackers(workspace)
    yield from check_increments(workspace)
    yield from check_limits(workspace)
