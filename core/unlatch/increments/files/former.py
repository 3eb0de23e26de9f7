"""Increments by the ids that their metadata.json records: the present one, and earlier ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.errors import StoreError
from unlatch.increments.files.metadata_file import FORMER, ID_KEYS
from unlatch.increments.files.paths import METADATA
from unlatch.worklog.disk.safe_open import read_file
from unlatch.worklog.json_text import json_object

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from unlatch.worklog.collection import Folder


def recorded_ids(folder: Path, *, naming: str = "") -> frozenset[str]:
    """The present and earlier ids of an increment; none if its file cannot be read.

    Args:
        naming: a text without which the file is not parsed.
    """
    try:
        raw = read_file(folder / METADATA)
    except (OSError, StoreError):  # doctor reports it
        return frozenset()
    # JSON may spell other letters as escapes.
    return ids_in(raw) if naming.encode() in raw or not naming.isascii() else frozenset()


def ids_in(metadata: bytes | str) -> frozenset[str]:
    """The same in the content of metadata.json; none if it cannot be read."""
    data = json_object(metadata)
    former = data.get(FORMER)
    values = [*map(data.get, ID_KEYS), *(former if isinstance(former, list) else ())]
    return frozenset(value for value in values if isinstance(value, str))


def once_named(folders: Iterable[Folder], name: str) -> list[Folder]:
    """The folders of increments that had exactly this id before they were renamed."""
    if "-" not in name:  # a number
        return []
    return [folder for folder in folders if name in recorded_ids(folder.path, naming=name)]
