"""The argument of a command that names increments."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from unlatch.cli.runtime import output
from unlatch.worklog.neutral import visible

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.shell_completion import CompletionItem

    from unlatch.increments.model.increment import Increment
    from unlatch.project.workspace import Workspace

# A shell inserts a completion without quoting it, so names with other characters are left out.
_PLAIN = re.compile(r"\w[\w.+@-]*")
# Titles are read from files, one for each increment.
_MOST_TITLES = 200


class IncrementArgument(click.Argument):
    """An argument that names increments: shells complete their names, and show their titles.

    Args:
        workspace_of: the workspace of a command; raises UnlatchError.
    """

    def __init__(
        self, *args: Any, workspace_of: Callable[[click.Context], Workspace], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self._workspace_of = workspace_of

    def process_value(self, ctx: click.Context, value: Any) -> Any:
        # The callback would print notes into the line that is being typed.
        return value if ctx.resilient_parsing else super().process_value(ctx, value)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        try:
            return self._completions(ctx, incomplete)
        except Exception:  # noqa: BLE001  # a message would break the line that is being typed
            return []

    def _completions(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        from unlatch.lifecycle.candidates import find_candidates  # noqa: PLC0415

        typed = ctx.params.get(self.name or "")
        without = typed if isinstance(typed, tuple) else ()
        found = find_candidates(
            self._workspace_of(ctx), ctx.info_name or "", begins=incomplete, without=without
        )
        plain = (one for one in found if _PLAIN.fullmatch(one.id))
        titled = [_item(one, titled=True) for one in islice(plain, _MOST_TITLES)]
        others = [_item(one, titled=False) for one in plain]
        return [*titled, *others]


def _item(one: Increment, *, titled: bool) -> CompletionItem[str]:
    from click.shell_completion import CompletionItem  # noqa: PLC0415

    return CompletionItem(one.id, help=visible(output.clean(one.title)) if titled else None)
