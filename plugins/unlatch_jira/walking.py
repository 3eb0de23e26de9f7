"""Taking transitions: one where one leads there, several where that is allowed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from unlatch.errors import NotFound, Rejected, Unauthorised
from unlatch.spi import must_move
from unlatch_jira import screens, workflow
from unlatch_jira.choices import MOST_HOPS
from unlatch_jira.routes import Map, as_setting, lost, needs_leave
from unlatch_jira.site_answers import Preview

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from unlatch.spi import Goal
    from unlatch_jira.answers import Issue, Move
    from unlatch_jira.choices import Transitions
    from unlatch_jira.client import JiraClient
    from unlatch_jira.settings import JiraSettings
    from unlatch_jira.site import JiraSite

ALLOW_PATH = "allow-path"


@dataclass(frozen=True, slots=True)
class Walked:
    """What was done to reach a goal.

    Args:
        move: the last transition that was taken.
        notes: what a person should know of the way.
    """

    move: Move
    notes: tuple[str, ...] = ()


class Walker:
    """Brings issues through their workflows."""

    def __init__(self, settings: JiraSettings, client: JiraClient, site: JiraSite) -> None:
        self._settings = settings
        self._client = client
        self._site = site

    def bring(
        self,
        issue: Issue,
        goal: Goal,
        *,
        allow_path: bool,
        properties: Sequence[Mapping[str, Any]] = (),
    ) -> Walked | None:
        """Bring an issue that is not there to `goal`; None if somebody was faster.

        Args:
            allow_path: whether a way of several transitions may be gone that nobody configured.
            properties: what the transition that arrives leaves on the issue.

        Raises:
            Rejected: nothing leads there, or more than one transition would be needed.
        """
        transitions = self._transitions(issue)
        way = self._settings.paths.towards(goal, issue.item.state)
        if way:
            return self._along(issue, goal, way, properties)
        moves = self._client.moves(issue)
        try:
            move = workflow.choose(moves, goal, transitions)
        except workflow.NoWayError as refusal:
            found = self._map(issue).way(issue.item.state, goal, transitions)
            if not allow_path:
                raise needs_leave(refusal, goal, issue.item.state, found) from refusal
            if not found:
                return self._search(issue, goal, properties)
            walked = self._along(issue, goal, tuple(hop.id for hop in found), properties)
            note = _told(goal, issue.item.state, tuple(hop.to for hop in found))
            return replace(walked, notes=(note,)) if walked else None
        self._take(issue, goal, move, properties)
        return Walked(move)

    def _transitions(self, issue: Issue) -> Transitions:
        return self._settings.transitions_at(issue.item.ref.target, issue.kind)

    def _map(self, issue: Issue) -> Map:
        """The issue's workflow; empty where Jira does not show it to us."""
        fields, unknown = issue.answer.fields, Map(Preview())
        kind = fields.type.id if fields.type else None
        if not self._client.is_cloud or fields.project is None or kind is None:
            return unknown
        try:
            return Map(self._site.preview(fields.project.id, kind))
        except (NotFound, Unauthorised, Rejected):
            return unknown

    def _along(
        self,
        issue: Issue,
        goal: Goal,
        way: Sequence[str],
        properties: Sequence[Mapping[str, Any]],
    ) -> Walked | None:
        """Go a known way, looking before each step where the issue is."""
        move = None
        for number, here in enumerate(self._stations(issue, len(way))):
            move = workflow.named(workflow.offered_among(self._client.moves(here)), way[number])
            self._take(here, goal, move, properties if number == len(way) - 1 else ())
        return Walked(move) if move else None

    def _search(
        self, issue: Issue, goal: Goal, properties: Sequence[Mapping[str, Any]]
    ) -> Walked | None:
        """Look for a way by going it, where Jira shows no map."""
        transitions, passed = self._transitions(issue), [issue.item.state]
        move = None
        for here in self._stations(issue, MOST_HOPS):
            if not must_move(here.item, goal):
                break
            moves = workflow.offered_among(self._client.moves(here))
            try:
                move, arrives = workflow.choose(moves, goal, transitions), True
            except workflow.NoWayError:
                found, arrives = workflow.nearest(moves, passed), False
                if found is None or len(passed) == MOST_HOPS:
                    raise lost(goal, passed[0], tuple(passed[1:])) from None
                move = found
            self._take(here, goal, move, properties if arrives else ())
            passed.append(move.to.name)
            if arrives:
                break
        return Walked(move, (_told(goal, passed[0], tuple(passed[1:])),)) if move else None

    def _stations(self, issue: Issue, most: int) -> Iterator[Issue]:
        """The issue before each step, read anew after the one before."""
        here = issue
        for number in range(most):
            if number:
                before, here = here, self._client.issue(here.key, moves=True)
                if here.item.state == before.item.state:
                    raise Rejected(
                        "transition-had-no-effect",
                        f"Jira accepted a transition, and the issue is in {here.item.state!r} all "
                        "the same",
                        hint="take the transition in Jira to see which rule refuses it",
                    )
            yield here

    def _take(
        self, issue: Issue, goal: Goal, move: Move, properties: Sequence[Mapping[str, Any]]
    ) -> None:
        fields = screens.resolution_for(move, goal, issue, self._settings)
        missing = screens.unfilled(move, fields)
        if missing:
            # Jira keeps what a field holds already, so that only empty ones are in the way.
            held = self._client.values(issue.key, missing)
            missing = {name: field for name, field in missing.items() if not held.get(name)}
            fields |= screens.configured(missing, self._settings)
            missing = {name: field for name, field in missing.items() if name not in fields}
        if missing:
            raise screens.needs_fields(move, missing, self._settings)
        self._client.move(issue.key, move, fields, properties)


def _told(goal: Goal, started: str, steps: tuple[str, ...]) -> str:
    way = " > ".join((started, *steps))
    return f"went {way}; to keep to it: {as_setting(goal, started, steps)}"
