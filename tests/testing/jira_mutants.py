"""Plugins that break one promise each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch_jira.plugin import JiraPlugin

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from unlatch.errors import TrackerError
    from unlatch.spi import Change, ItemRef, Snapshot


class ReadsAheadInPart(JiraPlugin):
    def read_many(
        self, refs: Sequence[ItemRef], change: Change | None = None
    ) -> Mapping[ItemRef, Snapshot | TrackerError]:
        return super().read_many(refs)
