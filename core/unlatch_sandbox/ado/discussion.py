"""Comments and updates of a work item."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, Response, g, request

from unlatch_sandbox.ado import guards, refusals, shapes
from unlatch_sandbox.ado.boards import HISTORY
from unlatch_sandbox.answers import NotKnownError, check_keys, check_query, nothing, reply
from unlatch_sandbox.clock import ado_time

if TYPE_CHECKING:
    from unlatch_sandbox.ado.records import CommentRecord, UpdateRecord, WorkItemRecord

routes = Blueprint("discussion", __name__)

_ITEM = "/<project>/_apis/wit/workitems/<int:item_id>"
_MOST_COMMENTS = 200
_MOST_REVISIONS = 1000
_BARE_ITEM = "/_apis/wit/workitems/<int:item_id>"


@routes.get(f"{_ITEM}/comments")
def list_comments(project: str, item_id: int) -> Response:
    check_query(
        *guards.ANY_QUERY, "$top", "continuationToken", "includeDeleted", "order", "$expand"
    )
    guards.check_version(preview=True)
    if request.args.get("$expand", "none").casefold() != "none":
        raise NotKnownError("value of $expand", request.args["$expand"])
    item = guards.item(item_id, project)
    every = request.args.get("includeDeleted", "false").casefold() == "true"
    records = [c for c in guards.boards().comments_of(item) if every or not c.deleted]
    if request.args.get("order", "desc").casefold() == "desc":
        records.reverse()
    return reply(_comment_page(item, records))


def _comment_page(item: WorkItemRecord, records: list[CommentRecord]) -> dict[str, object]:
    start = int(request.args.get("continuationToken", "0"))
    end = start + min(int(request.args.get("$top", _MOST_COMMENTS)), _MOST_COMMENTS)
    comments = [_shown(item, comment) for comment in records[start:end]]
    page: dict[str, object] = {
        "totalCount": len(records),
        "count": len(comments),
        "comments": comments,
    }
    if end < len(records):
        address = f"{guards.organization_url()}/{guards.home_of(item).id}/_apis/wit/workItems"
        next_page = f"{address}/{item.id}/comments?continuationToken={end}"
        page |= {"continuationToken": str(end), "nextPage": next_page}
    return page


@routes.post(f"{_ITEM}/comments")
def add_comment(project: str, item_id: int) -> Response:
    check_query(*guards.ANY_QUERY)
    guards.check_version(preview=True)
    item, asked = guards.item(item_id, project), request.get_json()
    check_keys("body field", asked, ("text",))
    guards.boards().revise(item, {HISTORY: asked["text"]}, g.user)
    return reply(_shown(item, guards.boards().comments_of(item)[-1]))


@routes.get(f"{_ITEM}/comments/<int:comment_id>")
def get_comment(project: str, item_id: int, comment_id: int) -> Response:
    check_query(*guards.ANY_QUERY)
    guards.check_version(preview=True)
    item = guards.item(item_id, project)
    return reply(_shown(item, _find(item, comment_id)))


@routes.delete(f"{_ITEM}/comments/<int:comment_id>")
def delete_comment(project: str, item_id: int, comment_id: int) -> Response:
    check_query(*guards.ANY_QUERY)
    guards.check_version(preview=True)
    item = guards.item(item_id, project)
    comment = _find(item, comment_id)
    comment.deleted = True
    guards.boards().comment_table.put(f"{item.id}/{comment.id}", comment)
    count = item.fields["System.CommentCount"] - 1
    guards.boards().revise(item, {"System.CommentCount": count}, g.user)
    return nothing()


@routes.put(f"{_ITEM}/comments/<int:comment_id>/reactions/<reaction>")
def react(project: str, item_id: int, comment_id: int, reaction: str) -> Response:
    check_query(*guards.ANY_QUERY)
    guards.check_version(preview=True)
    check_keys("reaction", [reaction], ("like", "dislike", "heart", "hooray", "smile", "confused"))
    item = guards.item(item_id, project)
    comment, own = _find(item, comment_id), [g.user, reaction]
    if own not in comment.reactions:
        comment.reactions = [*comment.reactions, own]
        guards.boards().comment_table.put(f"{item.id}/{comment.id}", comment)
    count = sum(name == reaction for _, name in comment.reactions)
    return reply(
        {
            "type": reaction,
            "count": count,
            "commentId": comment.id,
            "isCurrentUserEngaged": True,
            "url": f"{guards.organization_url()}/_apis/wit/workItems/{item.id}",
        }
    )


@routes.get(f"{_BARE_ITEM}/revisions/<int:rev>")
@routes.get(f"{_ITEM}/revisions/<int:rev>")
def get_revision(item_id: int, rev: int, project: str | None = None) -> Response:
    check_query(*guards.ANY_QUERY)
    item = guards.item(item_id, project)
    for update in guards.boards().updates_of(item):
        if update.rev == rev:
            return reply(_revision(item, update))
    raise refusals.no_item(item_id)


def _revision(item: WorkItemRecord, update: UpdateRecord) -> shapes.Json:
    boards = guards.boards()
    added = [
        record
        for record in boards.comments_of(item)
        if record.rev == update.rev and not record.deleted
    ]
    fields = boards.revision_fields(item, update.rev)
    comment = added[0] if added else None
    return shapes.revision(update, fields, comment, guards.organization_url())


@routes.get("/<project>/_apis/wit/reporting/workitemrevisions")
def list_revisions(project: str) -> Response:
    """The revisions of a project since a time; a token leads to the next batch."""
    check_query(*guards.ANY_QUERY, "startDateTime", "continuationToken", "$expand", "$maxPageSize")
    check_keys("value of $expand", [request.args.get("$expand", "")], ("fields",))
    home, boards = guards.project(project), guards.boards()
    since = request.args.get("startDateTime", "")
    items = [
        record
        for record in boards.items.under()
        if record.project == home.name and not record.deleted
    ]
    revisions = [(item, update) for item in items for update in boards.updates_of(item)]
    revisions.sort(key=lambda pair: (pair[1].at, pair[1].work_item, pair[1].rev))
    start = int(request.args.get("continuationToken", "0"))
    if since:
        start = sum(update.at < ado_time(since) for _, update in revisions)
    end = start + min(int(request.args.get("$maxPageSize", _MOST_COMMENTS)), _MOST_REVISIONS)
    return reply(
        {
            "values": [_revision(*pair) for pair in revisions[start:end]],
            "continuationToken": str(end),
            "isLastBatch": end >= len(revisions),
            "nextLink": f"{request.base_url}?continuationToken={end}",
        }
    )


def _find(item: WorkItemRecord, comment_id: int) -> CommentRecord:
    for comment in guards.boards().comments_of(item):
        if comment.id == comment_id and not comment.deleted:
            return comment
    raise refusals.refusal(
        404, "WorkItemCommentNotFoundException", f"VS403666: Comment {comment_id} does not exist."
    )


def _shown(item: WorkItemRecord, comment: CommentRecord) -> shapes.Json:
    return shapes.comment(comment, guards.home_of(item), guards.organization_url())


@routes.get(f"{_BARE_ITEM}/updates")
@routes.get(f"{_ITEM}/updates")
def list_updates(item_id: int, project: str | None = None) -> Response:
    check_query(*guards.ANY_QUERY, "$top", "$skip")
    item = guards.item(item_id, project)
    updates = shapes.updates(
        guards.boards().updates_of(item), guards.home_of(item), guards.organization_url()
    )
    start = int(request.args.get("$skip", "0"))
    page = updates[start : start + int(request.args.get("$top", _MOST_COMMENTS))]
    return reply({"count": len(page), "value": page})
