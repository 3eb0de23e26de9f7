"""unlatch effort list, show and search."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unlatch.cli.options.common import with_json
from unlatch.cli.render.describe import lines_of
from unlatch.cli.runtime.failure import error_lines
from unlatch.cli.terminal import output
from unlatch_efforts.cli.chosen import complete_effort, effort_entry
from unlatch_efforts.cli.conversation import CONVERSATION, store_of, tell_broken
from unlatch_efforts.conversation import Conversation
from unlatch_efforts.effort_model import Status
from unlatch_efforts.entries import entry_text, speaker
from unlatch_efforts.state import expanded_in

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from unlatch.cli.runtime.context import Context

_SHOWN = 10


@click.command("list", help="List efforts, most recently changed first. (local)")
@click.option(
    "--status",
    type=click.Choice([status.value for status in Status]),
    metavar="STATUS",
    help="Select efforts by status (open or concluded).",
)
@CONVERSATION
@with_json
def list_effort(context: Context, *, status: str | None, conversation: str, as_json: bool) -> int:
    store = store_of(context)
    state = Conversation(store, conversation).state()
    efforts = [effort for effort in store.all() if status is None or effort.status == status]
    for error in store.unreadable():
        output.talk(*error_lines(error))
    expanded = expanded_in(state, store.all())
    if as_json:
        entries = [effort_entry(effort) for effort in efforts]
        output.document("effort-list", active=state.active, expanded=expanded, efforts=entries)
        return 0
    rows = [
        (
            effort.id + _mark(effort.id, state.active, expanded),
            effort.status.value,
            f"{effort.updated:%Y-%m-%d}",
            str(effort.lines),
            effort.summary or effort.title,
        )
        for effort in efforts
    ]
    if rows:
        output.table(("Effort", "Status", "Changed", "Lines", "Summary"), rows, flexible=(4,))
    else:
        output.talk("No efforts. Next: unlatch effort open NAME")
    return 0


def _mark(effort: str, active: str | None, expanded: Sequence[str]) -> str:
    if effort == active:
        return " (active)"
    return " (expanded)" if effort in expanded else ""


@click.command("show", help="Show an effort and the end of its log. (local)")
@click.argument("effort", metavar="ID", shell_complete=complete_effort)
@click.option(
    "--lines",
    type=click.IntRange(min=0),
    default=_SHOWN,
    show_default=True,
    metavar="N",
    help="Number of messages to show.",
)
@with_json
def show_effort(context: Context, *, effort: str, lines: int, as_json: bool) -> int:
    store = store_of(context)
    record = store.find(effort)
    numbered = list(store.transcript(record.id).numbered())
    log = [line for _, line in numbered if line is not None]
    end = log[max(0, len(log) - lines) :]
    tell_broken(record.id, [number for number, line in numbered if line is None])
    if as_json:
        output.document("effort-show", effort=effort_entry(record), log=end)
        return 0
    output.data(*output.hang(f"{output.strong(record.id)}  ", output.clean(record.title)))
    output.data(f"  Status    {record.status}")
    output.data(f"  Opened    {record.created:%Y-%m-%d %H:%M}")
    output.data(f"  Changed   {record.updated:%Y-%m-%d %H:%M}")
    if record.increment:
        output.data(f"  Increment {output.clean(record.increment)}")
    for reopen in record.reopens:
        output.data(*_concluded(reopen.concluded, reopen.prior_summary))
        head = f"Reopened  {reopen.at:%Y-%m-%d %H:%M} by {output.clean(reopen.by)}"
        output.data(*lines_of("  ", f"{head}: " if reopen.reason else head, reopen.reason or ""))
    if not record.is_open:
        output.data(*_concluded(record.concluded, record.summary))
    for entry in end:
        output.data(f"{output.clean(speaker(entry))}: {output.clean(entry_text(entry))}")
    return 0


def _concluded(at: datetime | None, summary: str | None) -> Sequence[str]:
    when = f"{at:%Y-%m-%d %H:%M}" if at else "at an unknown time"
    head = f"Concluded {when}"
    return lines_of("  ", f"{head}: " if summary else head, summary or "")


@click.command("search", help="Find efforts by their titles, summaries and logs. (local)")
@click.argument("words", nargs=-1, required=True)
@with_json
def search_effort(context: Context, *, words: tuple[str, ...], as_json: bool) -> int:
    from unlatch.cli.commands.overview.search import run_search  # noqa: PLC0415  (loads SQLite)

    return run_search(context, words, kinds=("effort",), as_json=as_json)
