"""What linking many prints."""

from typing_extensions import TypedDict

from unlatch.cli.contracts.parts import Document, ItemEntry, Problem


class TieEntry(TypedDict):
    """An increment, and the items that a file ties to it."""

    id: str
    linked: list[ItemEntry]
    already: list[ItemEntry]
    error: Problem | None


class LinkFileDocument(Document):
    """unlatch link --file."""

    increments: list[TieEntry]
    dryRun: bool


class ProposedItem(TypedDict):
    """An item that may be an increment's."""

    id: str
    url: str
    title: str


class ProposalEntry(TypedDict):
    """The items that may be an increment's on one tracker, and why."""

    increment: str
    tracker: str
    ground: str
    clear: bool
    items: list[ProposedItem]


class TrackerProblem(Problem):
    """Why one tracker could not be asked."""

    tracker: str


class LinkSuggestDocument(Document):
    """unlatch link --suggest."""

    proposals: list[ProposalEntry]
    listed: dict[str, int]
    lacking: dict[str, int]
    errors: list[TrackerProblem]
