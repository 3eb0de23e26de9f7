"""Which of a checkout's changed files are increments' own, and so ours to commit."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from unlatch.increments.files.layout import EVENTS, METADATA, SPEC, TASKS
from unlatch.worklog.ids import number_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# A spec or a list of tasks that was changed alone was changed by a person.
_TELLING = frozenset({METADATA, EVENTS})
_OURS = _TELLING | {SPEC, TASKS}


@dataclass(frozen=True, slots=True)
class OwnFiles:
    """Changed files of increments.

    Args:
        paths: from the top of the checkout.
        increments: the folders' names.
    """

    paths: tuple[str, ...]
    increments: tuple[str, ...]


def merge_attributes(below: str) -> str:
    """How git shall merge them, for a clone that .gitattributes does not tell."""
    return f"/{below}/**/{METADATA} merge=unlatch\n/{below}/**/{EVENTS} merge=union\n"


@dataclass(frozen=True, slots=True)
class _Changed:
    path: str
    is_gone: bool
    is_new: bool


def own_files(status: bytes, *, below: str) -> OwnFiles:
    """What of `git status --porcelain -z --no-renames` is ours.

    Args:
        below: the folder of the increments, from the top of the checkout.
    """
    groups: dict[str, dict[str, list[_Changed]]] = {}
    for one in _entries(status):
        if place := _place(one.path, below):
            groups.setdefault(place[0], {}).setdefault(place[1], []).append(one)
    ours = {name: inner for name, inner in groups.items() if inner.keys() & _TELLING}
    paths = [path for inner in ours.values() for path in _paths(inner)]
    return OwnFiles(tuple(sorted(paths)), tuple(sorted(ours)))


def _paths(inner: Mapping[str, Iterable[_Changed]]) -> Iterable[str]:
    for name, changes in inner.items():
        # A folder that was taken out of the archive moved with all that is in it.
        is_moved = any(one.is_gone for one in changes) and any(one.is_new for one in changes)
        if name in _OURS or is_moved:
            yield from (one.path for one in changes)


def _entries(status: bytes) -> Iterable[_Changed]:
    for entry in filter(None, os.fsdecode(status).split("\0")):
        code, path = entry[:2], entry[3:]
        yield _Changed(path, "D" in code, code == "??" or "A" in code)


def _place(path: str, below: str) -> tuple[str, str] | None:
    """The increment's folder that a file lies in, and its path there."""
    try:
        parts = PurePosixPath(path).relative_to(below).parts
    except ValueError:
        return None
    start = 1 if parts[0].startswith("_") else 0
    if len(parts) < start + 2 or number_of(parts[start]) is None:
        return None
    return parts[start], "/".join(parts[start + 1 :])
