"""What resuming many prints."""

from unlatch.cli.contracts.parts import Document, MovedIncrement, Problem, ResumeEntry
from unlatch.cli.contracts.scope import ScopeEntry


class ResumedEntry(MovedIncrement):
    """One of the increments that were resumed."""

    reopen: str | None
    trackers: list[ResumeEntry]
    left: int
    scope: ScopeEntry | None
    warnings: list[Problem]
    error: Problem | None


class ResumeManyDocument(Document):
    """unlatch resume with several ids, or --all-matching."""

    increments: list[ResumedEntry]
