"""Links of a work item: to other work items, which show them from their side, and to web pages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from unlatch_sandbox.ado import guards, refusals
from unlatch_sandbox.ado.boards import PARENT, RELATED_COUNT
from unlatch_sandbox.answers import NotKnownError, check_keys

if TYPE_CHECKING:
    from unlatch_sandbox.ado.boards import Boards
    from unlatch_sandbox.ado.records import WorkItemRecord

TO_PARENT, TO_CHILD = "System.LinkTypes.Hierarchy-Reverse", "System.LinkTypes.Hierarchy-Forward"
RELATED, HYPERLINK = "System.LinkTypes.Related", "Hyperlink"
_OTHER_SIDE = {TO_PARENT: TO_CHILD, RELATED: RELATED}
_ITEM = re.compile(r"/_apis/wit/workItems/(\d+)$", re.IGNORECASE)

Relation = dict[str, Any]


def read(value: Any) -> Relation:
    check_keys("relation", value, ("rel", "url", "attributes"))
    name, url = value["rel"], value["url"]
    attributes = value.get("attributes") or {}
    check_keys("attribute of a relation", attributes, ("comment",))
    if name == HYPERLINK:
        return {"rel": name, "target": url, "attributes": attributes}
    if name not in _OTHER_SIDE:
        raise NotKnownError("relation", name)
    match = _ITEM.search(url)
    if match is None or not url.startswith(guards.organization_url()):
        raise refusals.bad_argument(f"{url} is no address of a work item.")
    return {"rel": name, "target": int(match[1]), "attributes": attributes}


def check(added: list[Relation], item: WorkItemRecord) -> None:
    for relation in added:
        if relation["rel"] == HYPERLINK:
            continue
        target = guards.item(relation["target"], None)
        if relation["rel"] == TO_PARENT and PARENT in item.fields:
            raise refusals.second_parent(item.id, target.id)


def counted(added: list[Relation], item: WorkItemRecord) -> dict[str, Any]:
    """The fields in which an item shows its links."""
    if not added:
        return {}
    every = [*item.relations, *added]
    parents = [one["target"] for one in every if one["rel"] == TO_PARENT]
    return {
        RELATED_COUNT: sum(one["rel"] != HYPERLINK for one in every),
        "System.HyperLinkCount": sum(one["rel"] == HYPERLINK for one in every),
        **({PARENT: parents[0]} if parents else {}),
    }


def mirror(added: list[Relation], item: WorkItemRecord, boards: Boards, by: str) -> None:
    """A link to another work item also makes a new revision of that one."""
    for relation in added:
        target = boards.item(relation["target"]) if relation["rel"] in _OTHER_SIDE else None
        if target is not None:
            name = _OTHER_SIDE[relation["rel"]]
            back = {"rel": name, "target": item.id, "attributes": relation["attributes"]}
            changes = counted([back], target)
            target.relations.append(back)
            boards.revise(target, changes, by)
