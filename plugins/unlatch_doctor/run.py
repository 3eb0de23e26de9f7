"""Run the table of checks over a project, and apply the fixes in it."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from unlatch.errors import StoreError
from unlatch.increments.files.locks import store_lock
from unlatch.increments.files.manager import collection_of
from unlatch.increments.files.unit_collection import has_records
from unlatch.worklog.disk.atomic import remove_file, replace_file
from unlatch_doctor.checks import (
    DOCUMENTS,
    FILES,
    ITEMS,
    PROJECT,
    READABLE,
    TOGETHER,
    TRACKER,
    UNITS,
    WORK,
    checks_of_layouts,
)
from unlatch_doctor.configuration import settings_in_force
from unlatch_doctor.finding import Check, Finding, Fix, Setting, Severity, below, from_error
from unlatch_doctor.metadata import content_of
from unlatch_doctor.snapshot import ProjectSnapshot, ReadableIncrement

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from unlatch.increments.files.paths import ProjectPaths
    from unlatch.project.workspace import Workspace
    from unlatch_doctor.online import Examined


def examine(workspace: Workspace) -> tuple[list[Setting], list[Finding]]:
    """Run all checks; a refused folder ends only the checks that need it, and is reported once.

    Nothing is written, no request is sent, and no program but git is started.
    """
    project = ProjectSnapshot(workspace)
    findings: dict[tuple[str, str, str | None], Finding] = {}
    for finding in _findings(project):
        first = findings.setdefault((finding.id, finding.message, finding.where), finding)
        if first.severity is not Severity.ERROR:
            findings[finding.id, finding.message, finding.where] = finding
    return list(settings_in_force(workspace)), list(findings.values())


def with_online(findings: Sequence[Finding], examined: Sequence[Examined]) -> list[Finding]:
    """The findings with those of the trackers' answers; a mistake in both is reported once.

    A missing token has its own severity where a request needs it.
    """
    online = [finding for tracker in examined for finding in tracker.findings]
    offline = {(finding.id, finding.message) for finding in findings}
    lacking = {finding.hint for finding in online if finding.id == "credential-missing"}
    kept = [
        finding
        for finding in findings
        if finding.id != "token-missing" or finding.hint not in lacking
    ]
    return kept + [finding for finding in online if (finding.id, finding.message) not in offline]


def count_increments(paths: ProjectPaths) -> int:
    """The number of increments, with units of other tools, as far as they can be listed."""
    with suppress(StoreError):
        return sum(1 for _ in collection_of(paths).folders())
    return 0


def _findings(project: ProjectSnapshot) -> Iterator[Finding]:
    root = project.root
    for check in (*PROJECT, *checks_of_layouts(), *WORK):
        yield from check.run(project, root)
    for tracker in project.trackers:
        for each in TRACKER:
            yield from each.run(tracker, root)
    yield from _of_records(project, READABLE)
    yield from _of_records(project.items, ITEMS)
    for check in TOGETHER:
        yield from check.run(project, root)


def _of_records(
    project: ProjectSnapshot, rows: Sequence[Check[ReadableIncrement]]
) -> Iterator[Finding]:
    root, later = project.root, list[Finding]()
    try:
        for files in project.each():
            first, checks = (FILES, rows) if has_records(files.folder) else (UNITS, DOCUMENTS)
            for check in first:
                yield from check.run(files, root, files.name)
            if readable := files.readable:
                for row in checks:
                    later += row.run(readable, root, files.name)
    except StoreError as error:
        yield from from_error(error, root)
    yield from later


def safe_fixes(workspace: Workspace) -> Iterator[Fix]:
    """The fixes that need no decision, in the order of the increments; writes nothing.

    unlatch reads the same from the files before and after; the cause is a crash or another tool.
    """
    project = ProjectSnapshot(workspace)
    for records, rows in ((project, READABLE), (project.items, ITEMS)):
        with suppress(StoreError):
            yield from _fixes(records, rows)


def _fixes(project: ProjectSnapshot, rows: Sequence[Check[ReadableIncrement]]) -> Iterator[Fix]:
    for files in project.increments:
        changes = [(row.id, row.fix(files)) for row in FILES if row.fix]
        if readable := files.readable:
            changes += [(row.id, row.fix(readable)) for row in rows if row.fix]
        for name, file_changes in changes:
            for path, before, after in file_changes:
                place = below(path, project.root)
                yield Fix(name, files.name, place, before, after, project.paths)


def apply_fix(workspace: Workspace, wanted: Fix) -> bool:
    """Write a fix as shown; False if the file has changed since."""
    path = workspace.paths.root / wanted.path
    with store_lock(wanted.paths, wanted.increment):
        if content_of(path) != wanted.before:
            return False
        if wanted.after is not None:
            replace_file(path, wanted.after)
        else:
            remove_file(path)
    return True
