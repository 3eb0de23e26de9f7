"""Whether the configured types, states and fields are those of a project's process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.spi import Goal, Remark

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch_ado.api.models import Type
    from unlatch_ado.settings import AdoSettings

_TABLE = "[trackers.ado]"
_MEANT = {
    Goal.OPEN: "an open one",
    Goal.COMPLETED: "a closed one",
    Goal.NOT_PLANNED: "a closed one",
}


def remarks_on(
    settings: AdoSettings, project: str, types: dict[str, Type], used: set[str]
) -> list[Remark]:
    """What of the configuration does not fit a project.

    Args:
        types: the project's work item types, by their names without regard to case.
        used: the types of the linked work items in it.
    """
    makes = settings.project is not None and settings.project.casefold() == project.casefold()
    made = (settings.work_item_type, *settings.types.values()) if makes else ()
    remarks = list(_types(settings, project, types, made))
    names = dict.fromkeys(name.casefold() for name in (*made, *used))
    for name in names:
        if name in types:
            remarks += _states(settings, project, types[name])
    if any(one.fields for one in types.values()):
        remarks += _fields(settings, project, types)
    return remarks


def _types(
    settings: AdoSettings, project: str, types: dict[str, Type], made: tuple[str, ...]
) -> Iterator[Remark]:
    for name in dict.fromkeys(made):
        if name.casefold() not in types:
            known = ", ".join(sorted(one.workflow.type for one in types.values()))
            yield Remark(
                "type-not-found",
                f"{project} has no work item type {name!r}; it has: {known}",
                f"{_TABLE} work_item_type, types",
                "name one of them",
                is_error=True,
            )
    for name in settings.states_by_type:
        if name.casefold() not in types:
            yield Remark(
                "type-not-found",
                f"{project} has no work item type {name!r}",
                f"{_TABLE} states_by_type",
                "name one that it has, or leave it if another project has it",
            )


def _states(settings: AdoSettings, project: str, type_: Type) -> Iterator[Remark]:
    own = next(
        (
            states
            for name, states in settings.states_by_type.items()
            if name.casefold() == type_.workflow.type.casefold()
        ),
        None,
    )
    named = {goal: ("states", *found) for goal, found in settings.states.named().items()}
    if own is not None:
        table = f"states_by_type.{type_.workflow.type}"
        named |= {goal: (table, *found) for goal, found in own.named().items()}
    for goal, (table, setting, state) in named.items():
        problem = _problem(type_, goal, state)
        if problem is not None:
            yield Remark(
                problem[0],
                f"a {type_.workflow.type} in {project} {problem[1]}",
                f"{_TABLE} {table}.{setting}",
                "name one of its states here, or in `states_by_type` for this type alone",
                is_error=True,
            )


def _problem(type_: Type, goal: Goal, state: str) -> tuple[str, str] | None:
    states = type_.workflow.states
    found = next((name for name in states if name.casefold() == state.casefold()), None)
    if found is None:
        known = ", ".join(f"{name} ({category})" for name, category in states.items())
        return "state-unknown", f"has no state {state!r}; it has: {known}"
    category = type_.workflow.category(found)
    if category is None or category.is_open != (goal is Goal.OPEN):
        meant = f"{states[found]}, and {_MEANT[goal]} is meant"
        return "state-misplaced", f"is {meant} when it is in state {found!r}"
    return None


def _fields(settings: AdoSettings, project: str, types: dict[str, Type]) -> Iterator[Remark]:
    known = {name.casefold() for one in types.values() for name in one.fields}
    for table in ("create", "reopen", "close"):
        for name in getattr(settings.fields, table):
            if name.casefold() not in known:
                yield Remark(
                    "field-not-found",
                    f"no work item type of {project} has a field {name}",
                    f"{_TABLE} fields.{table}",
                    "correct its reference name (Organization settings, Process, the type's page)",
                    is_error=True,
                )
