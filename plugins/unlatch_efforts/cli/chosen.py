"""The effort of a command: its id, and its document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.cli.runtime.shells import complete_work
from unlatch.cli.terminal import output
from unlatch_efforts.store import effort_store, project_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import click
    from click.shell_completion import CompletionItem

    from unlatch.project.workspace import Workspace
    from unlatch_efforts.effort_model import Effort


def effort_entry(effort: Effort) -> output.Json:
    """The entry of an effort."""
    return {
        **output.fields(effort, "id", "title", "status", "summary", "lines", "increment"),
        **output.fields(effort, "created", "updated", "concluded"),
        "reopens": [
            output.fields(reopen, "at", "by", "reason", "prior_summary", "concluded")
            for reopen in effort.reopens
        ],
    }


def complete_effort(
    ctx: click.Context, _param: click.Parameter, begun: str
) -> list[CompletionItem[str]]:
    """The efforts of the project whose ids begin so, with their status."""
    return complete_work(ctx, begun, _efforts)


def _efforts(workspace: Workspace) -> Iterator[tuple[str, str]]:
    project = project_of(workspace)
    for effort in effort_store(workspace, by="").all():
        if project is None or effort.project == project:
            yield effort.id, effort.status.value
