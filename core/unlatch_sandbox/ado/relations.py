"""Links of a work item: to other work items, which show them from their side, and to web pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unlatch_sandbox.ado.boards import PARENT, RELATED_COUNT, Boards

if TYPE_CHECKING:
    from unlatch_sandbox.ado.records import WorkItemRecord

TO_PARENT, TO_CHILD = "System.LinkTypes.Hierarchy-Reverse", "System.LinkTypes.Hierarchy-Forward"
RELATED, HYPERLINK = "System.LinkTypes.Related", "Hyperlink"
ARTIFACT = "ArtifactLink"
OTHER_SIDE = {TO_PARENT: TO_CHILD, RELATED: RELATED}

Relation = dict[str, Any]


def counted(added: list[Relation], item: WorkItemRecord) -> dict[str, Any]:
    """The fields in which an item shows its links."""
    if not added:
        return {}
    every = [*item.relations, *added]
    parents = [relation["target"] for relation in every if relation["rel"] == TO_PARENT]
    return {
        RELATED_COUNT: sum(relation["rel"] != HYPERLINK for relation in every),
        "System.HyperLinkCount": sum(relation["rel"] == HYPERLINK for relation in every),
        **({PARENT: parents[0]} if parents else {}),
    }


def mirror(added: list[Relation], item: WorkItemRecord, boards: Boards, by: str) -> None:
    """A link to another work item also makes a new revision of that one."""
    for relation in added:
        target = boards.item(relation["target"]) if relation["rel"] in OTHER_SIDE else None
        if target is not None:
            name = OTHER_SIDE[relation["rel"]]
            back = {"rel": name, "target": item.id, "attributes": relation["attributes"]}
            changes = counted([back], target)
            target.relations.append(back)
            boards.revise(target, changes, by)
