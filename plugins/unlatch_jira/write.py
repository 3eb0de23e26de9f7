"""Write a change to an issue: its state, then comment and labels in one edit."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from unlatch.spi import Goal, Outcome, Progress, must_move
from unlatch_jira.api.edit import Edit, build_edit
from unlatch_jira.children import CHILDREN, Children
from unlatch_jira.reopen_context import ReopenContext, ReopenTarget
from unlatch_jira.send import NOT_SILENT, clear_resolution, find_said, send
from unlatch_jira.workflow import screens
from unlatch_jira.workflow.transition_runner import ALLOW_PATH, TransitionGoal, TransitionRunner

if TYPE_CHECKING:
    from unlatch.spi import Change
    from unlatch_jira.api.client import JiraClient
    from unlatch_jira.api.models import Issue
    from unlatch_jira.api.site import JiraSite
    from unlatch_jira.api.workflow_models import Transition
    from unlatch_jira.settings import JiraSettings


class Writer:
    """Writes changes to issues through a client, which may only list them."""

    def __init__(self, settings: JiraSettings, client: JiraClient, site: JiraSite) -> None:
        self._settings = settings
        self._client = client
        self._site = site
        self._walker = walker = TransitionRunner(settings, client, site)
        self._surroundings = ReopenContext(settings, client, site, walker)
        self._children = Children(settings, client, site, walker)

    def write(self, issue: Issue, change: Change) -> Outcome:
        """Take transitions, reopen children and parent as configured, then send the edit.

        An epic's children come before its comment, so that its marker proves them too.
        """
        # An invalid comment is refused before anything is written.
        edit = build_edit(self._settings, issue, change)
        with Progress(issue.item) as done:
            self._write(issue, change, edit, done)
        return done.outcome

    def _write(self, issue: Issue, change: Change, edit: Edit, done: Progress) -> None:
        goal = change.goal
        around = self._surroundings.look(issue) if goal is Goal.OPEN else ReopenTarget()
        move = None
        if goal is not None and must_move(issue.item, goal):
            allowed = ALLOW_PATH in change.options.plugin
            walk = TransitionGoal(
                goal,
                done,
                allowed,
                comment=None if edit.restriction else edit.comment,
                is_silent=edit.is_silent,
            )
            move = self._walker.move_to_goal(issue, walk)
            if walk.is_said:
                edit = find_said(self._client, issue, edit, done)
            if move is None:
                return
        done.notes += around.notes
        done.unchanged = change.draft is not None and not edit.fields
        self._reopen_others(issue, change, around, done)
        whole = replace(edit, fields={**edit.fields, **around.fields})
        if whole and whole.is_silent and not self._site.may_silence(issue.item.ref.target):
            whole = replace(whole, is_silent=False)
            done.notes.append(NOT_SILENT)
        after, sent = send(self._client, issue, whole, done, goal=goal if move else None)
        done.notes += [note for name, note in around.field_notes.items() if name in sent.fields]
        if goal is not None and move is not None:
            self._settle(after, move, goal, done)

    def _reopen_others(
        self, issue: Issue, change: Change, around: ReopenTarget, done: Progress
    ) -> None:
        if around.parent is not None:
            self._surroundings.reopen_parent(around.parent, done)
        if change.goal is Goal.OPEN and CHILDREN in change.options.plugin:
            self._children.reopen(issue.key, change, done)

    def _settle(self, after: Issue, move: Transition, goal: Goal, done: Progress) -> None:
        """Read the issue after the transition, and clear a resolution left on an open issue."""
        if must_move(after.item, goal):
            done.notes.append(screens.no_effect_note(after, move))
            return
        if goal is Goal.OPEN and after.resolution is not None:
            after = clear_resolution(self._client, after, done)
        done.notes += screens.resolution_notes(after, move)
