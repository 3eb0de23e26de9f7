"""What a reopened issue stands in: its sprint, its parent, its assignee.

All of it is told from the answer that the reopen reads anyway. Only what `on_reopen` asks for is
done, and what is done already is not done again, so that a delivery may be repeated.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from unlatch.errors import NotFound, Rejected, Unauthorised
from unlatch.spi import Goal
from unlatch_jira.site_answers import read_sprints

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from unlatch_jira.answers import Issue
    from unlatch_jira.client import JiraClient
    from unlatch_jira.settings import JiraSettings
    from unlatch_jira.site import JiraSite
    from unlatch_jira.site_answers import Sprint
    from unlatch_jira.walking import Walker

_REFUSALS = (Rejected, Unauthorised, NotFound)


@dataclass(frozen=True, slots=True)
class Aftermath:
    """What reopening an issue comes to besides.

    Args:
        fields: fields that the edit shall set.
        notes: what a person should know.
        told: what is to be told of a field, once it is set.
    """

    fields: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    told: dict[str, str] = field(default_factory=dict)

    def notes_without(self, unset: Collection[str]) -> tuple[str, ...]:
        """The notes, where some of the fields were not set after all."""
        return (*self.notes, *(note for name, note in self.told.items() if name not in unset))


def _setting(name: str, value: Any, note: str) -> Aftermath:
    return Aftermath({name: value}, told={name: note})


class Surroundings:
    """Looks after what a reopened issue stands in."""

    def __init__(
        self, settings: JiraSettings, client: JiraClient, site: JiraSite, walker: Walker
    ) -> None:
        self._settings = settings
        self._client = client
        self._site = site
        self._walker = walker

    def wanted_fields(self) -> tuple[str, ...]:
        """The fields that the issue has to be read with."""
        acts = self._settings.on_reopen.sprint == "active"
        sprint = self._site.find_sprint_field() if acts else self._site.sprint_field
        return ("parent", "project", *filter(None, [sprint]))

    def after_reopening(self, issue: Issue) -> Aftermath:
        """What there is to say, and to set, for an issue that is open now.

        Args:
            issue: as it was read before.
        """
        found = [self._settled(look, issue) for look in (self._sprint, self._parent, self._person)]
        fields = {name: value for one in found for name, value in one.fields.items()}
        told = {name: note for one in found for name, note in one.told.items()}
        return Aftermath(fields, tuple(note for one in found for note in one.notes), told)

    def _settled(self, look: Callable[[Issue], Aftermath], issue: Issue) -> Aftermath:
        # The issue itself is open: what its surroundings refuse does not undo that.
        try:
            return look(issue)
        except _REFUSALS as refusal:
            return Aftermath(notes=(f"on_reopen was not done: {refusal.message}",))

    def _sprint(self, issue: Issue) -> Aftermath:
        name = self._site.sprint_field
        sprints = read_sprints(issue.custom(name)) if name else ()
        if name is None or not sprints or not all(one.is_closed for one in sprints):
            return Aftermath()
        last = sprints[-1]
        if self._settings.on_reopen.sprint == "keep":
            return Aftermath(notes=(f"its sprint {last.name!r} is closed",))
        running = self._site.active_sprints(last.board_id) if last.board_id else ()
        if len(running) != 1:
            return Aftermath(notes=(_no_choice(last, running),))
        number = int(running[0].id) if running[0].id.isdecimal() else running[0].id
        return _setting(name, number, f"put into the sprint {running[0].name!r}")

    def _parent(self, issue: Issue) -> Aftermath:
        parent = issue.parent
        status = parent.fields.status if parent else None
        if parent is None or status is None or status.means.is_open:
            return Aftermath()
        if self._settings.on_reopen.parent == "report":
            return Aftermath(notes=(f"its parent {parent.key} is closed ({status.name})",))
        found = self._client.issue(parent.key, "project", moves=True)
        if not self._settings.allows(found.item.ref) or found.item.deliberate:
            return Aftermath(notes=(f"its parent {parent.key} is left closed ({status.name})",))
        if not found.item.category.is_open:
            self._walker.bring(found, Goal.OPEN, allow_path=False)
        return Aftermath(notes=(f"its parent {parent.key} was reopened too",))

    def _person(self, issue: Issue) -> Aftermath:
        person = issue.answer.fields.assignee
        if self._settings.on_reopen.assignee == "me" and not issue.has_active_assignee:
            me = self._site.myself()
            return _setting("assignee", me.reference, f"assigned to {me.shown or me.name}")
        if person is None or person.active:
            return Aftermath()
        return Aftermath(notes=(f"its assignee {person.name} is no longer active",))


def _no_choice(last: Sprint, running: tuple[Sprint, ...]) -> str:
    there = ", ".join(repr(one.name) for one in running) or "none"
    return f"its sprint {last.name!r} is closed, and its board does not run one: {there}"
