"""Kinds of work that cannot be read, so that the others still are."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from unlatch.errors import StoreError, UnlatchError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


@contextmanager
def collecting_unread(kind: str, unread: dict[str, UnlatchError]) -> Iterator[None]:
    """Put the error of a kind of work that cannot be listed into `unread`."""
    try:
        yield
    except UnlatchError as error:
        unread[kind] = error


def unread_warnings(unread: Mapping[str, UnlatchError]) -> tuple[UnlatchError, ...]:
    """The errors of kinds of work, as warnings that name the kind."""
    return tuple(_warning(kind, error) for kind, error in unread.items())


def _warning(kind: str, error: UnlatchError) -> UnlatchError:
    why = "; ".join(error.problems) or error.message
    message = f"{kind}s were not read: {why}"
    return StoreError(error.id, message, where=error.where, hint=error.hint)
