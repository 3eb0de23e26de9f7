"""Plugins that break one promise each run in place of the plugins that come with unlatch."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from unlatch.testing.conformance import Conformance
from unlatch.testing.fixture import READ_SECONDS, Fixture
from unlatch.testing.scenario import FaultCase

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from unlatch.errors import TrackerError
    from unlatch.spi import Change, ItemRef, Outcome, Snapshot, SyncPlugin
    from unlatch.testing import FaultKind
    from unlatch.transport.credentials import Credential

    Refs = Sequence[ItemRef]
    Snapshots = Mapping[ItemRef, Snapshot | TrackerError]
    Wanted = Sequence[tuple[Snapshot, Change]]
    Results = Sequence[Outcome | TrackerError | None]

Mutant = TypeVar("Mutant", bound="SyncPlugin")


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


@dataclass(frozen=True, slots=True)
class Broken:
    """A mutant, the test of the kit that it fails, and the promise as the failure names it."""

    mutant: type[SyncPlugin]
    test: str
    promise: str
    arguments: Mapping[str, object]

    def check(self, fixture: Fixture) -> None:
        """Run the test of the kit; a skipped one proves nothing."""
        try:
            getattr(Conformance(), f"test_{self.test}")(fixture, **self.arguments)
        except pytest.skip.Exception as skipped:
            raise LookupError(f"the kit skips {self.test}: {skipped}") from skipped


BROKEN: list[Broken] = []


def breaks(
    test: str, promise: str, *, fault: FaultKind | None = None, **arguments: object
) -> Callable[[type[Mutant]], type[Mutant]]:
    """Note a promise that a mutant breaks; `fault` is that of a test of resilience."""
    if fault:
        arguments |= {"case": FaultCase(fault), "record_property": lambda *_: None}

    def note(mutant: type[Mutant]) -> type[Mutant]:
        BROKEN.append(Broken(mutant, test, promise, arguments))
        return mutant

    return note
