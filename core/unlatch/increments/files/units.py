"""The folders of other tools' units among the increments of a project."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.values import dataclass
from unlatch.worklog.collection import Folder

if TYPE_CHECKING:
    from pathlib import Path

    from unlatch.increments.model.unit import Unit


@dataclass(frozen=True, slots=True)
class UnitFolder(Folder):
    """unlatch's own folder for a unit; it may be missing.

    Args:
        namesake: another unit or increment that the records could be of.
    """

    unit: Unit | None = None
    namesake: Path | None = None


def unit_in(folder: Folder) -> Unit | None:
    """The unit that a folder is for; None for an increment with its documents."""
    return folder.unit if isinstance(folder, UnitFolder) else None


def namesake_of(folder: Folder) -> Path | None:
    return folder.namesake if isinstance(folder, UnitFolder) else None
