"""The ids of efforts and other work, for completion by shells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.cli.runtime.aliases import PLAIN
from unlatch.cli.runtime.context import session_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import click
    from click.shell_completion import CompletionItem

    from unlatch.project.workspace import Workspace


def complete_effort(
    ctx: click.Context, _param: click.Parameter, begun: str
) -> list[CompletionItem[str]]:
    """The efforts of the project whose ids begin so, with their status."""
    return complete_work(ctx, begun, _efforts)


def complete_work(
    ctx: click.Context, begun: str, find: Callable[[Workspace], Iterable[tuple[str, str | None]]]
) -> list[CompletionItem[str]]:
    """The work whose ids begin so, with the status where `find` has one."""
    from click.shell_completion import CompletionItem  # noqa: PLC0415

    try:
        found = dict(sorted(find(session_of(ctx).workspace)))
    except Exception:  # noqa: BLE001  # a message would break the line that is being typed
        return []
    return [
        CompletionItem(name, help=shown)
        for name, shown in found.items()
        if name.startswith(begun) and PLAIN.fullmatch(name)
    ]


def _efforts(workspace: Workspace) -> Iterator[tuple[str, str]]:
    from unlatch.efforts.store import project_of  # noqa: PLC0415
    from unlatch.resume.related import efforts_of  # noqa: PLC0415

    if store := efforts_of(workspace):
        project = project_of(workspace)
        for one in store.all():
            if project is None or one.project == project:
                yield one.id, one.status.value
