"""The arguments and options of commands on items."""

from contextlib import suppress
from shlex import quote

import click

from unlatch.cli.options.common import flag, text_option
from unlatch.cli.runtime.passing import context_of
from unlatch.cli.terminal import output
from unlatch.errors import UnlatchError, UsageError
from unlatch.project.find_increment import is_item
from unlatch.project.workspace import Workspace

# The commands that do the same to an increment.
_FOR_INCREMENTS = {"close": "complete", "status": "show"}


def check_items(
    ctx: click.Context, _parameter: click.Parameter, value: tuple[str, ...]
) -> tuple[str, ...]:
    """The items; refuses numbers where there are increments, which they may be.

    Raises:
        UsageError: `unknown-item`.
    """
    words = typed_items(ctx, _parameter, value)
    for word in words:
        if not is_item(word):
            message = f"{word!r} is not an item's address or name"
            raise UsageError("unknown-item", message, hint=_step_for(ctx, word))
    return words


def typed_items(
    ctx: click.Context,
    _parameter: click.Parameter,
    value: tuple[str, ...],
    *,
    numbers: bool = True,
) -> tuple[str, ...]:
    """The words of a command for items, which ends where none is left; `numbers` as `items_typed`.

    Raises:
        UsageError: `unknown-item`.
    """
    from unlatch.cli.runtime.item_words import items_typed  # noqa: PLC0415  (slow to load)

    words = items_typed(context_of(ctx), value, numbers=numbers)
    if value and not words:
        output.talk("Nothing to do: the list on stdin is empty.")
        ctx.exit()
    return words


def _step_for(ctx: click.Context, word: str) -> str:
    hint = "paste the item's address, or its name: octo/widgets#4, SCRUM-28"
    command = _FOR_INCREMENTS.get(ctx.info_name or "")
    if command is None or word.startswith("#"):
        return hint
    return f"for an increment: unlatch {command} {quote(word)}; for an item: {hint}"


def example_address(workspace: Workspace) -> str:
    """The form of an item's address in a configured target; itself the address of no item."""
    trackers = workspace.settings.values()
    for settings in trackers:
        for shape in ("4", "{}#4", "{}-4"):  # the ids that `locate` takes
            with suppress(UnlatchError):
                ref = settings.locate(shape.format(settings.target), None)
                address = f"{ref.url.removesuffix('4')}NUMBER"
                is_item = any(settings.recognise(address) for settings in trackers)
                if settings.allows(ref) and ref.url.endswith("4") and not is_item:
                    return address
    return "URL"


ITEMS = click.argument("items", metavar="ITEM...", callback=check_items, nargs=-1, required=True)
ITEM_ONLY = flag("--item-only", help="Change the item although it belongs to an increment.")
COMMENT_ANYWAY = flag(
    "--comment-anyway", help="Also comment on items that are in that state already."
)
KEY = text_option(
    "--key",
    metavar="TEXT",
    help="Recognize a repeated command by TEXT in place of the reason.",
)
MAX_ITEMS = click.option(
    "--max-items", type=click.IntRange(min=1), help="Maximum number of items to change."
)
