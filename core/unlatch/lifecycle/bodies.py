"""Which items show an increment's check boxes: those whose body unlatch has written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.errors import StoreError
from unlatch.increments.records.events import Delivered, Repointed, read_events
from unlatch.spi import Capability
from unlatch.spi.operation import Kind

if TYPE_CHECKING:
    from unlatch.increments.model.increment import Increment, Link
    from unlatch.project.workspace import Workspace

_WRITING = frozenset({Kind.CREATE, Kind.UPDATE})


def shown_in_bodies(workspace: Workspace, increment: Increment) -> tuple[Link, ...]:
    """The links whose items have a part of their body from unlatch, and can be brought up to date.

    The increment's events tell, by what was delivered to whom. Where they are lost, bodies that
    nobody knows to be ours are left alone.
    """
    if not increment.links:
        return ()
    ours = _written(increment)
    manifests = workspace.registry.manifests
    return tuple(
        link
        for link in increment.links
        if link.key in ours
        and (manifest := manifests.get(link.tracker))
        and Capability.UPDATE in manifest.capabilities
    )


def _written(increment: Increment) -> set[str]:
    found: set[str] = set()
    try:
        events = read_events(increment.folder)
    except StoreError:
        return found
    for event in events:
        if isinstance(event, Delivered) and event.kind in _WRITING:
            found.add(event.item)
        elif isinstance(event, Repointed) and event.origin in found:
            found.add(event.item)  # the item moved, and its body with it
    return found
