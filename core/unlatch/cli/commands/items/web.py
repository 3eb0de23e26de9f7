"""Open items in the browser, for --web."""

from __future__ import annotations

import webbrowser
from shlex import quote
from typing import TYPE_CHECKING

import click

from unlatch.cli.runtime.item_words import find_groups
from unlatch.cli.runtime.picker import pick_link
from unlatch.cli.terminal import output
from unlatch.errors import UsageError
from unlatch.lifecycle.items.change import locate_items
from unlatch.project.trackers import Trackers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.cli.runtime.context import Context
    from unlatch.increments.model.increment import Increment


def open_items(context: Context, words: Sequence[str]) -> int:
    """Open named items; none is opened if one is refused."""
    addresses: list[str] = []
    for group in find_groups(context, words):
        trackers = Trackers(group.workspace)
        addresses += map(trackers.web_address, locate_items(trackers, group.words))
    for address in addresses:
        open_page(address)
    return 0


def open_item_of(context: Context, increment: Increment, tracker: str | None) -> int:
    """Open the item of an increment; of several, the one that the user picks.

    Raises:
        UsageError: `no-link`; `several-items` without a terminal.
    """
    trackers = Trackers(context.workspace)
    if tracker is not None:
        context.workspace.registry.manifest(tracker)
    links = [link for link in increment.links if tracker in (None, link.tracker)]
    if not links:
        on = f" on {tracker}" if tracker else ""
        hint = f"unlatch link {quote(increment.id)} URL"
        raise UsageError("no-link", f"{increment.id} has no item{on}", hint=hint)
    link = pick_link(links, f"{click.get_current_context().command_path} --web: ")
    if link is None:
        raise UsageError(
            "several-items",
            f"{increment.id} has {len(links)} items",
            hint="name one: unlatch status ITEM --web",
            problems=tuple(f"{link.tracker} {link.key}" for link in links),
        )
    open_page(trackers.web_address(trackers.locate(link)))
    return 0


def open_page(address: str) -> None:
    """Open a checked http or https address in the browser of BROWSER, else in the system's.

    Without a browser the address is printed as data.
    """
    output.talk(f"Opening {address} in your browser.")
    if not webbrowser.open(address):
        output.note("no browser was found; BROWSER can name one")
        output.data(address)
