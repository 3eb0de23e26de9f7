"""What resuming many prints."""

from unlatch.cli.contracts.parts import Document, MovedIncrement, Problem, ResumeEntry


class TakenUpEntry(MovedIncrement):
    """One of many increments, and what became of it."""

    reopen: str | None
    trackers: list[ResumeEntry]
    left: int
    warnings: list[Problem]
    error: Problem | None


class ResumeManyDocument(Document):
    """unlatch resume with several ids, or --all-matching."""

    increments: list[TakenUpEntry]
