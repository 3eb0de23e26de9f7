"""Read who wrote a comment, what they may do, and how the issue was last closed.

An event tells the ids of both; all else is read here.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING

from unlatch.spi import Category, MarkedComment, StateChange
from unlatch.spi.history import (
    Asked,
    Asker,
    Closer,
    LastClose,
    NewComment,
    Role,
    is_close_of_unlatch,
    may_ask,
)
from unlatch_jira.api.client import PAGE, JiraClient
from unlatch_jira.api.comment_lines import as_markdown
from unlatch_jira.api.comments import Comment, Person
from unlatch_jira.api.rich_text import plain
from unlatch_jira.urls import project_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from unlatch.spi import ItemRef
    from unlatch_jira.api.list_models import Move
    from unlatch_jira.api.models import Issue
    from unlatch_jira.api.site import JiraSite
    from unlatch_jira.settings import JiraSettings

_ROLE = "role"


def read_asked(
    settings: JiraSettings, client: JiraClient, site: JiraSite, ref: ItemRef, id: str
) -> Asked | None:
    """The comment of this id on an issue; None if it asks for nothing.

    That is one that is gone, was edited, or was written by a program, by unlatch, or by an account
    that Jira does not show to be a person's.
    """
    comment = client.find_comment(ref.id, id) if id.isdecimal() else None
    if comment is None or not _is_persons(comment):
        return None
    issue, changelog, fields = client.with_changelog(ref.id)
    me, writer = site.find_myself(), comment.author
    newest = islice(client.newest_comments(ref.id), PAGE)
    marked = [answered for answered in reversed(list(newest)) if answered.ops]
    closed, reopened = changelog.last_close(site.open_statuses(project_of(issue.key)))
    close = _last_close(issue, closed, writer, marked)
    roles = {
        role
        for role, name in ((Role.AUTHOR, "reporter"), (Role.ASSIGNEE, "assignee"))
        if Person(fields.get(name) or {}).is_same_as(writer)
    }
    given = _given(settings, site, issue, writer)
    if given or site.may_transition(writer, issue.key):
        roles.add(Role.TRIAGE)
    asker = Asker(
        writer.account,
        frozenset(roles | given),
        name=writer.shown or "",
        trusted=bool(given),
    )
    return Asked(
        ref,
        comment.id,
        f"{ref.url}?focusedCommentId={comment.id}",
        as_markdown(comment.body),
        comment.at,
        asker,
        close,
        is_open=issue.item.category.is_open,
        visibility=comment.restriction,
        marked=tuple(_marked_comment(answered, me) for answered in marked),
        reopened=_state_change(reopened, me) if reopened else None,
    )


def _state_change(move: Move, me: Person) -> StateChange:
    return StateChange(move.at, move.status, own=move.author.is_same_as(me), is_open=True)


def _is_persons(comment: Comment) -> bool:
    is_plain = comment.is_edited is False and not comment.ops
    return is_plain and comment.author.is_person is True


def _marked_comment(comment: Comment, me: Person) -> MarkedComment:
    own = comment.author.is_same_as(me)
    return MarkedComment(comment.id, plain(comment.body), created=comment.at, own=own)


def _last_close(
    issue: Issue, move: Move | None, writer: Person, marked: Iterable[Comment]
) -> LastClose:
    dropped = issue.item.category is Category.DROPPED
    if move is None:
        return LastClose(dropped=dropped, locked=False)
    posted = [comment.at for comment in marked if comment.author.is_same_as(move.author)]
    closer = (
        Closer.UNLATCH if is_close_of_unlatch(move.at, posted) else _closer(move.author, writer)
    )
    return LastClose(move.at, move.author.account, closer, dropped, locked=False)


def _closer(author: Person, writer: Person) -> Closer | None:
    """What closed the issue; a history may name an account without its type."""
    if author.is_same_as(writer):
        return Closer.PERSON
    if author.is_person is None:
        return None
    return Closer.PERSON if author.is_person else Closer.BOT


def _given(settings: JiraSettings, site: JiraSite, issue: Issue, person: Person) -> set[Role]:
    """The roles that the settings give to an account by its groups."""
    circles = {
        Role.TRIAGE: settings.triage_groups,
        Role.WRITE: settings.write_groups,
    }
    if not any(circles.values()):
        return set()
    groups = site.groups_of(person)
    names = frozenset(filter(None, (person.account_id, person.key, person.name)))

    def has(circle: str) -> bool:
        kind, _, name = circle.partition(":")
        if kind != _ROLE:
            return name in groups
        accounts, of_role = site.actors_of(project_of(issue.key), name)
        return bool(accounts & names or of_role & groups)

    return {role for role, named in circles.items() if any(map(has, named))}


def new_comments(
    settings: JiraSettings, client: JiraClient, since: datetime
) -> Iterator[NewComment]:
    """The new comments of people that were not edited, of all configured projects."""
    # Jira takes no seconds, and its index may lag behind.
    minutes = max(int((datetime.now(UTC) - since) / timedelta(minutes=1)), 0) + 1
    for project in dict.fromkeys(filter(None, (settings.project, *settings.projects))):
        for issue in client.commented_since(project, minutes):
            for comment in _comments_since(client, issue, since):
                text = as_markdown(comment.body)
                if _is_persons(comment):
                    yield NewComment(issue.item.ref, comment.id, may_ask(text))


def _comments_since(client: JiraClient, issue: Issue, since: datetime) -> Iterable[Comment]:
    """An issue's new comments, oldest first; those that a search leaves out are read."""
    page = issue.answer.fields.comment
    if page is not None and page.total <= len(page.comments):
        return sorted((comment for comment in page.comments if comment.at >= since), key=_at)
    newest = []
    for comment in client.newest_comments(issue.key):
        if comment.at < since:
            break
        newest.append(comment)
    return reversed(newest)


def _at(comment: Comment) -> datetime:
    return comment.at
