"""A finding, and a check as a row of the table of checks."""

from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Any, Generic, TypeVar

from unlatch.errors import ConfigError, StoreError, UnlatchError
from unlatch.increments.files.paths import ProjectPaths
from unlatch.values import dataclass


class Severity(StrEnum):
    """An error stops something from working; a warning is only unusual."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Finding:
    """One problem or remark; `where` is a file, with a JSON pointer or a line after a colon."""

    severity: Severity
    id: str
    message: str
    where: str | None = None
    hint: str | None = None
    increment: str | None = None


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting in force; `source` is a file, an environment variable or "default"."""

    key: str
    value: Any
    source: str


@dataclass(frozen=True, slots=True)
class Fix:
    """One file, from the project's root, before and after the fix; None means no file.

    Args:
        paths: the paths of the increment, or of the record of an item.
    """

    id: str
    increment: str
    path: str
    before: bytes | None
    after: bytes | None
    paths: ProjectPaths


@dataclass(frozen=True, slots=True)
class Found:
    """A hit of a check; the fields are those of a finding."""

    message: str
    where: Path | str | None = None
    hint: str | None = None
    increment: str | None = None


S = TypeVar("S")
# A file with its content before and after; None means no file.
FileChange = tuple["Path", bytes | None, bytes | None]
Hits = Iterable[Found | UnlatchError]
# The next step if the fix is safe.
FIX = "unlatch doctor --fix"


@dataclass(frozen=True, slots=True)
class Check(Generic[S]):
    """A row of the table of checks.

    Args:
        id: the id of its findings; an error has its own id, and ends the check.
        fix: the changes that fix the hits and need no decision.
    """

    id: str
    severity: Severity
    find: Callable[[S], Hits]
    fix: Callable[[S], Iterable[FileChange]] | None = None

    def run(self, subject: S, root: Path, increment: str | None = None) -> Iterator[Finding]:
        try:
            for hit in self.find(subject):
                yield from self._findings(hit, root, increment)
        except (ConfigError, StoreError) as error:
            yield from self._findings(error, root, increment)
        except PermissionError as error:
            message, hint = f"cannot be read: {error.strerror}", "check its permissions"
            where = str(root / (error.filename or ""))
            denied = StoreError("folder-unreadable", message, where=where, hint=hint)
            yield from self._findings(denied, root, increment)

    def _findings(
        self, hit: Found | UnlatchError, root: Path, increment: str | None
    ) -> Iterator[Finding]:
        if isinstance(hit, Found):
            where = None if hit.where is None else below(hit.where, root)
            name = hit.increment or increment
            yield Finding(self.severity, self.id, hit.message, where, hit.hint, name)
            return
        # An error of a warning's check is a warning as well.
        severity = Severity.WARNING if self.severity is Severity.WARNING else Severity.ERROR
        yield from from_error(hit, root, severity, increment)


def from_error(
    error: UnlatchError,
    root: Path,
    severity: Severity = Severity.ERROR,
    increment: str | None = None,
) -> Iterator[Finding]:
    """The findings for an error: one for each of its problems."""
    where = error.where and below(error.where, root)
    if not isinstance(error, ConfigError):
        yield Finding(severity, error.id, error.message, where, error.hint, increment)
        return
    hint = error.hint or "correct this setting by hand"
    for message in error.problems:
        yield Finding(severity, error.id, message, where, hint, increment)


def below(path: Path | str, root: Path) -> str:
    """A path from the project's root."""
    return str(path).removeprefix(f"{root}/").removeprefix(f"{root}\\")


def several(
    find: Callable[[S], Iterable[tuple[str, Found]]],
) -> Callable[[str], Callable[[S], Hits]]:
    """Share one search between checks for different ids of its hits."""
    # The checks of one subject are adjacent.
    search = lru_cache(maxsize=1)(lambda subject: tuple(find(subject)))

    def with_id(id: str) -> Callable[[S], Hits]:
        return lambda subject: [hit for name, hit in search(subject) if name == id]

    return with_id


def sharing(
    search: Callable[[str], Callable[[S], Hits]], severity: Severity, *ids: str
) -> tuple[Check[S], ...]:
    """The rows that share one search."""
    return tuple(Check(name, severity, search(name)) for name in ids)
