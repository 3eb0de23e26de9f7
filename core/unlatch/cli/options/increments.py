"""The arguments of commands that name increments: completed by shells, picked at a terminal."""

from __future__ import annotations

from functools import partial
from itertools import islice
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from unlatch.cli.runtime.context import can_pick
from unlatch.cli.runtime.increments import Named, named_increment, named_increments
from unlatch.cli.runtime.passing import context_of
from unlatch.cli.terminal import output
from unlatch.errors import UsageError
from unlatch.worklog.text.neutral import visible

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from unlatch.increments.model.increment import Increment

# The command that helps if there is nothing to choose for another.
_NEXT = {
    "start": "unlatch resume ID for finished work, or unlatch new TITLE",
    "unlink": "unlatch link ID URL",
}
# Titles are read from files, one for each increment.
_MOST_TITLES = 200


class IncrementArgument(click.Argument):
    """An argument that names increments.

    Shells complete their names and show their titles. Where it is required and missing, the user
    picks one at a terminal.
    """

    def process_value(self, ctx: click.Context, value: Any) -> Any:
        if ctx.resilient_parsing:
            return value  # the callback would print notes into the line that is being typed
        try:
            return super().process_value(ctx, value)
        except click.MissingParameter:
            if (picked := pick_increment(ctx)) is None:
                raise
            return super().process_value(ctx, picked if self.nargs == 1 else (picked,))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        is_group = isinstance(ctx.command, click.Group)
        commands = ctx.command.shell_complete(ctx, incomplete) if is_group else []
        try:
            return [*self._completions(ctx, incomplete), *commands]
        except Exception:  # noqa: BLE001  # a message would break the line that is being typed
            return commands

    def _completions(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        from unlatch.cli.runtime.aliases import PLAIN  # noqa: PLC0415  (only for shells)
        from unlatch.lifecycle.candidates import find_candidates  # noqa: PLC0415

        typed = ctx.params.get(self.name or "")
        without = typed if isinstance(typed, tuple) else ()
        candidates = find_candidates(
            context_of(ctx).workspace, ctx.info_name or "", begins=incomplete, without=without
        )
        plain = (increment for increment in candidates if PLAIN.fullmatch(increment.id))
        titled = [_item(increment, titled=True) for increment in islice(plain, _MOST_TITLES)]
        others = [_item(increment, titled=False) for increment in plain]
        return [*titled, *others]


def _item(increment: Increment, *, titled: bool) -> CompletionItem[str]:
    from click.shell_completion import CompletionItem  # noqa: PLC0415

    return CompletionItem(increment.id, help=_on_a_line(increment.title) if titled else None)


def _on_a_line(text: str) -> str:
    return visible(output.clean(text))


def pick_increment(ctx: click.Context) -> str | None:
    """The name of the increment that the user picks for a command.

    None without a terminal that can show a menu.

    Raises:
        UsageError: `nothing-to-choose`: the command can act on no increment.
        UnlatchError: the increments cannot be listed.
        prompts.Unanswered: the user interrupted it.
        click.exceptions.Exit: the user left it; nothing is changed.
    """
    if not can_pick():
        return None
    from unlatch.lifecycle.candidates import (  # noqa: PLC0415
        find_candidates,
        likely_first,
        why_none,
    )

    command, workspace = ctx.info_name or "", context_of(ctx).workspace
    candidates = likely_first(find_candidates(workspace, command), command)
    if not candidates:
        has_any = any(workspace.manager.collection.folders())
        why = why_none(command) if has_any else "there is no increment"
        hint = _NEXT.get(command, "unlatch list --all") if has_any else "unlatch new TITLE"
        raise UsageError("nothing-to-choose", f"nothing to {command}: {why}", hint=hint)
    from unlatch.cli.runtime.picker import pick  # noqa: PLC0415  (slow to load)

    rows = {
        increment.id: (
            _on_a_line(increment.id),
            increment.status.value,
            _on_a_line(increment.title),
        )
        for increment in candidates
    }
    return pick(f"{ctx.command_path}: ", rows)


def increment_id(ctx: click.Context, _: click.Parameter, value: str) -> str:
    """The name of the increment that an argument means; UsageError: none or several."""
    return named_increment(context_of(ctx), value)


def increment_ids(ctx: click.Context, _: click.Parameter, value: tuple[str, ...]) -> Named:
    """The increments that an argument means; UsageError: one names none or several."""
    return named_increments(context_of(ctx), value)


def undone_ids(ctx: click.Context, parameter: click.Parameter, value: tuple[str, ...]) -> Named:
    """The increments, or the item that belongs to none; UsageError: a word means neither."""
    from unlatch.cli.options.items import typed_items  # noqa: PLC0415  (of one command)

    context, words = context_of(ctx), typed_items(ctx, parameter, value)
    try:
        return named_increments(context, words)
    except UsageError as error:
        if not all(map(context.is_item, words)):
            raise
        if len(words) > 1:
            message, first = "undo takes one item that belongs to no increment", quote(words[0])
            raise UsageError("several-items", message, hint=f"unlatch undo {first}") from error
        from unlatch.cli.runtime.item_words import reopened_record  # noqa: PLC0415  (slow to load)

        records, name = reopened_record(context, words[0])
    return Named((name,), records=records)


# An argument of a command that names increments.
increment_argument = partial(click.argument, cls=IncrementArgument)
ID = increment_argument("wanted", metavar="ID", callback=increment_id)
IDS = increment_argument("named", metavar="ID...", callback=increment_ids, nargs=-1, required=True)
UNDONE = increment_argument(
    "named", metavar="ID|ITEM...", callback=undone_ids, nargs=-1, required=True
)
