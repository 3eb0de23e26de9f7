"""The former names of configured targets, such as a repository that was renamed."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from unlatch.errors import UnlatchError
from unlatch.spi import Capability

if TYPE_CHECKING:
    from collections.abc import Callable

    from unlatch.project.registry import Registry
    from unlatch.spi import ItemRef, SyncPlugin


class FormerNames:
    """Asks a tracker once for each target; one that does not answer has no former name."""

    def __init__(self, registry: Registry, open_plugin: Callable[[str], SyncPlugin]) -> None:
        self._registry, self._open = registry, open_plugin
        self._known: dict[tuple[str, str], str | None] = {}
        self._lock = threading.Lock()

    def has(self, ref: ItemRef) -> bool:
        """Whether an item's target is the former name of a configured one."""
        return self.present(ref) is not None

    def present(self, ref: ItemRef) -> str | None:
        """The configured target that had the name of an item's target before."""
        key = (ref.tracker, ref.target)
        if Capability.RENAMES not in self._registry.manifest(ref.tracker).capabilities:
            return None
        with self._lock:
            if key not in self._known:
                self._known[key] = None
                with suppress(UnlatchError):  # without an answer, the target is refused
                    self._known[key] = self._open(ref.tracker).present_name(ref.target)
            return self._known[key]
