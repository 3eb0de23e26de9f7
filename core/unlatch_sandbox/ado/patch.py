"""A JSON Patch document: its operations and the rules for them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from unlatch_sandbox.ado import guards, refusals, relations
from unlatch_sandbox.ado.boards import (
    AREA,
    ASSIGNED,
    HISTORY,
    ITERATION,
    PARENT,
    STATE,
    TAGS,
    TITLE,
    Boards,
    join_tags,
    split_tags,
)
from unlatch_sandbox.ado.processes import WorkItemType, custom_fields
from unlatch_sandbox.ado.relations import HYPERLINK, OTHER_SIDE, TO_PARENT, Relation
from unlatch_sandbox.answers import NotKnownError, check_keys

if TYPE_CHECKING:
    from unlatch_sandbox.ado.records import ProjectRecord, WorkItemRecord

MOST_TAGS = 100
_PREFIX = "/fields/"
_ITEM = re.compile(r"/_apis/wit/workItems/(\d+)$", re.IGNORECASE)
_SETTABLE = (
    TITLE,
    STATE,
    TAGS,
    HISTORY,
    ASSIGNED,
    "System.Reason",
    "System.Description",
    "System.AreaPath",
    "System.IterationPath",
    "Microsoft.VSTS.Common.Priority",
    "Microsoft.VSTS.Common.AcceptanceCriteria",
    "Microsoft.VSTS.TCM.ReproSteps",
)
_INVALID_STATE = "Required, HasValues, LimitedToValues, AllowsOldValue, InvalidNotOldValue"


@dataclass(slots=True)
class Patch:
    rev: int | None = None
    changes: dict[str, Any] = field(default_factory=dict)
    relations: list[dict[str, Any]] = field(default_factory=list)


def read(document: Any, item: WorkItemRecord) -> Patch:
    if not isinstance(document, list):
        raise refusals.bad_argument(
            "You must pass a valid patch document in the body of the request."
        )
    patch = Patch()
    for step in document:
        check_keys("patch member", step, ("op", "path", "value", "from"))
        if step.get("from") is not None:
            raise NotKnownError("patch member", "from")
        _take(patch, step["op"], step["path"], step.get("value"), item)
    return patch


def _take(patch: Patch, op: str, path: str, value: Any, item: WorkItemRecord) -> None:
    if (op, path) == ("test", "/rev"):
        patch.rev = int(value)
        return
    if (op, path) == ("add", "/relations/-"):
        patch.relations.append(_read_relation(value))
        return
    name = path.removeprefix(_PREFIX)
    if path.startswith(f"{_PREFIX}Custom.") and name not in custom_fields():
        raise refusals.no_such_field(name)
    if not path.startswith(_PREFIX) or not (name in _SETTABLE or name in custom_fields()):
        raise NotKnownError("patch path", path)
    if op not in ("add", "replace", "remove"):
        raise NotKnownError("patch operation", op)
    if op == "remove":
        value = None
    if name == TAGS:
        value = _tags(op, value, patch.changes.get(TAGS, item.fields.get(TAGS)))
    # An empty value removes the field.
    patch.changes[name] = None if value == "" else value


def _tags(op: str, value: str | None, present: str | None) -> str | None:
    """`add` merges; only `replace` and `remove` remove tags."""
    wanted = split_tags(value or "")
    if op == "add":
        wanted = split_tags(join_tags([*split_tags(present or ""), *wanted]))
    return join_tags(sorted(wanted, key=str.casefold)) or None


def check(patch: Patch, item: WorkItemRecord, kind: WorkItemType, project: ProjectRecord) -> None:
    if patch.rev is not None and patch.rev != item.rev:
        raise refusals.stale(item.rev, patch.rev)
    _check_state(patch.changes.get(STATE, item.fields.get(STATE)), item, kind)
    _check_mandatory(patch, item, kind)
    _check_paths(patch, item, project)
    _check_relations(patch.relations, item)
    if not patch.changes.get(TITLE, item.fields.get(TITLE)):
        raise refusals.rule(TITLE, "Required, InvalidEmpty")
    tags = split_tags(patch.changes.get(TAGS) or "")
    if len(tags) > MOST_TAGS:
        raise refusals.bad_argument(
            f"VS403353: A work item cannot have more than {MOST_TAGS} tags."
        )
    _check_new_tags(tags, project)


def _check_state(wanted: str | None, item: WorkItemRecord, kind: WorkItemType) -> None:
    present = item.fields.get(STATE, "")
    if wanted != present and wanted not in kind.next_states(present):
        raise refusals.rule(STATE, _INVALID_STATE)


def _check_mandatory(patch: Patch, item: WorkItemRecord, kind: WorkItemType) -> None:
    """A rule requires some fields again when an item enters a state."""
    wanted = str(patch.changes.get(STATE, item.fields.get(STATE)))
    if wanted == item.fields.get(STATE):
        return
    for name in kind.required.get(wanted, ()):
        if not patch.changes.get(name):
            raise refusals.rule(name, "Required, InvalidEmpty")


def _check_paths(patch: Patch, item: WorkItemRecord, project: ProjectRecord) -> None:
    for name, paths in ((AREA, project.areas), (ITERATION, project.iterations)):
        path = patch.changes.get(name, item.fields[name])
        if path != project.name and path not in paths:
            raise refusals.no_such_path(item.id, name)
        if name == AREA and paths.get(path, "edit") != "edit":
            raise refusals.no_area_rights(item.id)


def _check_new_tags(tags: list[str], project: ProjectRecord) -> None:
    existing = {tag.casefold() for tag in project.tags}
    if not project.create_tags and any(tag.casefold() not in existing for tag in tags):
        raise refusals.no_new_tags()


def apply(patch: Patch, item: WorkItemRecord, boards: Boards, by: str) -> None:
    changes = patch.changes | relations.counted(patch.relations, item)
    item.relations += patch.relations
    boards.revise(item, changes, by)
    relations.mirror(patch.relations, item, boards, by)
    boards.learn_tags(item)


def _read_relation(value: Any) -> Relation:
    check_keys("relation", value, ("rel", "url", "attributes"))
    name, url = value["rel"], value["url"]
    attributes = value.get("attributes") or {}
    check_keys("attribute of a relation", attributes, ("comment",))
    if name == HYPERLINK:
        return {"rel": name, "target": url, "attributes": attributes}
    if name not in OTHER_SIDE:
        raise NotKnownError("relation", name)
    match = _ITEM.search(url)
    if match is None or not url.startswith(guards.organization_url()):
        raise refusals.bad_argument(f"{url} is no address of a work item.")
    return {"rel": name, "target": int(match[1]), "attributes": attributes}


def _check_relations(added: list[Relation], item: WorkItemRecord) -> None:
    for relation in added:
        if relation["rel"] == HYPERLINK:
            continue
        target = guards.item(relation["target"], None)
        if relation["rel"] == TO_PARENT and PARENT in item.fields:
            raise refusals.second_parent(item.id, target.id)
