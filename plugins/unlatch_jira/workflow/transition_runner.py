"""Take one transition to the goal, or several if allowed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from unlatch.errors import Forbidden, NotFound, Rejected
from unlatch.spi import must_move
from unlatch.values import dataclass
from unlatch_jira.api.errors import FieldsNotOnScreen, TransitionRefused
from unlatch_jira.api.transitions import NoWayError, offered_among
from unlatch_jira.settings_types import MAX_STEPS, Transitions, stage_of
from unlatch_jira.workflow import screens
from unlatch_jira.workflow.choose import choose, nearest
from unlatch_jira.workflow.transition_path import (
    WorkflowMap,
    path_needs_consent,
    path_not_found,
    paths_setting,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from unlatch.spi import Goal, Progress
    from unlatch_jira.api.client import JiraClient
    from unlatch_jira.api.models import Issue
    from unlatch_jira.api.site import JiraSite
    from unlatch_jira.api.workflow_models import Transition
    from unlatch_jira.settings import JiraSettings

ALLOW_PATH = "allow-path"


@dataclass(slots=True)
class TransitionGoal:
    """The goal of an issue's transitions.

    Args:
        goal: the state to reach.
        done: receives each transition that Jira accepted.
        allow_path: whether several transitions may be taken without configuration.
        properties: the properties to set on the issue with the last transition.
        comment: the body of the operation's comment, for a transition that wants it.
        is_silent: whether the comment goes with the transition, which makes one mail of two.
        is_said: whether a transition had it; Jira can have dropped it all the same.
    """

    goal: Goal
    done: Progress
    allow_path: bool = False
    properties: tuple[Mapping[str, Any], ...] = ()
    comment: Any = None
    is_silent: bool = False
    is_said: bool = False

    @property
    def stage(self) -> str:
        """The table of `trackers.jira.fields` for it."""
        return stage_of(self.goal)


@dataclass(frozen=True, slots=True)
class TransitionRunner:
    """Moves issues through their workflows."""

    settings: JiraSettings
    client: JiraClient
    site: JiraSite

    def move_to_goal(self, issue: Issue, walk: TransitionGoal) -> Transition | None:
        """Move an issue to a goal.

        Returns:
            The last transition, not verified; None if Jira accepted an earlier one without effect.

        Raises:
            Rejected: no path exists, or it needs more than one transition.
        """
        way = self.settings.paths.towards(walk.goal, issue.item.state)
        if way:
            return self._along(issue, way, walk)
        try:
            moves = self.client.moves(issue)
            move = choose(moves, walk.goal, self._transitions(issue))
        except NoWayError as refusal:
            return self._by_steps(issue, walk, refusal)
        self._take(issue, move, walk, arrives=True)
        return move

    def _transitions(self, issue: Issue) -> Transitions:
        return self.settings.transitions_at(issue.item.ref.target, issue.item.type)

    def _by_steps(self, issue: Issue, walk: TransitionGoal, refusal: Rejected) -> Transition | None:
        start = issue.item.state
        hops = self._map(issue).way(start, walk.goal, self._transitions(issue))
        if not walk.allow_path:
            raise path_needs_consent(refusal, walk.goal, start, hops) from refusal
        if not hops:
            return self._search(issue, walk)
        move = self._along(issue, tuple(hop.id for hop in hops), walk)
        if move is not None:
            walk.done.notes.append(_path_note(walk, start, tuple(hop.to for hop in hops)))
        return move

    def _map(self, issue: Issue) -> WorkflowMap:
        """The issue's workflow; empty if this account may not view it."""
        from unlatch_jira.api.site_models import Preview  # noqa: PLC0415  (rarely needed)

        fields, unknown = issue.answer.fields, WorkflowMap(Preview({}))
        kind = fields.type.id if fields.type else None
        if not self.client.is_cloud or fields.project_id is None or kind is None:
            return unknown
        try:
            return WorkflowMap(self.site.preview(fields.project_id, kind))
        except (NotFound, Forbidden, Rejected):
            return unknown

    def _along(self, here: Issue, way: Sequence[str], walk: TransitionGoal) -> Transition | None:
        """Take the steps of a known path, reading the issue before each."""
        step, *rest = way
        move = self.client.find_transition(here, step, None if rest else walk.goal)
        self._take(here, move, walk, arrives=not rest)
        if not rest:
            return move
        there = self._next_station(here, move, walk)
        return self._along(there, rest, walk) if there else None

    def _search(self, here: Issue, walk: TransitionGoal) -> Transition | None:
        """Search a path step by step, if Jira shows no workflow."""
        passed = [here.item.state]
        while True:
            move, arrives = self._next_move(here, passed, walk)
            self._take(here, move, walk, arrives=arrives)
            passed.append(move.to.name)
            there = None if arrives else self._next_station(here, move, walk)
            if not arrives and there is None:
                return None
            if there is None or not must_move(there.item, walk.goal):
                walk.done.notes.append(_path_note(walk, passed[0], tuple(passed[1:])))
                return move
            here = there

    def _next_move(
        self, here: Issue, passed: Sequence[str], walk: TransitionGoal
    ) -> tuple[Transition, bool]:
        """The next transition to try, and whether it reaches the goal."""
        moves = offered_among(self.client.moves(here))
        try:
            return choose(moves, walk.goal, self._transitions(here)), True
        except NoWayError:
            move = nearest(moves, passed)
            if move is None or len(passed) == MAX_STEPS:
                raise path_not_found(walk.goal, passed[0], tuple(passed[1:])) from None
            return move, False

    def _next_station(self, before: Issue, move: Transition, walk: TransitionGoal) -> Issue | None:
        """The issue after a step; None if it did not move."""
        here = self.client.issue_after(
            before.key, moves=True, is_shown=lambda seen: seen.item.state != before.item.state
        )
        walk.done.item = here.item
        if here.item.state != before.item.state:
            return here
        walk.done.notes.append(screens.no_effect_note(here, move))
        return None

    def _take(self, issue: Issue, move: Transition, walk: TransitionGoal, *, arrives: bool) -> None:
        fields = screens.resolution_for(move, walk.goal, issue, self.settings)
        missing = screens.required_fields(move, fields)
        # A rule of the workflow can want a field that its screen does not call required.
        wanted = {
            name: field
            for name, field in move.screen.items()
            if name not in fields
            and screens.configured(name, field, self.settings, walk.stage) is not None
        }
        if missing or wanted:
            # Existing values stay.
            held = self.client.values(issue.key, missing | wanted)
            empty = {
                name: field for name, field in (missing | wanted).items() if not held.get(name)
            }
            fields |= screens.configured_fields(empty, self.settings, walk.stage)
            missing = {
                name: field for name, field in missing.items() if name in empty.keys() - fields
            }
            walk.done.notes += screens.wrong_values(
                empty, fields, self.settings, walk.stage
            ).values()
        if missing:
            raise screens.missing_fields_error(move, missing, self.settings, walk.stage)
        self._send(issue, move, fields, walk, arrives=arrives)
        # Not verified: some servers accept a transition without effect.
        means = move.to.means_after(walk.goal)
        walk.done.item = replace(issue.item, state=move.to.name, category=means)

    def _send(
        self,
        issue: Issue,
        move: Transition,
        fields: Mapping[str, Any],
        walk: TransitionGoal,
        *,
        arrives: bool,
    ) -> None:
        """Take a transition, with the comment if that is configured, or if Jira wants it."""
        properties = walk.properties if arrives else ()
        comment = None if walk.is_said else walk.comment
        is_first = arrives and (walk.is_silent or self.settings.comment_in_transition)
        # Without a screen, Jira drops a comment with no error.
        is_first = is_first and move.takes_comment
        for said in (comment, None) if is_first else (None, comment):
            try:
                self.client.move(issue, move, fields, properties, said)
            except (TransitionRefused, FieldsNotOnScreen) as refusal:
                is_last = comment is None or (said is None) is is_first
                if is_last or refusal.fields - {"comment"} or not move.may_take_comment:
                    if isinstance(refusal, TransitionRefused):
                        is_unsaid = walk.comment is None and move.may_take_comment
                        unsaid = issue.item.ref.id if is_unsaid else None
                        refused = (move, walk.stage, refusal.fields, fields.keys(), unsaid)
                        refusal.hint = screens.Refused(*refused).hint(self.settings)
                    raise
            else:
                walk.is_said = walk.is_said or said is not None
                return


def _path_note(walk: TransitionGoal, started: str, steps: tuple[str, ...]) -> str:
    way = " > ".join((started, *steps))
    return f"went {way}; to keep to it: {paths_setting(walk.goal, started, steps)}"
