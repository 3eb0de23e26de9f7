"""unlatch reopen with items: those of an increment are offered to resume."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from unlatch.cli.commands.items.change import Belongs, ItemOptions, change_items
from unlatch.cli.options.scope import take_scoping
from unlatch.cli.runtime import output
from unlatch.cli.runtime.failure import DECLINED
from unlatch.cli.runtime.session import is_interactive, is_item
from unlatch.errors import UsageError
from unlatch.increments.model.reopening import checked_reason
from unlatch.spi.operation import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from unlatch.cli.runtime.session import Session

# Options of resume that mean nothing for an item alone.
_OF_INCREMENTS = ("expressions", "reopen_items", "category", "force")


def reopen_items(
    session: Session, words: Sequence[str], options: dict[str, Any], resume: Callable[[str], int]
) -> int:
    """Reopen items; at a terminal, `resume` the increment that one of them belongs to."""
    if others := [word for word in words if not is_item(word)]:
        raise click.UsageError(f"name items or increments, not both: {others[0]}")
    typed, is_asked = _read(options)
    try:
        return _reopen(session, words, typed, is_asked=is_asked)
    except Belongs as belongs:
        if not is_asked:
            raise
        output.talk(f"{output.warn('!')} {output.clean(belongs.message)}")
        if output.confirm("Resume the increment instead?"):
            return resume(belongs.increment.id)
        output.talk("Nothing was changed. To reopen the item alone, add --item-only.")
        return DECLINED


def _read(options: dict[str, Any]) -> tuple[ItemOptions, bool]:
    """The options, and whether questions may be asked."""
    left = dict(options)
    scoping = take_scoping(left)
    if any([scoping, *(left.pop(one) for one in _OF_INCREMENTS)]):
        raise click.UsageError("options about increments do not go with items")
    is_asked = not left.pop("yes") and is_interactive() and not left["as_json"]
    return ItemOptions(kind=Kind.REOPEN, **left), is_asked


def _reopen(session: Session, words: Sequence[str], typed: ItemOptions, *, is_asked: bool) -> int:
    try:
        return change_items(session, words, typed)
    except UsageError as error:
        if error.id != "reason-missing" or typed.reason is not None or not is_asked:
            raise
        reason = output.ask("Reason for reopening", checked_reason)
        return change_items(session, words, replace(typed, reason=reason))
