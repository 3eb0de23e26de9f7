"""Reopen the children of an epic, if the options say so.

An operation reopens a child once, even if it is delivered repeatedly: the transition's own request
sets the operation's property on the child, and the following comment carries the marker. A child
with the marker is done; one with only the property still gets its comment; any other open child is
not touched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.errors import Forbidden, NotFound, Rejected
from unlatch.spi import Goal, Progress
from unlatch.values import dataclass
from unlatch_jira.api.edit import build_edit, property_of
from unlatch_jira.send import comment_not_shown, find_said, send
from unlatch_jira.workflow.transition_runner import ALLOW_PATH, TransitionGoal, TransitionRunner

if TYPE_CHECKING:
    from unlatch.spi import Change
    from unlatch_jira.api.client import JiraClient
    from unlatch_jira.api.models import Issue
    from unlatch_jira.api.site import JiraSite
    from unlatch_jira.settings import JiraSettings

CHILDREN = "children"


@dataclass(frozen=True, slots=True)
class Children:
    """Reopens the children of epics."""

    settings: JiraSettings
    client: JiraClient
    site: JiraSite
    walker: TransitionRunner

    def reopen(self, epic: str, change: Change, done: Progress) -> None:
        """Reopen the closed children.

        A child that cannot be reopened is noted and stays closed. A temporary error is raised, so
        that the epic gets no marker and is delivered again.
        """
        served: list[str] = []
        left: list[str] = []
        try:
            for key in self._keys(epic):
                try:
                    if self._serve(key, change):
                        served.append(key)
                except (Rejected, Forbidden, NotFound) as refusal:
                    left.append(f"{key} stays closed: {refusal.message}")
        finally:
            done.notes += [f"reopened its children {', '.join(served)}"] if served else []
            done.notes += left

    def _keys(self, epic: str) -> tuple[str, ...]:
        jql = f'parent = "{epic}"'
        if field := self.site.find_epic_field():
            jql = f'cf[{field.rpartition("_")[2]}] = "{epic}" OR {jql}'
        # All pages first: transitions may change the next page.
        return tuple(dict.fromkeys(self.client.matching(jql)))

    def _serve(self, key: str, change: Change) -> bool:
        mark = property_of(change.op)
        child = self.client.issue(key, "comment", "project", moves=True, property_key=mark["key"])
        if not self.settings.allows(child.item.ref) or self._is_served(child, change):
            return False
        begun = mark["key"] in child.answer.properties
        if child.item.category.is_open and not begun:
            return False
        edit, done = build_edit(self.settings, child, change), Progress(child.item)
        if not child.item.category.is_open:
            # A child that is closed after the operation opened it was closed by a person.
            if begun or (child.item.deliberate and not change.options.even_if_not_planned):
                return False
            allowed = ALLOW_PATH in change.options.plugin
            walk = TransitionGoal(
                Goal.OPEN, done, allowed, (mark,), edit.comment, is_silent=edit.is_silent
            )
            move = self.walker.move_to_goal(child, walk)
            if walk.is_said:
                edit = find_said(self.client, child, edit, done)
            if move is None:
                raise _not_moved()
        after, _ = send(self.client, child, edit, done, goal=Goal.OPEN)
        if not after.item.category.is_open:
            raise _not_moved()
        if change.comment is not None and not done.commented:
            raise comment_not_shown()
        return True

    def _is_served(self, child: Issue, change: Change) -> bool:
        if change.comment is None:
            return False
        page = child.answer.fields.comment
        comments = list(page.comments) if page else []
        if page is None or len(comments) < page.total:
            comments = list(self.client.comments(child.key))
        return any(change.op in comment.ops for comment in comments)


def _not_moved() -> Rejected:
    return Rejected("state-not-taken", "Jira accepted its transition, but did not move it")
