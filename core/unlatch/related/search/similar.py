"""Warnings about work that was done before, for commands that begin or link something."""

from __future__ import annotations

from contextlib import suppress
from shlex import quote
from typing import TYPE_CHECKING

from unlatch.errors import StoreError, UnlatchError
from unlatch.related.kinds import kind_named
from unlatch.related.search.search import Found, search

if TYPE_CHECKING:
    from unlatch.project.workspace import Workspace

_MOST = 3
# For indexing new work of each kind. A first index of thousands takes many times as long; the rest
# is left to later calls and to `unlatch search`.
_SECONDS = 0.5
_CLOSED = frozenset({"completed", "abandoned", "concluded"})


def similar_work(workspace: Workspace, title: str, *, apart: str) -> tuple[UnlatchError, ...]:
    """A warning for each likely match of a title, except the increment `apart`."""
    results: list[Found] = []
    with suppress(UnlatchError):  # an index that cannot be used stops nothing
        results = search(workspace, title, limit=_MOST + 1, seconds=_SECONDS).found
    likely = [result for result in results if result.is_likely and result.work.id != apart]
    return tuple(map(_warning, likely[:_MOST]))


def _warning(result: Found) -> UnlatchError:
    work, words = result.work, ", ".join(dict.fromkeys(match.word for match in result.why))
    message = f"similar {result.kind}: {work.id} ({work.status}), by the words {words}"
    if work.status not in _CLOSED:
        return StoreError("similar-work", message)
    verb = _verb(result.kind)
    command = f"unlatch {verb} {quote(work.id)}"
    return StoreError("similar-work", f"{message}; to continue it: {command}", hint=command)


def _verb(kind: str) -> str:
    """The command that resumes work of a kind."""
    return "resume" if kind == "increment" else f"{kind} {kind_named(kind).verbs['resume']}"
