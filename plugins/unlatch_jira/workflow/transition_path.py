"""Find paths of several transitions in a workflow. Pure."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from unlatch.errors import Rejected
from unlatch.spi import Goal
from unlatch.values import dataclass
from unlatch_jira.settings_types import MAX_STEPS, Transitions
from unlatch_jira.workflow.choose import likelihood

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch.spi import Category
    from unlatch_jira.api.site_models import Preview

_KINDS = {Goal.OPEN: "reopen", Goal.COMPLETED: "complete", Goal.NOT_PLANNED: "drop"}


@dataclass(frozen=True, slots=True)
class Step:
    """One transition on the map.

    Args:
        id: the transition's.
        name: the transition's.
        to: its target status.
        means: the category of that status.
    """

    id: str
    name: str
    to: str
    to_id: str | None
    means: Category


class WorkflowMap:
    """A workflow, if the account may view it."""

    def __init__(self, preview: Preview) -> None:
        statuses = {status.reference: status for status in preview.statuses}
        self._names = {status.reference: status.name for status in preview.statuses}
        self._everywhere: list[Step] = []
        self._from: dict[str, list[Step]] = {}
        for move in (move for workflow in preview.workflows for move in workflow.transitions):
            status = statuses.get(move.to or "")
            if status is None or move.type == "INITIAL":
                continue
            hop = Step(move.id, move.name, status.name, status.id, status.means)
            if move.type == "GLOBAL":
                self._everywhere.append(hop)
            for start in move.starts:
                name = self._names.get(start or "", "").casefold()
                self._from.setdefault(name, []).append(hop)

    def way(self, status: str, goal: Goal, transitions: Transitions) -> tuple[Step, ...]:
        """The shortest path from a status to `goal`, the likeliest of several; empty if none."""
        ways: list[tuple[Step, ...]] = [()]
        for _ in range(MAX_STEPS):
            ways = [(*way, hop) for way in ways for hop in self._next(status, way)]
            arriving = [way for way in ways if _ends(way[-1], goal, transitions)]
            if arriving:
                return min(arriving, key=lambda way: likelihood(way[-1].name, way[-1].means, goal))
        return ()

    def _next(self, start: str, way: tuple[Step, ...]) -> Iterator[Step]:
        passed = {start.casefold(), *(hop.to.casefold() for hop in way)}
        here = way[-1].to if way else start
        for hop in (*self._from.get(here.casefold(), ()), *self._everywhere):
            if hop.to.casefold() not in passed:
                yield hop


def _ends(hop: Step, goal: Goal, transitions: Transitions) -> bool:
    if hop.means.is_open is not (goal is Goal.OPEN):
        return False
    wanted = transitions.towards(goal)
    word = (wanted or "").casefold()
    is_named = wanted in (hop.id, hop.to_id) or word in (hop.name.casefold(), hop.to.casefold())
    return wanted is None or is_named


def paths_setting(goal: Goal, status: str, steps: tuple[str, ...]) -> str:
    """A path in the configuration's format, to paste below `[trackers.jira]`."""
    way = ", ".join(json.dumps(step, ensure_ascii=False) for step in steps)
    start = json.dumps(status, ensure_ascii=False)
    return f"paths.{_KINDS[goal]} = {{ {start} = [{way}] }}"


def path_needs_consent(
    refusal: Rejected, goal: Goal, status: str, way: tuple[Step, ...]
) -> Rejected:
    """The error for a path of several transitions that is not allowed yet."""
    if not way:
        refusal.hint = (
            f"{refusal.hint}. If the path has other statuses, name them in "
            f"[trackers.jira]: {paths_setting(goal, status, ('...', '...'))} ; or let unlatch find "
            "it by moving the issue: --allow-path"
        )
        return refusal
    steps = tuple(hop.to for hop in way)
    return Rejected(
        "path-needed",
        f"no single transition leads there from {status!r}, but a path of {len(way)} does: "
        f"{' > '.join((status, *steps))}; nothing was changed",
        hint="each step may send mail and start automation. To allow it, put this below "
        f"[trackers.jira]: {paths_setting(goal, status, steps)} ; or allow it once: --allow-path",
    )


def path_not_found(goal: Goal, started: str, steps: tuple[str, ...]) -> Rejected:
    """The error for a search without a result; the issue stays in its status."""
    return Rejected(
        "path-not-found",
        f"{len(steps)} transitions did not lead there: {' > '.join((started, *steps))}; the issue "
        "stays in the last of these statuses",
        hint="move it in Jira, and set the path in [trackers.jira]: "
        f"{paths_setting(goal, started, ('...', '...'))}",
    )
