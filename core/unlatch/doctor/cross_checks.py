"""What is odd about increments only beside others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.doctor.finding import Finding, Severity, below
from unlatch.doctor.shape import pointer
from unlatch.increments.files.layout import METADATA
from unlatch.worklog.ids import number_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from unlatch.increments.files.layout import Folder
    from unlatch.increments.model.increment import Increment, Link


def same_names(folders: Iterable[Folder], root: Path) -> Iterator[Finding]:
    """Folders that one name, or one number, could mean."""
    names: dict[str, Folder] = {}
    numbers: dict[int | None, Folder] = {}
    for folder in folders:
        first = names.setdefault(folder.name, folder)
        namesake = numbers.setdefault(number_of(folder.name), folder)
        if first is not folder:
            yield Finding(
                Severity.ERROR,
                "folder-twice",
                f"there is another one of this name: {below(first.path, root)}",
                below(folder.path, root),
                "rename or remove one of the two",
                folder.name,
            )
        elif namesake is not folder:
            yield Finding(
                Severity.WARNING,
                "number-twice",
                f"{namesake.name} has the same number, so that only the folder's name tells them "
                "apart",
                below(folder.path, root),
                increment=folder.name,
            )


def shared_items(increments: Iterable[Increment], root: Path) -> Iterator[Finding]:
    """Items that several increments are tied to."""
    known: dict[tuple[str, str], Increment] = {}
    for increment in increments:
        for link in increment.links:
            first = known.setdefault(_identity(link), increment)
            if first is not increment:
                path = below(increment.folder / METADATA, root)
                yield Finding(
                    Severity.WARNING,
                    "item-shared",
                    f"{link.tracker} {link.item} is tied to {first.id}, too; it is closed when the "
                    "last of them is finished",
                    f"{path}:{pointer(link.path)}",
                    f"unlatch unlink {increment.id} {link.key} if that is wrong",
                    increment.id,
                )


def _identity(link: Link) -> tuple[str, str]:
    return link.tracker, (link.url or link.item).rstrip("/").casefold()
