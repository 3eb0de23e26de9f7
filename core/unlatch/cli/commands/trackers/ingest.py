"""unlatch ingest: process a webhook event of a tracker."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unlatch.cli.commands.trackers.sync import RunOptions, run_sync, sync_options
from unlatch.cli.runtime import output
from unlatch.cli.runtime.session import Session, with_session
from unlatch.project.registry import Registry
from unlatch.sync.ingest import event_sources, read_event
from unlatch.sync.sync import SyncOptions

if TYPE_CHECKING:
    from unlatch.cli.table import Entry

_FILE = click.Path(dir_okay=False, path_type=Path)


def command(entry: Entry) -> click.Command:
    """The command."""

    @click.command(entry.name, help=entry.own_help)
    @click.argument("file", metavar="FILE", type=_FILE)
    @click.option(
        "--from",
        "source",
        metavar="KIND",
        required=True,
        help=f"The kind of event in FILE: {' or '.join(event_sources(Registry()))}.",
    )
    @sync_options
    @with_session
    def ingest(session: Session, *, file: Path, source: str, run: RunOptions, **typed: Any) -> int:
        tracker, event = read_event(session.workspace.registry, source, file)
        session.workspace.check_config()
        if event.note is not None and not run.as_json:
            output.talk(f"Nothing to do ({output.clean(event.action)}): {event.note}.")
            return 0
        return run_sync(session, SyncOptions(event=(tracker, event), **typed), run)

    return ingest
