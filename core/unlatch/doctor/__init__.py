"""A look at a whole project: what is wrong, what is odd, and where each setting came from.

Nothing is written, no request is sent, and no program but git is started.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.doctor.configuration import check_configuration
from unlatch.doctor.finding import Finding, Setting, Severity, from_error
from unlatch.doctor.foreign import check_specweave
from unlatch.doctor.increments import check_increments
from unlatch.doctor.limits import check_limits
from unlatch.doctor.project import check_project
from unlatch.doctor.trackers import check_trackers
from unlatch.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch.project.workspace import Workspace

__all__ = ["Finding", "Setting", "Severity", "examine"]


_CHECKS = (
    check_project,
    check_configuration,
    check_specweave,
    check_trackers,
    check_increments,
    check_limits,
)


def examine(workspace: Workspace) -> Iterator[Finding | Setting]:
    """All that there is to say about a project.

    A folder that is refused ends only the checks that need it, and is reported once.
    """
    settings: list[Setting] = []
    findings: dict[tuple[str, str, str | None], Finding] = {}
    for one in _checked(workspace):
        if isinstance(one, Setting):
            settings.append(one)
            continue
        known = findings.setdefault((one.id, one.message, one.where), one)
        if known.severity is not Severity.ERROR:
            findings[one.id, one.message, one.where] = one
    yield from settings
    yield from findings.values()


def _checked(workspace: Workspace) -> Iterator[Finding | Setting]:
    for check in _CHECKS:
        try:
            yield from check(workspace)
        except StoreError as error:
            yield from_error(error, workspace.layout.root)
