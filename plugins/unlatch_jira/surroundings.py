"""The surroundings of a reopened issue: its sprint, its parent, its assignee.

The answer that the reopen reads anyway shows them. Only what `on_reopen` asks for is done, and not
done again, so that a delivery may be repeated.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from unlatch.errors import Forbidden, NotFound, Rejected
from unlatch.spi import Goal, Progress
from unlatch_jira.site_answers import read_sprints
from unlatch_jira.walking import Walk

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from unlatch.errors import TrackerError
    from unlatch_jira.answers import Issue
    from unlatch_jira.client import JiraClient
    from unlatch_jira.settings import JiraSettings
    from unlatch_jira.site import JiraSite
    from unlatch_jira.site_answers import Sprint
    from unlatch_jira.walking import Walker

_REFUSALS = (Rejected, Forbidden, NotFound)


@dataclass(frozen=True, slots=True)
class Around:
    """The changes that the surroundings of a reopened issue need.

    Args:
        fields: fields that the edit is to set.
        notes: what a person should know.
        field_notes: the note about a field, once it is set.
        parent: the closed parent that is to be reopened.
    """

    fields: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    field_notes: dict[str, str] = field(default_factory=dict)
    parent: Issue | None = None

    def notes_on(self, fields: Collection[str]) -> list[str]:
        """The notes about the fields that were set in the end."""
        return [note for name, note in self.field_notes.items() if name in fields]


def _setting(name: str, value: Any, note: str) -> Around:
    return Around({name: value}, field_notes={name: note})


def fields_around(settings: JiraSettings, site: JiraSite) -> tuple[str, ...]:
    """The fields that show the surroundings of an issue."""
    acts = settings.on_reopen.sprint == "active"
    sprint = site.find_sprint_field() if acts else site.sprint_field
    return ("parent", *filter(None, [sprint]))


class Surroundings:
    """Looks after the surroundings of reopened issues."""

    def __init__(
        self, settings: JiraSettings, client: JiraClient, site: JiraSite, walker: Walker
    ) -> None:
        self._settings = settings
        self._client = client
        self._site = site
        self._walker = walker

    def look(self, issue: Issue) -> Around:
        """Find out, before the issue is reopened, what its surroundings need; writes nothing."""
        found = [self._tried(one, issue) for one in (self._sprint, self._parent, self._person)]
        return Around(
            fields={name: value for one in found for name, value in one.fields.items()},
            notes=tuple(note for one in found for note in one.notes),
            field_notes={name: note for one in found for name, note in one.field_notes.items()},
            parent=next((one.parent for one in found if one.parent), None),
        )

    def reopen_parent(self, parent: Issue, done: Progress) -> None:
        """Reopen a closed parent; one that refuses is noted and stays."""
        try:
            move = self._walker.bring(parent, Walk(Goal.OPEN, Progress(parent.item)))
        except _REFUSALS as refusal:
            done.notes.append(_not_done(refusal))
        else:
            result = "was reopened too" if move else "stays closed: Jira did not move it"
            done.notes.append(f"its parent {parent.key} {result}")

    def _tried(self, look: Callable[[Issue], Around], issue: Issue) -> Around:
        # The issue is reopened all the same.
        try:
            return look(issue)
        except _REFUSALS as refusal:
            return Around(notes=(_not_done(refusal),))

    def _sprint(self, issue: Issue) -> Around:
        name = self._site.sprint_field
        sprints = read_sprints(issue.custom(name)) if name else ()
        if name is None or not sprints or not all(one.is_closed for one in sprints):
            return Around()
        last = sprints[-1]
        if self._settings.on_reopen.sprint == "keep":
            return Around(notes=(f"its sprint {last.name!r} is closed",))
        running = self._site.active_sprints(last.board_id) if last.board_id else ()
        if len(running) != 1:
            return Around(notes=(_no_choice(last, running),))
        number = int(running[0].id) if running[0].id.isdecimal() else running[0].id
        return _setting(name, number, f"put into the sprint {running[0].name!r}")

    def _parent(self, issue: Issue) -> Around:
        parent = issue.parent
        status = parent.fields.status if parent else None
        if parent is None or status is None or status.means.is_open:
            return Around()
        if self._settings.on_reopen.parent == "report":
            return Around(notes=(f"its parent {parent.key} is closed ({status.name})",))
        found = self._client.issue(parent.key, "project", moves=True)
        if not self._settings.allows(found.item.ref) or found.item.deliberate:
            return Around(notes=(f"its parent {parent.key} is left closed ({status.name})",))
        return Around(parent=None if found.item.category.is_open else found)

    def _person(self, issue: Issue) -> Around:
        person = issue.answer.fields.assignee
        if self._settings.on_reopen.assignee == "me" and not issue.has_active_assignee:
            me = self._site.myself()
            return _setting("assignee", me.reference, f"assigned to {me.shown or me.name}")
        if person is None or person.active:
            return Around()
        return Around(notes=(f"its assignee {person.name} is no longer active",))


def _not_done(refusal: TrackerError) -> str:
    return f"on_reopen was not done: {refusal.message}"


def _no_choice(last: Sprint, running: tuple[Sprint, ...]) -> str:
    there = ", ".join(repr(one.name) for one in running) or "none"
    return f"its sprint {last.name!r} is closed, and its board does not run one: {there}"
