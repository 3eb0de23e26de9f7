"""unlatch ingest: take in what a tracker tells of an item."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unlatch.cli.commands.trackers.publish import COMMIT
from unlatch.cli.commands.trackers.sync import Sync, SyncOptions
from unlatch.cli.options.delivery import YES, serving
from unlatch.cli.runtime import output
from unlatch.cli.runtime.session import BY, JSON, Session, with_session
from unlatch.project.registry import Registry
from unlatch.spi.operation import Kind
from unlatch.sync.ingest import read_message, sources

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
        help=f"What FILE holds: {' or '.join(sources(Registry()))}.",
    )
    @click.option(
        "--max-items", type=click.IntRange(min=1), help="How many items may be written to."
    )
    @click.option("--force", is_flag=True, help="Complete increments whose tasks are open, too.")
    @COMMIT
    @BY
    @YES
    @serving(*Kind)
    @JSON
    @with_session
    def run(
        session: Session, *, file: Path, source: str, by: str | None, as_json: bool, **typed: Any
    ) -> int:
        message = read_message(session.workspace.registry, source, file)
        session.workspace.check_config()
        event = message[1]
        if event.note is not None and not as_json:
            output.talk(f"Nothing to do ({output.clean(event.action)}): {event.note}.")
            return 0
        with session.trackers() as trackers:
            wanted = SyncOptions(message=message, **typed)
            done = Sync(session, trackers, wanted, by=session.who(by), silent=as_json)
            return done.run(as_json=as_json)

    return run
