"""The meaning of the states that trackers have."""

from enum import StrEnum


class Category(StrEnum):
    """The meaning of a tracker's own state; states are compared by it alone.

    TODO: open, not begun.
    DOING: open.
    DONE: closed, as completed.
    DROPPED: closed deliberately, without being done.
    """

    TODO = "todo"
    DOING = "doing"
    DONE = "done"
    DROPPED = "dropped"

    @property
    def is_open(self) -> bool:
        """Whether the work on such an item is unfinished."""
        return self in (Category.TODO, Category.DOING)
