"""Read the past of an issue: its comments with markers, and its changes of status."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.spi import ItemHistory, MarkedComment, StateChange
from unlatch_jira.api.comments import Person
from unlatch_jira.api.rich_text import plain

if TYPE_CHECKING:
    from collections.abc import Iterable

    from unlatch_jira.api.client import JiraClient
    from unlatch_jira.api.comments import Comment
    from unlatch_jira.api.site import JiraSite


def read_history(
    client: JiraClient, site: JiraSite, comments: Iterable[Comment], key: str
) -> ItemHistory:
    """The comments with markers, and the changes of the status.

    The credential's account, and the statuses, are only read if there is anything to judge.
    """
    marked = [comment for comment in comments if comment.ops]
    log = client.changelog(key)
    me = site.find_myself() if marked or log.moves else Person({})
    is_open = site.open_statuses(key.rpartition("-")[0]) if log.moves else {}
    posted = (
        MarkedComment(
            comment.id,
            plain(comment.body),
            comment.author.shown,
            edited=comment.is_edited,
            created=comment.at,
            own=comment.author.is_same_as(me),
        )
        for comment in marked
    )
    changes = (
        StateChange(
            move.at,
            move.status,
            move.author.shown,
            move.author.is_same_as(me),
            is_open.get(move.status),
        )
        for move in log.moves
    )
    return ItemHistory(tuple(posted), tuple(changes), log.is_whole)
