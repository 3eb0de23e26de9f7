"""What else a person should know, or wants done, about a work item that is taken up again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from unlatch.errors import TrackerError
from unlatch_ado.iterations import find, successors

if TYPE_CHECKING:
    from datetime import date

    from unlatch_ado.answers import WorkItem
    from unlatch_ado.projects import Projects
    from unlatch_ado.settings import AdoSettings
    from unlatch_ado.tables import FieldValue


@dataclass(frozen=True, slots=True)
class Renewal:
    """What goes along with the request that reopens a work item.

    Args:
        fields: further fields to set.
        notes: what to tell people.
    """

    fields: tuple[tuple[str, FieldValue], ...] = ()
    notes: tuple[str, ...] = ()


def renewal_of(
    settings: AdoSettings, projects: Projects, item: WorkItem, *, today: date
) -> Renewal:
    """What to do about an old iteration and an assignee who has left, and what to say."""
    parts = (_iteration(settings, projects, item, today), _assignee(settings, projects, item))
    fields = tuple(field for part in parts for field in part.fields)
    return Renewal(fields, tuple(note for part in parts for note in part.notes))


def _iteration(settings: AdoSettings, projects: Projects, item: WorkItem, today: date) -> Renewal:
    if not item.iteration or item.iteration.casefold() == item.project.casefold():
        return Renewal()
    if settings.on_reopen.iteration == "current":
        try:
            known = projects.iterations(item.project)
        except TrackerError as error:
            return _told(
                f"its iterations could not be read, so it stays in {item.iteration}: "
                f"{error.message}"
            )
    else:
        known = projects.known_iterations(item.project) or ()
    found = find(known, item.iteration)
    if found is None:
        return _told(f"it is still in the iteration {item.iteration}")
    if not found.is_over(today):
        return Renewal()
    ended = f"its iteration {item.iteration} ended on {found.finish}"
    if settings.on_reopen.iteration == "keep":
        return _told(f"{ended}; it is still in it")
    return _moved_on(ended, [one.path for one in successors(known, item.iteration, today)])


def _moved_on(ended: str, current: list[str]) -> Renewal:
    if len(current) != 1:
        choice = f"several are current: {', '.join(current)}" if current else "none is current"
        return _told(f"{ended}; it is still in it, for {choice}")
    note = f"{ended}; it was moved to {current[0]}"
    return Renewal((("System.IterationPath", current[0]),), (note,))


def _assignee(settings: AdoSettings, projects: Projects, item: WorkItem) -> Renewal:
    if not item.inactive or item.assignee is None:
        return Renewal()
    left = f"{item.assignee}, whom it is assigned to, is no longer active"
    if settings.on_reopen.assignee == "keep":
        return _told(left)
    try:
        me = projects.account()
    except TrackerError as error:
        return _told(f"{left}; whose token it is could not be found out: {error.message}")
    return Renewal((("System.AssignedTo", me.address),), (f"{left}; it was assigned to {me.name}",))


def _told(note: str) -> Renewal:
    return Renewal((), (note,))
