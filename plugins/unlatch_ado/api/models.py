"""Azure DevOps' answers about work items as our types.

The library's models accept any answer, so the required fields are checked here.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from unlatch.patterns import pattern
from unlatch.spi import read_stamp
from unlatch.transport.answer import each, flag, optional, required, table, text, whole
from unlatch.values import dataclass
from unlatch_ado.api.patch import DESCRIPTION, PARENT_LINK, read_tags

if TYPE_CHECKING:
    from datetime import datetime

# The fields to read; the others of an item are not needed.
FIELDS = (
    "System.TeamProject",
    "System.WorkItemType",
    "System.Title",
    "System.State",
    "System.Tags",
    "System.AssignedTo",
    "System.ChangedDate",
    "System.ChangedBy",
    "System.CreatedDate",
    "System.IterationPath",
    "Microsoft.VSTS.Common.StateChangeDate",
)
# Those that `owned_item` needs beside them.
OWNER_FIELDS = ("System.Reason", "System.CreatedBy")
_ITEM_URL = pattern(r"/_apis/wit/workItems/(\d{1,10})$", re.IGNORECASE)
_PROJECT_ID = pattern(r"/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/_apis/", re.IGNORECASE)


# https://learn.microsoft.com/azure/devops/boards/queries/link-type-reference
_LINKS = ("ArtifactLink", "Hyperlink")


@dataclass(frozen=True, slots=True)
class WorkItem:
    """A work item in an answer.

    Args:
        description: its description; None if the request omitted it.
        inactive: whether its assignee has left, by the answer.
        iteration: the path of its iteration.
        parent: the number of its parent, if it has one and the request included it.
        project_id: its project's id, if the answer shows it.
        links: the addresses of commits, pull requests and pages that it is linked to, if the
            request included them.
        state_since: when its state last changed; processes may lack the field.
    """

    id: int
    revision: int
    project: str
    type: str
    title: str
    state: str
    tags: tuple[str, ...]
    assignee: str | None = None
    changed: datetime | None = None
    changed_by: str | None = None
    created: datetime | None = None
    description: str | None = None
    inactive: bool = False
    iteration: str = ""
    parent: str | None = None
    project_id: str | None = None
    state_since: datetime | None = None
    links: tuple[str, ...] = ()


def parts(answer: Any) -> dict[str, Any]:
    """The fields of an object, as JSON or as one of the library's models."""
    return table(getattr(answer, "__dict__", answer))


def work_item(answer: Any, *, described: bool = True) -> WorkItem:
    """One work item.

    Args:
        described: whether the request included its description; an empty one is omitted.

    Raises:
        Misread: it is none.
    """
    item = parts(answer)
    fields = required(item, "fields", table)
    person = optional(fields, "System.AssignedTo", _person) or {}
    changed_by = optional(fields, "System.ChangedBy", _person) or {}
    description = optional(fields, DESCRIPTION, text) or ""
    relations = optional(item, "relations", each(_relation)) or ()
    home = _PROJECT_ID.search(optional(item, "url", text) or "")
    return WorkItem(
        id=required(item, "id", whole),
        revision=required(item, "rev", whole),
        project=required(fields, "System.TeamProject", text),
        type=required(fields, "System.WorkItemType", text),
        title=required(fields, "System.Title", text),
        state=required(fields, "System.State", text),
        tags=read_tags(optional(fields, "System.Tags", text)),
        assignee=optional(person, "displayName", text),
        changed=read_stamp(optional(fields, "System.ChangedDate", text)),
        changed_by=optional(changed_by, "displayName", text),
        created=read_stamp(optional(fields, "System.CreatedDate", text)),
        description=description if described else None,
        inactive=optional(person, "inactive", flag) or False,
        iteration=optional(fields, "System.IterationPath", text) or "",
        parent=next((number for pair in relations if (number := _parent(*pair))), None),
        project_id=home[1] if home else None,
        state_since=read_stamp(optional(fields, "Microsoft.VSTS.Common.StateChangeDate", text)),
        links=tuple(url for kind, url in relations if kind in _LINKS),
    )


@dataclass(frozen=True, slots=True)
class OwnedItem:
    """A work item with what decides who may reopen it.

    Args:
        reason: of its state.
        author: the id of the account that created it.
        assignee: that of its assignee.
    """

    item: WorkItem
    reason: str
    author: str | None
    assignee: str | None


def owned_item(answer: Any) -> OwnedItem:
    """A work item that was read with the fields of OWNER_FIELDS."""
    fields = required(parts(answer), "fields", table)

    def account(name: str) -> str | None:
        return optional(optional(fields, name, _person) or {}, "id", text)

    reason = optional(fields, "System.Reason", text) or ""
    accounts = account("System.CreatedBy"), account("System.AssignedTo")
    return OwnedItem(work_item(answer, described=False), reason, *accounts)


@dataclass(frozen=True, slots=True)
class Revision:
    """A revision of a work item with a comment.

    Args:
        comment: the id of the comment, if the answer shows it.
        text: in HTML.
    """

    item: int
    number: int
    at: datetime | None
    text: str
    comment: int | None


def revisions(answer: Any) -> tuple[list[Revision], str | None]:
    """The revisions of a batch that have a comment, and the token of the next batch."""
    batch = table(answer)
    commented = filter(None, optional(batch, "values", each(_revision)) or ())
    is_last = optional(batch, "isLastBatch", flag) is not False
    return list(commented), None if is_last else optional(batch, "continuationToken", text)


def _revision(raw: Any) -> Revision | None:
    fields = required(table(raw), "fields", table)
    words = optional(fields, "System.History", text)
    if not words:
        return None
    ref = optional(raw, "commentVersionRef", table) or {}
    return Revision(
        required(raw, "id", whole),
        required(raw, "rev", whole),
        read_stamp(optional(fields, "System.ChangedDate", text)),
        words,
        optional(ref, "commentId", whole),
    )


def members(answer: Any) -> list[str | None]:
    """The ids of the accounts in a page of a team's members."""
    return [
        optional(required(row, "identity", table), "id", text)
        for row in required(table(answer), "value", each(table))
    ]


def _person(value: Any) -> dict[str, Any]:
    # An object since version 5 of the API, before that a name.
    return {"displayName": value} if isinstance(value, str) else table(value)


def _relation(answer: Any) -> tuple[str, str]:
    relation = parts(answer)
    return optional(relation, "rel", text) or "", optional(relation, "url", text) or ""


def _parent(kind: str, url: str) -> str | None:
    match = _ITEM_URL.search(url)
    return match[1] if match and kind == PARENT_LINK else None


def batch(answer: Any) -> list[tuple[int, bytes]]:
    """The answer to each request of a batch: status and body."""
    rows = required(parts(answer), "value", each(table))
    return [(required(row, "code", whole), _raw(row.get("body"))) for row in rows]


def _raw(body: Any) -> bytes:
    # JSON within JSON, as a string.
    if isinstance(body, str):
        return body.encode()
    return json.dumps({} if body is None else table(body)).encode()


def ids(answer: Any) -> list[int]:
    """The items found by a query, in its order."""
    rows = optional(parts(answer), "work_items", each(parts)) or ()
    return [required(row, "id", whole) for row in rows]
