"""What the doctor reports."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from unlatch.errors import UnlatchError


class Severity(StrEnum):
    """How much a finding matters."""

    # Something does not work until it is mended.
    ERROR = "error"
    # Everything works, and yet somebody should know.
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that was found.

    Args:
        severity: how much it matters.
        id: stable kebab-case name.
        message: what was found, in one sentence.
        where: the file, below the project's root, with a JSON pointer or a line behind a colon.
        hint: the next thing to do.
        increment: the increment that it concerns.
    """

    severity: Severity
    id: str
    message: str
    where: str | None = None
    hint: str | None = None
    increment: str | None = None


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting as it is in force.

    Args:
        key: its dotted key.
        value: its value, as TOML and JSON know it.
        source: the file or environment variable that it came from, or "default".
    """

    key: str
    value: Any
    source: str


DEFAULT = "default"
# The next thing to do about what can be mended without deciding anything.
FIX = "unlatch doctor --fix"


def from_error(
    error: UnlatchError,
    root: Path,
    *,
    severity: Severity = Severity.ERROR,
    increment: str | None = None,
) -> Finding:
    """The finding that an error amounts to."""
    where = error.where and below(error.where, root)
    return Finding(severity, error.id, error.message, where, error.hint, increment)


def below(path: Path | str, root: Path) -> str:
    """A path as people know it: from the project's root."""
    return str(path).removeprefix(f"{root}/").removeprefix(f"{root}\\")
