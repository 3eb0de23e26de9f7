"""The settings in `[trackers.jira]` about transitions, paths and reopened issues."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from unlatch.spi import Goal
from unlatch.spi.tables import Check, Constraint, Table, setting
from unlatch_jira.urls import PROJECT

MAX_STEPS = 3

Named = Annotated[str, Constraint(min_length=1)]
# Each transition may send mail and start automation, so a long path is a mistake.
Way = Annotated[tuple[Named, ...], Constraint(min_length=1, max_length=MAX_STEPS)]
# When fields are set: the tables of `trackers.jira.fields`.
REOPEN, CLOSE, CREATE = STAGES = ("reopen", "close", "create")
FieldValue = str | int | float | bool | list[Any] | dict[str, Any]


class Transitions(Table):
    """The transitions to take if the workflow offers several."""

    reopen: Named | None = setting(
        default=None, description="To reopen: name or id of a transition, or the status to reach"
    )
    complete: Named | None = setting(default=None, description="To complete: the same")
    drop: Named | None = setting(default=None, description="To abandon: the same")

    def towards(self, goal: Goal) -> str | None:
        """The configured transition or status towards `goal`."""
        return {
            Goal.OPEN: self.reopen,
            Goal.COMPLETED: self.complete,
            Goal.NOT_PLANNED: self.drop,
        }[goal]


def stage_of(goal: Goal) -> str:
    """The table of `trackers.jira.fields` for transitions towards a goal."""
    return REOPEN if goal is Goal.OPEN else CLOSE


class Paths(Table):
    """Paths of several transitions, by their first status."""

    reopen: dict[Named, Way] = setting(
        default={},
        description="To reopen: for the issue's current status, the statuses or transitions to "
        "go through",
    )
    complete: dict[Named, Way] = setting(default={}, description="To complete: the same")
    drop: dict[Named, Way] = setting(default={}, description="To abandon: the same")

    def towards(self, goal: Goal, status: str) -> tuple[str, ...]:
        """The configured path, or its rest, from a status to `goal`; empty if there is none."""
        ways = {
            Goal.OPEN: self.reopen,
            Goal.COMPLETED: self.complete,
            Goal.NOT_PLANNED: self.drop,
        }[goal]
        word = status.casefold()
        for start, way in ways.items():
            if start.casefold() == word:
                return way
        # An earlier run may have been interrupted.
        for way in ways.values():
            names = [step.casefold() for step in way]
            if word in names[:-1]:
                return way[names.index(word) + 1 :]
        return ()


class OnReopen(Table):
    """Further changes to the sprint, parent and assignee of a reopened issue."""

    sprint: Literal["keep", "active"] = setting(
        default="keep",
        description="`active` moves the issue to the active sprint of its board if all its "
        "sprints are closed",
    )
    parent: Literal["report", "reopen"] = setting(
        default="report", description="A closed parent: `report` it, or `reopen` it too"
    )
    assignee: Literal["keep", "me"] = setting(
        default="keep",
        description="`me` assigns the issue to the token's account if it has no active assignee",
    )


def _circle(name: str) -> str:
    kind, _, rest = name.partition(":")
    if kind not in ("group", "role") or not rest.strip():
        raise ValueError(f"{name!r} is neither group:NAME nor role:NAME")
    return name


# People of the site or of a project: "group:support", "role:Developers".
Circle = Annotated[str, Check(_circle)]


def _place(key: str) -> str:
    project, slash, kind = key.partition("/")
    is_place = PROJECT.fullmatch(project) or (project == "*" and slash)
    if not is_place or (slash and not kind.strip()):
        raise ValueError(f"{key!r} is none of PROJECT, PROJECT/Type and */Type, such as OPS/Bug")
    return key


# A project, a type of issue in it, or a type in every project: "OPS", "OPS/Bug", "*/Bug".
Place = Annotated[str, Check(_place)]


def places(project: str, kind: str | None) -> tuple[str, ...]:
    """The places that match an issue, the narrowest first, in lower case."""
    of_type = (f"{project}/{kind}", f"*/{kind}") if kind else ()
    return tuple(place.casefold() for place in (*of_type[:1], project, *of_type[1:]))
