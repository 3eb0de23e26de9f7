"""The forms in which metadata.json names the items of each tracker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from unlatch.spi.manifest import LinkShape


@dataclass(frozen=True, slots=True)
class Shapes:
    """The forms of the trackers' links and syncedTo entries, by the plugins' names."""

    links: Mapping[str, LinkShape]
    synced: Mapping[str, LinkShape]

    @property
    def trackers(self) -> Collection[str]:
        """The names of the trackers; some may have no form that can be used."""
        return self.links
