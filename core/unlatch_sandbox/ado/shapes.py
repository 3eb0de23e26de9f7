from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from unlatch_sandbox.ado.boards import (
    ASSIGNED,
    CHANGED_BY,
    CLOSED_BY,
    DESCRIPTION,
    HISTORY,
    REASON,
    STATE,
    TAGS,
    TITLE,
    stable_uuid,
)

if TYPE_CHECKING:
    from collections.abc import Collection

    from unlatch_sandbox.ado.processes import State, WorkItemType
    from unlatch_sandbox.ado.records import (
        CommentRecord,
        ProjectRecord,
        UpdateRecord,
        WorkItemRecord,
    )

Json = dict[str, Any]

PEOPLE = (ASSIGNED, CHANGED_BY, CLOSED_BY, "System.CreatedBy")
_UNTIL_FURTHER_NOTICE = "9999-01-01T00:00:00Z"


def identity(name: str, url: str, inactive: Collection[str] = ()) -> Json:
    number = stable_uuid(name)
    kind = "svc" if name.endswith(("[bot]", "Build Service")) else "aad"
    descriptor = f"{kind}.{base64.b64encode(number.encode()).decode()}"
    return {
        **({"inactive": True} if name in inactive else {}),
        "displayName": name,
        "url": f"{url}/_apis/Identities/{number}",
        "_links": {"avatar": {"href": f"{url}/_apis/GraphProfile/MemberAvatars/{descriptor}"}},
        "id": number,
        "uniqueName": address(name),
        "imageUrl": f"{url}/_apis/GraphProfile/MemberAvatars/{descriptor}",
        "descriptor": descriptor,
    }


def address(name: str) -> str:
    return name if "@" in name else f"{name.replace(' ', '.').casefold()}@fabrikam.example"


def values(fields: Json, url: str, inactive: Collection[str] = ()) -> Json:
    return {n: identity(v, url, inactive) if n in PEOPLE else v for n, v in fields.items()}


def work_item(
    item: WorkItemRecord,
    project: ProjectRecord,
    url: str,
    *,
    links: bool,
    relations: bool = False,
) -> Json:
    address = f"{url}/{project.id}/_apis/wit/workItems/{item.id}"
    fields = values(item.fields, url, project.inactive)
    answer: Json = {"id": item.id, "rev": item.rev, "fields": fields}
    if relations and item.relations:
        answer["relations"] = [_relation(relation, url) for relation in item.relations]
    if links:
        kind = quote(item.type)
        answer["_links"] = {
            "self": {"href": address},
            "workItemUpdates": {"href": f"{address}/updates"},
            "workItemRevisions": {"href": f"{address}/revisions"},
            "workItemComments": {"href": f"{address}/comments"},
            "html": {"href": f"{url}/{quote(project.name)}/_workitems/edit/{item.id}"},
            "workItemType": {"href": f"{url}/{project.id}/_apis/wit/workItemTypes/{kind}"},
            "fields": {"href": f"{url}/{project.id}/_apis/wit/fields"},
        }
    return {**answer, "url": address}


def _relation(relation: Json, url: str) -> Json:
    """Links to other work items are stored by number, because the server's address may change."""
    target = relation["target"]
    place = target if isinstance(target, str) else f"{url}/_apis/wit/workItems/{target}"
    return {"rel": relation["rel"], "url": place, "attributes": relation["attributes"]}


def comment(record: CommentRecord, project: ProjectRecord, url: str) -> Json:
    item = f"{url}/{project.id}/_apis/wit/workItems/{record.work_item}"
    answer = {
        "workItemId": record.work_item,
        "id": record.id,
        "version": record.version,
        "text": record.text,
        "createdBy": identity(record.by, url),
        "createdDate": record.at,
        "modifiedBy": identity(record.by, url),
        "modifiedDate": record.edited or record.at,
        "format": record.format,
        "url": f"{item}/comments/{record.id}",
    }
    return {**answer, "isDeleted": True} if record.deleted else answer


def revision(record: UpdateRecord, fields: Json, comment: CommentRecord | None, url: str) -> Json:
    """A work item as it was after an update, with the comment that the update added."""
    address = f"{url}/_apis/wit/workItems/{record.work_item}/revisions/{record.rev}"
    answer: Json = {"id": record.work_item, "rev": record.rev, "fields": values(fields, url)}
    if comment is not None:
        place = f"{url}/_apis/wit/workItems/{record.work_item}/comments/{comment.id}"
        own = {"commentId": comment.id, "version": 1, "url": f"{place}/versions/1"}
        answer["commentVersionRef"] = own
    return {**answer, "url": address}


def updates(records: list[UpdateRecord], project: ProjectRecord, url: str) -> list[Json]:
    """Each update holds until the next one's time."""
    ends = [record.at for record in records[1:]] + [_UNTIL_FURTHER_NOTICE]
    return [_update(record, end, project, url) for record, end in zip(records, ends, strict=True)]


def _update(record: UpdateRecord, until: str, project: ProjectRecord, url: str) -> Json:
    item = f"{url}/{project.id}/_apis/wit/workItems/{record.work_item}"
    changes = {
        name: dict(change)
        if name not in PEOPLE
        else {key: identity(value, url) for key, value in change.items()}
        for name, change in record.changes.items()
    }
    return {
        "id": record.rev,
        "workItemId": record.work_item,
        "rev": record.rev,
        "revisedBy": {**identity(record.by, url), "name": record.by},
        "revisedDate": until,
        "fields": changes,
        "url": f"{item}/updates/{record.rev}",
    }


_FIELD_NAMES = {
    TITLE: "Title",
    STATE: "State",
    REASON: "Reason",
    TAGS: "Tags",
    DESCRIPTION: "Description",
    HISTORY: "History",
    ASSIGNED: "Assigned To",
    "System.AreaPath": "Area Path",
    "System.IterationPath": "Iteration Path",
}


def state(record: State) -> Json:
    return {"name": record.name, "color": record.color, "category": record.category}


def work_item_type(kind: WorkItemType, project: ProjectRecord, url: str) -> Json:
    custom = [name for names in kind.required.values() for name in names]
    fields = [_field(name, url) for name in (*_FIELD_NAMES, *custom)]
    sources = ["", *(s.name for s in kind.states)]
    return {
        "name": kind.name,
        "referenceName": kind.reference_name,
        "description": "",
        "color": kind.color,
        "icon": {"id": kind.icon, "url": f"{url}/_apis/wit/workItemIcons/{kind.icon}"},
        "isDisabled": False,
        "xmlForm": "",
        "fields": fields,
        "fieldInstances": fields,
        "transitions": {
            source: [{"to": to} for to in kind.next_states(source)] for source in sources
        },
        "states": [state(entry) for entry in kind.states],
        "url": f"{url}/{project.id}/_apis/wit/workItemTypes/{quote(kind.name)}",
    }


def _field(reference: str, url: str) -> Json:
    return {
        "alwaysRequired": reference in (TITLE, STATE),
        "dependentFields": [],
        "referenceName": reference,
        "name": _FIELD_NAMES.get(reference, reference.rpartition(".")[2]),
        "url": f"{url}/_apis/wit/fields/{reference}",
    }
