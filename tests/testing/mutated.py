"""Plugins that break one promise each run in place of the plugins that come with unlatch."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import pytest

from unlatch.testing.fixture import READ_SECONDS, Fixture

if TYPE_CHECKING:
    from collections.abc import Callable

    from unlatch.spi import SyncPlugin
    from unlatch.transport.credentials import Credential


class MutatedFixture(Fixture):
    """A fixture whose plugin gets the methods of a mutant, if there is one."""

    mutant: type[SyncPlugin] | None = None

    @cached_property
    def plugin(self) -> SyncPlugin:
        return self.open()

    def open(
        self, read_seconds: float = READ_SECONDS, *, credential: Credential | None = None
    ) -> SyncPlugin:
        guarded: Any = super().open(read_seconds, credential=credential)
        if self.mutant is not None:
            plugin = guarded._inner
            assert issubclass(self.mutant, type(plugin))
            plugin.__class__ = self.mutant
        opened: SyncPlugin = guarded
        return opened

    def mutate(self, mutant: type[SyncPlugin]) -> None:
        self.mutant = mutant
        vars(self).pop("plugin", None)
        vars(self).pop("hasty_plugin", None)


def passes(test: Callable[[Fixture], None], fixture: Fixture) -> None:
    """Run a test of the kit; a skipped one proves nothing."""
    try:
        test(fixture)
    except pytest.skip.Exception as skipped:
        pytest.fail(f"the kit skips the test: {skipped}")
