"""The ids of other work than increments, for completion by shells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.cli.runtime.aliases import PLAIN
from unlatch.cli.runtime.passing import context_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import click
    from click.shell_completion import CompletionItem

    from unlatch.project.workspace import Workspace


def complete_work(
    ctx: click.Context, begun: str, find: Callable[[Workspace], Iterable[tuple[str, str | None]]]
) -> list[CompletionItem[str]]:
    """The work whose ids begin so, with the status where `find` has one."""
    from click.shell_completion import CompletionItem  # noqa: PLC0415

    try:
        found = dict(sorted(find(context_of(ctx).workspace)))
    except Exception:  # noqa: BLE001  # a message would break the line that is being typed
        return []
    return [
        CompletionItem(name, help=shown)
        for name, shown in found.items()
        if name.startswith(begun) and PLAIN.fullmatch(name)
    ]
