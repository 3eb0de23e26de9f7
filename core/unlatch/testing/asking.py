"""What the tests ask a plugin for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from unlatch.project.workspace import new_ulid
from unlatch.spi import Capability, Change, Draft, Goal
from unlatch.spi.text import Span, Text
from unlatch.testing.clone import REASON

if TYPE_CHECKING:
    from unlatch.spi import Outcome
    from unlatch.spi.item import ItemRef
    from unlatch.testing.aim import Aim
    from unlatch.testing.bench import Bench
    from unlatch.testing.faults import Request


def need(bench: Bench, capability: Capability) -> None:
    """Skip what the plugin does not declare."""
    if not bench.can(capability):
        pytest.skip(f"the plugin does not declare {capability.value}")


def words(text: str) -> Text:
    """A comment."""
    return ((Span("Reopened", bold=True), Span(f": {text}")),)


def draft(title: str, body: str) -> Draft:
    """The text of an item."""
    return Draft("0007-kept-in-step", title, "feature", ((Span(body),),))


def change(bench: Bench, aim: Aim) -> Change:
    """The change that delivery asks for; without labels if the tracker has none."""
    goal = Goal.OPEN if aim.opens else Goal.COMPLETED
    add, remove = bench.labels(aim.after), bench.labels(aim.before)
    return Change(new_ulid(), goal, words(REASON), add, remove)


def act(bench: Bench, item: ItemRef, wanted: Change) -> Outcome:
    """Read an item and change it, as delivery does."""
    return bench.plugin.write(bench.plugin.read(item, wanted), wanted)


def state(bench: Bench, item: ItemRef) -> str:
    """The tracker's word for the state of an item, as the plugin reads it."""
    return bench.plugin.read(item).item.state


def writes(bench: Bench) -> list[Request]:
    """The writing requests since the proxy was cleared."""
    return [sent.request for sent in bench.proxy.sent if sent.request.is_write]
