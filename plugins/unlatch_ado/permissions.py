"""Check the token's permissions, and the configuration against the process; read-only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.errors import NotFound, Rejected, TrackerError, Unauthorised
from unlatch.spi import Access, Change, Draft, Examination, Goal, Remark, as_html, must_move
from unlatch.spi.text import Span
from unlatch_ado.api.patch import Patch
from unlatch_ado.create import patch_for_new
from unlatch_ado.snapshot import WorkItemSnapshot, interpret
from unlatch_ado.write import patch_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from unlatch.spi import ItemRef
    from unlatch_ado.api.client import Client
    from unlatch_ado.api.models import WorkItem
    from unlatch_ado.api.setup_models import Type
    from unlatch_ado.settings import AdoSettings

_PROBE = Change("0" * 26, Goal.OPEN)
_DRAFT = Draft("0000-unlatch", "unlatch asks whether it may make this", None, ())
_WORDS = as_html(((Span("unlatch asks whether it may comment here."),),))
_HINTS = {
    "read": "the scope Work Items: Read, and 'View work items in this node' on the area path",
    "reopen": "the scope Work Items: Read & write, and 'Edit work items in this node'",
    "comment": "the scope Work Items: Read & write, and 'Edit work items in this node'",
    "label": "'Create tag definition' (Project settings, Permissions); tags that exist can be used",
    "create": "'Edit work items in this node' on the area path of new work items",
}


def examine(settings: AdoSettings, client: Client, refs: Sequence[ItemRef]) -> Examination:
    """Check the token's permissions, and the configuration against the process.

    The server validates changes without applying them (`validateOnly`).

    Raises:
        TrackerError: nothing could be determined.
    """
    login = _login(client)
    ours = [ref for ref in refs if settings.allows(ref)]
    items = client.read_many(ref.id for ref in ours)
    seen, remarks = _understood(settings, client, ours, items)
    places = []
    for project in settings.places:
        here = [
            snapshot for snapshot in seen if snapshot.item.project.casefold() == project.casefold()
        ]
        place, said = _place(settings, client, project, here)
        places.append(place)
        remarks += said
    return Examination(login, tuple(places), tuple(remarks))


def _login(client: Client) -> str | None:
    try:
        return client.projects.account().name or None
    except (NotFound, Rejected):
        # An old server, or one that hides it; no command needs it.
        return None


def _understood(
    settings: AdoSettings,
    client: Client,
    refs: Iterable[ItemRef],
    items: Mapping[str, WorkItem | TrackerError],
) -> tuple[list[WorkItemSnapshot], list[Remark]]:
    seen, remarks = [], []
    for ref in refs:
        item = items[str(int(ref.id))]
        try:
            if isinstance(item, TrackerError):
                raise item
            seen.append(interpret(settings, client.projects, item))
        except TrackerError as error:
            remarks.append(_remark(error, settings.name(ref)))
    return seen, remarks


def _place(
    settings: AdoSettings, client: Client, project: str, seen: list[WorkItemSnapshot]
) -> tuple[Access, list[Remark]]:
    target = settings.target_of(project)
    try:
        types = client.projects.types(project)
    except TrackerError as error:
        return _access(target, {"read": False}), [_remark(error, target)]
    remarks = check_process(settings, project, types, {snapshot.item.type for snapshot in seen})
    rights: dict[str, bool | None] = {"read": True if seen else None}
    rights |= _rights_on_items(settings, client, seen, remarks)
    if settings.project is not None and settings.project.casefold() == project.casefold():
        rights["create"] = _may_create(settings, client, types, remarks)
    return _access(target, rights), remarks


def _access(target: str, rights: dict[str, bool | None]) -> Access:
    hints = dict.fromkeys(_HINTS[name] for name, allowed in rights.items() if allowed is False)
    return Access(target, rights, f"grant {'; '.join(hints)}" if hints else None)


def _rights_on_items(
    settings: AdoSettings, client: Client, seen: list[WorkItemSnapshot], remarks: list[Remark]
) -> dict[str, bool | None]:
    """The rights, checked on one item; preferably a closed one, whose reopen can be validated."""
    if not seen:
        return {"reopen": None, "comment": None, "label": None}
    snapshot = min(
        seen, key=lambda snapshot: (snapshot.remote.category.is_open, snapshot.remote.deliberate)
    )
    where = settings.name(snapshot.remote.ref)
    may_comment = _allowed(client, snapshot, Patch(None, comment=_WORDS), remarks, where)
    may_reopen = may_comment
    if may_comment and must_move(snapshot.remote, Goal.OPEN) and not snapshot.remote.deliberate:
        try:
            patch = patch_for(settings, snapshot, _PROBE)
        except Rejected as refusal:
            remarks.append(_remark(refusal, where))
            may_reopen = False
        else:
            may_reopen = _allowed(client, snapshot, patch, remarks, where)
    may_tag = (
        client.projects.may_create_tags(snapshot.item.project_id)
        if snapshot.item.project_id
        else None
    )
    label = may_tag if may_comment else may_comment
    return {"reopen": may_reopen, "comment": may_comment, "label": label}


def _allowed(
    client: Client, snapshot: WorkItemSnapshot, patch: Patch, remarks: list[Remark], where: str
) -> bool | None:
    try:
        client.would_change(str(snapshot.item.id), patch.steps())
    except TrackerError as error:
        return _refused(error, remarks, where)
    return True


def _may_create(
    settings: AdoSettings, client: Client, types: dict[str, Type], remarks: list[Remark]
) -> bool | None:
    type_, project = settings.work_item_type, settings.project or ""
    if type_.casefold() not in types:
        return False
    patch = patch_for_new(settings, _DRAFT, _PROBE, {})
    try:
        client.would_create(project, type_, patch.steps())
    except TrackerError as error:
        return _refused(error, remarks, f"a new {type_} in {settings.target}")
    return True


def _refused(error: TrackerError, remarks: list[Remark], where: str) -> bool | None:
    if not isinstance(error, Unauthorised):
        remarks.append(_remark(error, where))
    return False if isinstance(error, Unauthorised | Rejected | NotFound) else None


def _remark(error: TrackerError, where: str) -> Remark:
    return Remark(error.id, error.message, where, error.hint, is_error=True)


_TABLE = "[trackers.ado]"
_MEANT = {
    Goal.OPEN: "an open one",
    Goal.COMPLETED: "a closed one",
    Goal.NOT_PLANNED: "a closed one",
}


def check_process(
    settings: AdoSettings, project: str, types: dict[str, Type], used: set[str]
) -> list[Remark]:
    """The settings that do not match a project.

    Args:
        types: the project's work item types, by their names without regard to case.
        used: the types of the linked work items in it.
    """
    makes = settings.project is not None and settings.project.casefold() == project.casefold()
    created = (settings.work_item_type, *settings.types.values()) if makes else ()
    remarks = list(_types(settings, project, types, created))
    names = dict.fromkeys(name.casefold() for name in (*created, *used))
    for name in names:
        if name in types:
            remarks += _states(settings, project, types[name])
    if any(kind.fields for kind in types.values()):
        remarks += _fields(settings, project, types)
    return remarks


def _types(
    settings: AdoSettings, project: str, types: dict[str, Type], created: tuple[str, ...]
) -> Iterator[Remark]:
    for name in dict.fromkeys(created):
        if name.casefold() not in types:
            offered = ", ".join(sorted(kind.workflow.type for kind in types.values()))
            yield Remark(
                "type-not-found",
                f"{project} has no work item type {name!r}; it has: {offered}",
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
    named = {goal: ("states", *pair) for goal, pair in settings.states.named().items()}
    if own is not None:
        table = f"states_by_type.{type_.workflow.type}"
        named |= {goal: (table, *pair) for goal, pair in own.named().items()}
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
    spelled = next((name for name in states if name.casefold() == state.casefold()), None)
    if spelled is None:
        offered = ", ".join(f"{name} ({category})" for name, category in states.items())
        return "state-unknown", f"has no state {state!r}; it has: {offered}"
    category = type_.workflow.category(spelled)
    if category is None or category.is_open != (goal is Goal.OPEN):
        meant = f"{states[spelled]}, and {_MEANT[goal]} is meant"
        return "state-misplaced", f"is {meant} when it is in state {spelled!r}"
    return None


def _fields(settings: AdoSettings, project: str, types: dict[str, Type]) -> Iterator[Remark]:
    fields = {name.casefold() for kind in types.values() for name in kind.fields}
    for table in ("create", "reopen", "close"):
        for name in getattr(settings.fields, table):
            if name.casefold() not in fields:
                yield Remark(
                    "field-not-found",
                    f"no work item type of {project} has a field {name}",
                    f"{_TABLE} fields.{table}",
                    "correct its reference name (Organization settings, Process, the type's page)",
                    is_error=True,
                )
