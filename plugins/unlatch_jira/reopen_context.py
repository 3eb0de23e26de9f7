"""Update the sprint, the parent and the assignee of a reopened issue.

They are part of the answer that a reopen reads. Only the changes in `on_reopen` are made, and
repeating them changes nothing.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any

from unlatch.errors import Forbidden, NotFound, Rejected
from unlatch.spi import Goal, Progress
from unlatch.values import dataclass
from unlatch_jira.workflow.transition_runner import TransitionGoal, TransitionRunner

if TYPE_CHECKING:
    from unlatch.errors import TrackerError
    from unlatch_jira.api.client import JiraClient
    from unlatch_jira.api.models import Issue
    from unlatch_jira.api.site import JiraSite
    from unlatch_jira.api.site_models import Sprint
    from unlatch_jira.settings import JiraSettings

_REFUSALS = (Rejected, Forbidden, NotFound)


@dataclass(slots=True)
class ReopenTarget:
    """The changes to the sprint, the parent and the assignee of a reopened issue.

    Args:
        fields: fields to set in the edit.
        notes: notes for the user.
        field_notes: the note about a field after it is set.
        parent: the closed parent to reopen.
    """

    fields: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    field_notes: dict[str, str] = field(default_factory=dict)
    parent: Issue | None = None


def fields_around(settings: JiraSettings, site: JiraSite) -> tuple[str, ...]:
    """The fields for the sprint, the parent and the assignee of an issue."""
    acts = settings.on_reopen.sprint == "active"
    sprint = site.find_sprint_field() if acts else site.sprint_field
    return ("parent", *filter(None, [sprint]))


@dataclass(frozen=True, slots=True)
class ReopenContext:
    """Updates the sprint, the parent and the assignee of reopened issues."""

    settings: JiraSettings
    client: JiraClient
    site: JiraSite
    walker: TransitionRunner

    def look(self, issue: Issue) -> ReopenTarget:
        """Plan the further changes of a reopen; read-only."""
        around = ReopenTarget()
        for look_at in (self._sprint, self._parent, self._person):
            try:
                look_at(issue, around)
            except _REFUSALS as refusal:
                # The issue is still reopened.
                around.notes.append(_not_done(refusal))
        return around

    def reopen_parent(self, parent: Issue, done: Progress) -> None:
        """Reopen a closed parent; a refusal is noted."""
        try:
            move = self.walker.move_to_goal(
                parent, TransitionGoal(Goal.OPEN, Progress(parent.item))
            )
        except _REFUSALS as refusal:
            done.notes.append(_not_done(refusal))
        else:
            result = "was reopened too" if move else "stays closed: Jira did not move it"
            done.notes.append(f"its parent {parent.key} {result}")

    def _sprint(self, issue: Issue, around: ReopenTarget) -> None:
        name = self.site.sprint_field
        if name is None:
            return
        from unlatch_jira.api.site_models import read_sprints  # noqa: PLC0415  (rarely needed)

        sprints = read_sprints(issue.custom(name))
        if not sprints or not all(sprint.is_closed for sprint in sprints):
            return
        last = sprints[-1]
        if self.settings.on_reopen.sprint == "keep":
            around.notes.append(f"its sprint {last.name!r} is closed")
            return
        running = self.site.active_sprints(last.board_id) if last.board_id else ()
        if len(running) != 1:
            around.notes.append(_no_choice(last, running))
            return
        around.fields[name] = int(running[0].id) if running[0].id.isdecimal() else running[0].id
        around.field_notes[name] = f"put into the sprint {running[0].name!r}"

    def _parent(self, issue: Issue, around: ReopenTarget) -> None:
        parent = issue.answer.fields.parent
        status = parent.status if parent else None
        if parent is None or status is None or status.means.is_open:
            return
        if self.settings.on_reopen.parent == "report":
            around.notes.append(f"its parent {parent.key} is closed ({status.name})")
            return
        parent_issue = self.client.issue(parent.key, "project", moves=True)
        if not self.settings.allows(parent_issue.item.ref) or parent_issue.item.deliberate:
            around.notes.append(f"its parent {parent.key} is left closed ({status.name})")
        elif not parent_issue.item.category.is_open:
            around.parent = parent_issue

    def _person(self, issue: Issue, around: ReopenTarget) -> None:
        person = issue.answer.fields.assignee
        is_active = person is not None and person.active
        if self.settings.on_reopen.assignee == "me" and not is_active:
            me = self.site.myself()
            around.fields["assignee"] = me.reference
            around.field_notes["assignee"] = f"assigned to {me.shown or me.name}"
        elif person is not None and not person.active:
            around.notes.append(f"its assignee {person.name} is no longer active")


def _not_done(refusal: TrackerError) -> str:
    return f"on_reopen was not done: {refusal.message}"


def _no_choice(last: Sprint, running: tuple[Sprint, ...]) -> str:
    there = ", ".join(repr(sprint.name) for sprint in running) or "none"
    return f"its sprint {last.name!r} is closed, and its board does not run one: {there}"
