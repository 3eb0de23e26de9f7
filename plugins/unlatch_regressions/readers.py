"""The readers of causes that are installed, by their entry points."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.cli.runtime.failure import part
from unlatch.errors import PluginBroken
from unlatch.worklog.entry_points import entry_points
from unlatch_regressions.request import Reader, Request

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch_regressions.cause import Cause

GROUP = "unlatch.causes"


def kinds() -> frozenset[str]:
    """The kinds of causes that some reader reads; PluginBroken `plugin-broken`."""
    return frozenset(kind for reader in _readers() for kind in reader.kinds)


def read_causes(request: Request) -> Iterator[Cause]:
    """What all readers see.

    Raises:
        UnlatchError: `history-missing`, a report cannot be read, or `plugin-broken`.
    """
    for reader in _readers():
        yield from reader.read(request)


def _readers() -> Iterator[Reader]:
    for name, target in entry_points(GROUP).items():
        reader = part(name, of=GROUP)
        if not isinstance(reader, Reader):
            raise PluginBroken("plugin-broken", f"'{name}' of {GROUP} is no Reader", where=target)
        yield reader
