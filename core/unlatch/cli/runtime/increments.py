"""The increments that the words of a command line mean."""

from __future__ import annotations

from contextlib import suppress
from shlex import quote
from typing import TYPE_CHECKING

import click

from unlatch.cli.terminal import output
from unlatch.errors import UnlatchError, UsageError
from unlatch.project.find_increment import (
    MeantIncrement,
    find_increment,
    find_range,
    is_item,
    is_range,
)
from unlatch.values import dataclass
from unlatch.worklog.name_matching import first_of, range_problem, reversed_range

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.cli.runtime.context import Context
    from unlatch.increments.model.link import Link

# The commands that do the same to an item alone.
_FOR_ITEMS = {
    "resume": "reopen",
    "reopen": "reopen",
    "complete": "close",
    "abandon": "close",
    "undo": "undo",
    "show": "status",
    "history": "status",
}


@dataclass(frozen=True, slots=True)
class Named:
    """The increments that a command names, each once.

    Args:
        is_many: whether the words could have meant several; a script gets the document for many
            also if a range has one increment.
        records: the context over the record of an item, whose name it is; None for increments.
    """

    names: tuple[str, ...]
    is_many: bool = False
    records: Context | None = None


def named_increments(context: Context, words: Sequence[str]) -> Named:
    """The increments that words mean, and those in ranges (1-12); UsageError: one means none."""
    names: dict[str, None] = {}
    is_many = len(words) > 1
    for word in words:
        in_range = find_range(context.workspace, word) if is_range(word) else ()
        if in_range:
            is_many = True
            output.note(f"{word} is {first_of(in_range)}")
        names |= dict.fromkeys(in_range or [named_increment(context, word)])
    return Named(tuple(names), is_many)


def named_increment(context: Context, word: str) -> str:
    """The name of the increment that a word means; raises and notes as `meant_increment`."""
    return meant_increment(context, word).name


def meant_increment(context: Context, word: str) -> MeantIncrement:
    """The increment that a word means; a note shows it for an item or a part of a name.

    Raises:
        UsageError: a word means no increment, or several.
    """
    try:
        meant = find_increment(context.workspace, word)
    except UsageError as error:
        if (renamed := _find_renamed(context, error, word)) is not None:
            output.note(f"{word} is linked to {renamed.name}")
            return renamed
        from unlatch.cli.runtime.suggest import Mistyped  # noqa: PLC0415  (loads click)

        _refuse_other_work(error, word)
        if error.id == "unknown-increment" and len(error.problems) == 1:
            raise Mistyped(error.id, error.message, typed=word, meant=error.problems) from error
        if error.id == "unknown-increment" and (forwards := reversed_range(word)):
            message = f"the range {word} runs backwards"
            raise Mistyped("range-reversed", message, typed=word, meant=[forwards]) from error
        if error.id == "unknown-increment" and (why := range_problem(word)):
            error.message += f": {why}"
            if in_range := find_range(context.workspace, word) if is_range(word) else ():
                error.message = (
                    f"this command takes one increment, and {word} is {first_of(in_range)}"
                )
                error.hint = f"{click.get_current_context().command_path} {quote(in_range[0])}"
        _suggest_item(error, word)
        raise
    if meant.is_part or meant.item:
        note_meaning(meant, word)
    return meant


def note_meaning(meant: MeantIncrement, word: str) -> None:
    """Show which increment a word means that is an item or a part of a name."""
    output.note(f"{word} is {'linked to ' if meant.item else ''}{meant.name}")


def _find_renamed(context: Context, error: UsageError, word: str) -> MeantIncrement | None:
    """The increment whose link has another name of the item's place, which its tracker knows."""
    is_offline = click.get_current_context().params.get("offline")
    if is_offline or error.id not in ("item-not-linked", "target-not-allowed"):
        return None
    from unlatch.project.linked import find_renamed  # noqa: PLC0415  (loads the trackers)

    manager = context.workspace.manager
    links: dict[str, Link] = {}
    with suppress(UnlatchError), context.trackers() as trackers:
        linked = find_renamed(context.workspace, trackers, word)
        links = {increment.id: link for increment, link in linked}
    if not links:
        return None
    name = manager.one_of([manager.find(name) for name in links], word).name
    return MeantIncrement(name, links[name].url or links[name].key)


def _refuse_other_work(error: UsageError, word: str) -> None:
    """Raise another error for a word such as effort:auth-bug."""
    from unlatch.cli.runtime.work_references import read_reference  # noqa: PLC0415

    if error.id == "unknown-increment" and (other := read_reference(word)):
        message = f"this command takes increments, and {word!r} is none"
        hint = f"unlatch {other.kind} --help shows the commands for it"
        raise UsageError(error.id, message, hint=hint) from error


def _suggest_item(error: UsageError, word: str) -> None:
    """Name the command for an item alone, which needs neither an increment nor a project."""
    command = _FOR_ITEMS.get(click.get_current_context().info_name or "")
    if command is None:
        return
    if error.id == "unknown-increment" and word.isdecimal():
        error.hint = f"{error.hint}; for item {word}: unlatch {command} {quote(f'#{word}')}"
    if error.id not in ("item-not-linked", "no-project"):
        return
    step = f"unlatch {command} {quote(word)}"
    if error.id == "item-not-linked":
        error.hint = step if is_item(word) else error.hint
        return
    if is_item(word):
        error.hint = f"{step}; for increments: {error.hint}"
    else:
        looks = "by its https:// address, or as octo/widgets#4 or SCRUM-28"
        error.message += f", and {word[:80]!r} names no item ({looks})"
