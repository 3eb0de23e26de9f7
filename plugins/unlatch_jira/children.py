"""Reopening what belongs to an epic, where that was asked for.

A child is served once by an operation, however often it is delivered: the transition leaves the
operation's property on the child, in the very request that moves it, and the comment after it
carries the marker. A child that has the marker is done; one that has the property alone still
gets its comment; any other that is open was not ours to touch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from unlatch.errors import NotFound, Rejected, Unauthorised
from unlatch.spi import Goal, is_held_closed, ops_in
from unlatch_jira.bodies import plain
from unlatch_jira.edit import property_of
from unlatch_jira.walking import ALLOW_PATH
from unlatch_jira.writing import take_back, write

if TYPE_CHECKING:
    from collections.abc import Callable

    from unlatch.spi import Change
    from unlatch_jira.answers import Issue
    from unlatch_jira.client import JiraClient
    from unlatch_jira.edit import Edit
    from unlatch_jira.settings import JiraSettings
    from unlatch_jira.site import JiraSite
    from unlatch_jira.walking import Walker

CHILDREN = "children"


@dataclass(frozen=True, slots=True)
class Children:
    """Serves an epic's children.

    Args:
        edit: the edit that a change comes to on an issue.
    """

    settings: JiraSettings
    client: JiraClient
    site: JiraSite
    walker: Walker
    edit: Callable[[Issue, Change], Edit]

    def reopen(self, epic: str, change: Change) -> tuple[str, ...]:
        """Reopen the closed children; what there is to tell of it.

        A child that refuses is told of and stays. Whatever may pass by itself is raised, so that
        the epic has no marker yet and all of it is delivered again.
        """
        served, left = [], []
        for key in self._keys(epic):
            try:
                if self._serve(key, change):
                    served.append(key)
            except (Rejected, Unauthorised, NotFound) as refusal:
                left.append(f"{key} stays closed: {refusal.message}")
        told = (f"reopened its children {', '.join(served)}",) if served else ()
        return (*told, *left)

    def _keys(self, epic: str) -> tuple[str, ...]:
        jql = f'parent = "{epic}"'
        if field := self.site.find_epic_field():
            jql = f'cf[{field.rpartition("_")[2]}] = "{epic}" OR {jql}'
        # All of them first: moving issues may change what the next page would hold.
        return tuple(dict.fromkeys(self.client.matching(jql)))

    def _serve(self, key: str, change: Change) -> bool:
        mark = property_of(change.op)
        child = self.client.issue(key, "comment", "project", moves=True, property_key=mark["key"])
        if not self.settings.allows(child.item.ref) or self._is_served(child, change):
            return False
        begun = mark["key"] in child.answer.properties
        if child.item.category.is_open and not begun:
            return False
        if not child.item.category.is_open:
            # One that was closed again after we had opened it is a person's doing.
            if begun or is_held_closed(child.item, change):
                return False
            allowed = ALLOW_PATH in change.options
            self.walker.bring(child, Goal.OPEN, allow_path=allowed, properties=[mark])
        edit = self.edit(child, change)
        written = write(self.client, child, edit, moved=True)
        if not written.after.item.category.is_open:
            take_back(self.client, child, edit)
            raise Rejected("transition-had-no-effect", "Jira accepted its transition in vain")
        return True

    def _is_served(self, child: Issue, change: Change) -> bool:
        if change.comment is None:
            return False
        shown = child.answer.fields.comment
        found = list(shown.comments) if shown else []
        if shown is None or len(found) < shown.total:
            found = list(self.client.comments(child.key))
        return any(change.op in ops_in(plain(one.body)) for one in found)
