"""unlatch TRACKER status: items as their tracker has them now."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from unlatch.cli.commands.overview.list import tell_left_out
from unlatch.cli.commands.overview.show import item_entry
from unlatch.cli.commands.trackers.tracker_items import links_to
from unlatch.cli.render.describe import seen_line
from unlatch.cli.runtime import output
from unlatch.cli.runtime.session import JSON, Session, with_session
from unlatch.increments.model.increment import BrokenIncrement
from unlatch.lifecycle.fetch_items import fetch_items

if TYPE_CHECKING:
    from unlatch.increments.model.increment import Increment, Link
    from unlatch.lifecycle.fetch_items import ItemSnapshot
    from unlatch.spi import Manifest


def status_command(manifest: Manifest) -> click.Command:
    """The command that shows items."""

    @click.command(
        "status",
        help=f"The {manifest.noun}s of increments as they are now; of all that have any "
        "without an ID. (reads trackers)",
    )
    @click.argument("wanted", metavar="[ID...]", nargs=-1)
    @JSON
    @with_session
    def run(session: Session, *, wanted: tuple[str, ...], as_json: bool) -> int:
        found, broken = _linked(session, manifest, wanted)
        links = [(increment, link) for increment, links in found for link in links]
        with session.trackers() as trackers:
            seen = fetch_items(trackers, dict.fromkeys(link for _, link in links))
        by_link = {one.link: one for one in seen}
        told = [(increment, by_link[link]) for increment, link in links]
        errors = [one.error for one in seen if one.error is not None]
        if seen and len(errors) == len(seen):
            raise errors[0]
        left_out = tell_left_out(broken)
        code = 1 if errors else left_out
        if as_json:
            output.document("tracker-status", code, **_status_document(manifest, found, told))
        else:
            _tell_status(session, told, several=len(found) > 1)
        return code

    return run


def _linked(
    session: Session, manifest: Manifest, wanted: tuple[str, ...]
) -> tuple[list[tuple[Increment, tuple[Link, ...]]], list[BrokenIncrement]]:
    """The increments with their links, and those that cannot be read."""
    manager = session.workspace.manager
    if wanted:
        named = [manager.read(one) for one in wanted]
        return [(increment, links_to(increment, manifest, None)) for increment in named], []
    found, broken = [], []
    for increment in manager.list():
        if isinstance(increment, BrokenIncrement):
            broken.append(increment)
            continue
        links = tuple(link for link in increment.links if link.tracker == manifest.name)
        if links:
            found.append((increment, links))
    return found, broken


def _status_document(
    manifest: Manifest,
    found: list[tuple[Increment, tuple[Link, ...]]],
    told: list[tuple[Increment, ItemSnapshot]],
) -> output.Json:
    return {
        "tracker": manifest.name,
        "increments": [
            {
                "id": increment.id,
                "status": increment.status,
                "items": [item_entry(seen) for of, seen in told if of is increment],
            }
            for increment, _ in found
        ],
    }


def _tell_status(
    session: Session, told: list[tuple[Increment, ItemSnapshot]], *, several: bool
) -> None:
    before = None
    for increment, seen in told:
        if several and increment is not before:
            output.data(f"{output.strong(increment.id)} ({increment.status})")
        before = increment
        line = seen_line(session.workspace.registry, seen, columns=14)
        output.data(line if several else line.strip())
        if seen.error is not None and seen.error.hint:
            output.data(f"        {output.clean(seen.error.hint)}")
    if not told:
        output.talk("No increment has an item there.")
