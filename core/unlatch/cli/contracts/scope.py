"""What changed about an increment's work."""

from typing_extensions import TypedDict

from unlatch.cli.contracts.parts import LinkEntry


class AddedTask(TypedDict):
    """A task that was added."""

    id: str
    title: str
    story: str | None
    criteria: list[str]


class TaskCounts(TypedDict):
    """How many tasks there are, discarded ones left out."""

    total: int
    original: int
    new: int


class ScopeEntry(TypedDict):
    """More work, or parts of it to be done again."""

    change: str | None
    parts: list[str]
    newTasks: list[AddedTask]
    tasks: TaskCounts
    # In percent, if the files name one.
    coverageTarget: float | None
    # Items that are left alone, because they are about other user stories.
    spared: list[LinkEntry]
    # The files that could not be written; the next command writes them.
    unwritten: list[str]
