"""An alert as a report or an event shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.config.choices import Reaction
from unlatch.values import dataclass

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, slots=True)
class Alert:
    """An observation of an alert; all texts are from outside.

    Args:
        key: the alert, wherever and whenever it is seen.
        evidence: one line about it.
        place: where a person can look.
        at: when it was seen.
        names: texts that mean this alert wherever people write them, as its address.
        numbers: texts that mean it in its own repository, in lower case ("dependabot alert #3").
        home: the address of that repository.
        items: names of increments or items that it says it belongs to.
        fixed_by: the commit that fixed it, whole or shortened, if it says so.
        commit: the commit on which it was seen.
        is_closed: whether this shows that it is closed.
        came_back: whether it was closed right before.
        is_dated: whether `at` is a time that it says; else the time now stands for it, and the same
            observation that is read again is no return.
        earlier: earlier observations, the oldest first: when, and whether it was closed. None for
            one that says itself that it came back.
        at_most: the strongest reaction to it.
        why: why not a stronger one.
    """

    key: tuple[str, ...]
    evidence: str
    place: str
    at: datetime
    names: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    home: str = ""
    items: tuple[str, ...] = ()
    fixed_by: str = ""
    commit: str = ""
    is_closed: bool = False
    came_back: bool = False
    is_dated: bool = True
    earlier: tuple[tuple[datetime, bool], ...] | None = None
    at_most: Reaction = Reaction.REOPEN
    why: str = ""
