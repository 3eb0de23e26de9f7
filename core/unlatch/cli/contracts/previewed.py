"""What --dry-run shows of an item."""

from typing_extensions import TypedDict

from unlatch.cli.contracts.parts import Problem
from unlatch.increments.model.status import Status


class WouldBe(TypedDict):
    """An increment, and the status that it would have."""

    id: str
    status: Status
    wouldBe: Status


class PreviewedRequest(TypedDict):
    """A request that would be sent."""

    method: str
    url: str
    what: str


class PreviewedItem(TypedDict):
    """An item, and what would be done to it."""

    tracker: str
    id: str
    url: str | None
    state: str | None
    comment: str | None
    addLabels: list[str]
    removeLabels: list[str]
    owedSince: str | None
    requests: list[PreviewedRequest]
    error: Problem | None


class PreviewedIncrement(TypedDict):
    """One of many increments, and what its items would be sent."""

    increment: WouldBe
    items: list[PreviewedItem]
    requests: int
    warnings: list[Problem]
