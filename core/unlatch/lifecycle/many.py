"""Change several increments one after the other; one that fails leaves the others done."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from unlatch.errors import UnlatchError
from unlatch.lifecycle.change import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from unlatch.project.workspace import Workspace

T = TypeVar("T")


def change_each(
    workspace: Workspace,
    names: Iterable[str],
    change: Callable[[str], T],
    report: Callable[[T | Refusal], None] = lambda _: None,
) -> list[T | Refusal]:
    """Apply `change` to increments by name; each result is on disk before it is reported."""
    done: list[T | Refusal] = []
    for name in names:
        try:
            one: T | Refusal = change(name)
        except UnlatchError as error:
            before = None
            with suppress(UnlatchError):
                before = workspace.manager.read(name)
            one = Refusal(name, error, before)
        done.append(one)
        report(one)
    return done
