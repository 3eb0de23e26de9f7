"""Read what an issue says, and its past: its comments with markers, and its changes of status."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.errors import TrackerError
from unlatch.spi import Background, ItemHistory, MarkedComment, StateChange
from unlatch_jira.api.comments import Comment, Person
from unlatch_jira.api.json_model import parse
from unlatch_jira.api.rich_text import addresses, plain

if TYPE_CHECKING:
    from collections.abc import Iterable

    from unlatch_jira.api.client import JiraClient
    from unlatch_jira.api.models import Issue
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


def background(issue: Issue) -> Background | TrackerError:
    """The words of an issue; those of customers and of nobody are a stranger's."""
    words = (issue.item.title, plain(issue.description), *addresses(issue.description))
    creator = issue.custom("creator")
    try:
        is_strangers = creator is None or parse(Person, creator).is_customer
    except TrackerError as error:
        return error
    return Background("\n".join(words), is_strangers)
