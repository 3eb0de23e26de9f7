"""The iteration and the assignee of a reopened work item."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.errors import TrackerError
from unlatch.values import dataclass
from unlatch_ado.api.iterations import find, successors
from unlatch_ado.api.patch import ASSIGNEE, ITERATION

if TYPE_CHECKING:
    from datetime import date

    from unlatch_ado.api.models import WorkItem
    from unlatch_ado.api.projects import Projects
    from unlatch_ado.settings import AdoSettings
    from unlatch_ado.settings_types import FieldValue


@dataclass(frozen=True, slots=True)
class ReopenFields:
    """Fields to set in the request that reopens a work item.

    Args:
        fields: their new values, by their reference names.
        notes: messages for people.
    """

    fields: tuple[tuple[str, FieldValue], ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def names_account(self) -> bool:
        """Whether a field names the token's account."""
        return any(name == ASSIGNEE for name, _ in self.fields)


NOTHING = ReopenFields()


def reopen_fields(
    settings: AdoSettings, projects: Projects, item: WorkItem, *, today: date
) -> ReopenFields:
    """The current iteration in place of an old one, and a new assignee if the old one has left."""
    iteration = _iteration(settings, projects, item, today)
    assignee = _assignee(settings, projects, item)
    return ReopenFields(iteration.fields + assignee.fields, iteration.notes + assignee.notes)


def _iteration(
    settings: AdoSettings, projects: Projects, item: WorkItem, today: date
) -> ReopenFields:
    if not item.iteration or item.iteration.casefold() == item.project.casefold():
        return NOTHING
    if settings.on_reopen.iteration == "current":
        try:
            iterations = projects.iterations(item.project)
        except TrackerError as error:
            return _note(
                f"its iterations could not be read, so it stays in {item.iteration}: "
                f"{error.message}"
            )
    else:
        iterations = projects.known_iterations(item.project) or ()
    iteration = find(iterations, item.iteration)
    if iteration is None:
        return _note(f"it is still in the iteration {item.iteration}")
    if not iteration.is_over(today):
        return NOTHING
    ended = f"its iteration {item.iteration} ended on {iteration.finish}"
    if settings.on_reopen.iteration == "keep":
        return _note(f"{ended}; it is still in it")
    return _moved_on(
        ended, [successor.path for successor in successors(iterations, item.iteration, today)]
    )


def _moved_on(ended: str, current: list[str]) -> ReopenFields:
    if len(current) != 1:
        choice = f"several are current: {', '.join(current)}" if current else "none is current"
        return _note(f"{ended}; it is still in it, for {choice}")
    note = f"{ended}; it was moved to {current[0]}"
    return ReopenFields(((ITERATION, current[0]),), (note,))


def _assignee(settings: AdoSettings, projects: Projects, item: WorkItem) -> ReopenFields:
    if not item.inactive or item.assignee is None:
        return NOTHING
    left = f"its assignee {item.assignee} is no longer active"
    if settings.on_reopen.assignee == "keep":
        return _note(left)
    try:
        me = projects.account()
    except TrackerError as error:
        return _note(f"{left}; the account of the token could not be read: {error.message}")
    return ReopenFields(((ASSIGNEE, me.address),), (f"{left}; it was assigned to {me.name}",))


def _note(text: str) -> ReopenFields:
    return ReopenFields(notes=(text,))
