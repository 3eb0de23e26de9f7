"""What the tests ask a plugin for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from unlatch.domain.text import Span, Text
from unlatch.engine.workspace import new_ulid
from unlatch.spi import Capability, Change, Draft, Goal
from unlatch.testing.clone import REASON

if TYPE_CHECKING:
    from unlatch.domain.item import ItemRef
    from unlatch.spi import Outcome
    from unlatch.testing.bench import Bench
    from unlatch.testing.trial import Aim


def need(bench: Bench, capability: Capability) -> None:
    """Skip what the plugin does not declare."""
    if capability not in bench.manifest.capabilities:
        pytest.skip(f"the plugin does not declare {capability.value}")


def words(text: str) -> Text:
    """A comment."""
    return ((Span("Reopened", bold=True), Span(f": {text}")),)


def draft(title: str, body: str) -> Draft:
    """What an item shall say."""
    return Draft("0007-kept-in-step", title, "feature", ((Span(body),),))


def change(aim: Aim) -> Change:
    """What the engine asks for."""
    goal = Goal.OPEN if aim.opens else Goal.COMPLETED
    return Change(new_ulid(), goal, words(REASON), (aim.after,), (aim.before,))


def act(bench: Bench, item: ItemRef, wanted: Change) -> Outcome:
    """Ask the plugin for a change."""
    if wanted.goal is Goal.OPEN:
        return bench.plugin.reopen_issue(item, wanted)
    return bench.plugin.close_issue(item, wanted)


def labels(bench: Bench, item: ItemRef) -> set[str]:
    """The labels of an item, whatever their case."""
    return {label.casefold() for label in bench.laboratory.labels(item.id)}
