"""The meaning of an issue's state."""

from unlatch.spi import Category

_DROPPED = frozenset({"not_planned", "duplicate"})


def category_of(state: str | None, reason: str | None) -> Category | None:
    """The category of a `state` and its `state_reason`; None for an unknown state."""
    if state == "closed":
        return Category.DROPPED if reason in _DROPPED else Category.DONE
    return Category.TODO if state == "open" else None
