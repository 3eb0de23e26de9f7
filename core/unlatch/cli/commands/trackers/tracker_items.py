"""What the commands of a tracker's group have in common: its links, and how they end."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from unlatch.cli.render.delivery import tell_left
from unlatch.cli.render.documents import delivered_code, delivery_entry, increment_entry
from unlatch.cli.runtime import output
from unlatch.errors import UsageError
from unlatch.lifecycle.link import find_link

if TYPE_CHECKING:
    from unlatch.increments.model.increment import Increment, Link
    from unlatch.lifecycle.deliver import Delivered
    from unlatch.spi import Manifest
    from unlatch.spi.operation import Kind


def links_to(increment: Increment, manifest: Manifest, item: str | None) -> tuple[Link, ...]:
    """An increment's links to a tracker, or the one of them that was named.

    Raises:
        UsageError: `no-link`, `unknown-link` or `ambiguous-link`.
    """
    links = tuple(link for link in increment.links if link.tracker == manifest.name)
    if not links:
        raise UsageError(
            "no-link",
            f"{increment.id} has no {manifest.title} {manifest.noun}",
            hint=f"unlatch link {increment.id} URL",
        )
    if item is not None:
        # Among this tracker's own: another's would be recorded here and never delivered.
        return (find_link(replace(increment, links=links), item),)
    return links


def end_change(
    delivered: Delivered,
    before: Increment,
    tracker: str,
    kind: Kind,
    *,
    as_json: bool,
    tell: str | None = None,
) -> int:
    """Tell what became of a tracker's items; the exit code."""
    code = delivered_code(delivered.deliveries)
    if as_json:
        output.document(
            "tracker-change",
            code,
            tracker=tracker,
            kind=kind,
            increment=increment_entry(delivered.increment, before.status),
            trackers=[delivery_entry(one) for one in delivered.deliveries],
        )
        return code
    if code:
        tell_left(delivered)
    if tell:
        output.talk(tell)
    return code
