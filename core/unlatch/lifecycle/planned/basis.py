"""What a plan is made for: the project, the accounts, the increments and the items."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.increments.files.changes.plans import revision_of
from unlatch.increments.records.status_events import LOG
from unlatch.lifecycle.items.repository import read_remotes
from unlatch.lifecycle.planned.saved import IncrementBasis, ItemBasis
from unlatch.project.git.run import ask_git
from unlatch.spi import Capability
from unlatch.worklog.times import stamp

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from unlatch.increments.model.increment import Increment
    from unlatch.project.trackers import Trackers
    from unlatch.spi.item import RemoteItem


def project_name(root: Path) -> str:
    """The address of the git remote origin, with the folder in the repository; else the root."""
    address = read_remotes(root).get("origin")
    if not address:
        return str(root.resolve())
    _, scheme, rest = address.rpartition("://")
    # git@host:octo/widgets.git and https://host/octo/widgets are one project.
    place = rest if scheme else rest.replace(":", "/", 1)
    place = place.rpartition("@")[2].rstrip("/").removesuffix(".git")
    inside = ask_git(root, "rev-parse", "--show-prefix")
    return f"{place}:{inside.rstrip('/')}" if inside else place


def accounts_of(trackers: Trackers, names: Iterable[str]) -> dict[str, str | None]:
    """The account of the credential for each of these trackers.

    Raises:
        UnlatchError: a tracker cannot be asked.
    """
    return {
        name: trackers.open(name).examine([]).login
        for name in sorted(set(names))
        if Capability.EXAMINE in trackers.registry.manifest(name).capabilities
    }


def increment_basis(increment: Increment) -> IncrementBasis:
    events = LOG.read(increment.folder) if increment.folder.exists() else []
    return IncrementBasis(
        id=increment.id,
        status=increment.status.value,
        lastEvent=f"{LOG.word(events[-1])} {events[-1].id}" if events else None,
        revision=revision_of(increment),
    )


def item_basis(item: RemoteItem) -> ItemBasis:
    return ItemBasis(
        tracker=item.ref.tracker,
        url=item.ref.url,
        state=item.state,
        since=stamp(item.state_since) if item.state_since else None,
        revision=item.revision,
    )
