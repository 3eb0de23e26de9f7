"""Read who wrote a comment, what they may do, and how the work item was last closed.

An event tells the ids of both; all else is read here.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from unlatch.errors import NotFound
from unlatch.spi import Category, MarkedComment, ops_in
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
from unlatch_ado.api.comment_lines import as_markdown
from unlatch_ado.api.comments import Author, Remark, Update, WrittenComment, last_close
from unlatch_ado.api.errors import NotOffered

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from unlatch.spi import ItemRef
    from unlatch_ado.api.client import Client
    from unlatch_ado.api.models import OwnedItem
    from unlatch_ado.api.workflow import Workflow
    from unlatch_ado.settings import AdoSettings

# Before the number of a revision, where a message does not tell the id of the comment.
REVISION = "rev-"
_TEAM = "team"


def read_asked(
    settings: AdoSettings, client: Client, ref: ItemRef, id: str, groups: Sequence[str] = ()
) -> Asked | None:
    """The comment of this id on a work item; None if it asks for nothing.

    That is one that is gone, was edited, or was written by a program, by unlatch, or by an account
    that Azure DevOps does not show to be a person's.
    """
    project = _project_of(ref)
    number = _comment_id(client, ref, id)
    comment = client.find_comment(project, ref.id, number) if number else None
    if number is None or comment is None or not _is_persons(comment):
        return None
    owned, writer = client.owned_item(ref.id), comment.remark.author
    workflow = client.projects.workflow(owned.item.project, owned.item.type)
    me = client.projects.find_account()
    marked = [remark for remark in client.remarks(project, ref.id) if ops_in(remark.text)]
    category = workflow.category(owned.item.state)
    is_dropped = category is Category.DROPPED or _is_dropped(settings, owned)
    close = last_close(client.updates(ref.id), lambda state: _is_open(workflow, state))
    given = _given(settings, client, project, writer)
    return Asked(
        ref,
        number,
        f"{ref.url}#{number}",
        comment.text,
        comment.remark.ref.created,
        Asker(
            writer.id or "",
            frozenset(_own_roles(owned, writer) | given),
            frozenset(group for group in groups if _is_in(client, project, group, writer)),
            name=writer.name or "",
            trusted=bool(given),
        ),
        _last_close(close, marked, dropped=is_dropped),
        is_open=category is not None and category.is_open,
        marked=tuple(
            MarkedComment(
                remark.ref.id,
                remark.text,
                created=remark.ref.created,
                own=remark.author.is_same_as(me),
            )
            for remark in marked
        ),
    )


def acknowledge(client: Client, ref: ItemRef, id: str) -> None:
    """Like a comment; Azure DevOps Server before 2020 has no reactions."""
    number = _comment_id(client, ref, id)
    if number is not None:
        with suppress(NotOffered, NotFound):
            client.react(_project_of(ref), ref.id, number)


def _comment_id(client: Client, ref: ItemRef, id: str) -> str | None:
    revision = id.removeprefix(REVISION)
    if not (revision.isascii() and revision.isdigit()):
        return None
    return id if revision == id else client.comment_in(ref.id, revision)


def _is_persons(comment: WrittenComment) -> bool:
    remark = comment.remark
    is_plain = remark.edited is False and not comment.is_on_behalf and not ops_in(remark.text)
    return is_plain and remark.author.id is not None and remark.author.is_person is True


def _is_dropped(settings: AdoSettings, owned: OwnedItem) -> bool:
    return owned.reason.casefold() in {reason.casefold() for reason in settings.dropped_reasons}


def _last_close(close: Update | None, marked: Iterable[Remark], *, dropped: bool) -> LastClose:
    if close is None or close.at is None:
        return LastClose(dropped=dropped, locked=False)
    # Two accounts without an id may be different ones.
    account = close.author.id
    posted = [remark.ref.created for remark in marked if account and remark.author.id == account]
    kinds = {True: Closer.PERSON, False: Closer.BOT, None: None}
    closer = (
        Closer.UNLATCH if is_close_of_unlatch(close.at, posted) else kinds[close.author.is_person]
    )
    return LastClose(close.at, close.author.id, closer, dropped, locked=False)


def _is_open(workflow: Workflow, state: str) -> bool | None:
    category = workflow.category(state)
    return None if category is None else category.is_open


def _own_roles(owned: OwnedItem, writer: Author) -> set[Role]:
    """The roles that the work item gives to an account."""
    roles = {Role.AUTHOR: owned.author, Role.ASSIGNEE: owned.assignee}
    return {role for role, account in roles.items() if account and account == writer.id}


def _given(settings: AdoSettings, client: Client, project: str, writer: Author) -> set[Role]:
    """The roles that the settings give to an account by its teams."""

    def has(teams: Iterable[str]) -> bool:
        return any(client.is_member(project, team, writer.id or "") for team in teams)

    if has(settings.write_groups):
        return {Role.TRIAGE, Role.WRITE}
    return {Role.TRIAGE} if has(settings.triage_groups) else set()


def _is_in(client: Client, project: str, group: str, writer: Author) -> bool:
    kind, _, name = group.partition(":")
    return kind == _TEAM and client.is_member(project, name, writer.id or "")


def new_comments(settings: AdoSettings, client: Client, since: datetime) -> Iterator[NewComment]:
    """The new comments on the work items of all configured projects."""
    for project in settings.places:
        for revision in client.commented_since(project, since):
            text = revision.text
            ref = settings.ref(project, str(revision.item))
            number = revision.comment and str(revision.comment)
            # A comment in Markdown has no tags.
            asks = may_ask(as_markdown(text)) or may_ask(text)
            if revision.at is None or revision.at >= since:
                yield NewComment(ref, number or f"{REVISION}{revision.number}", asks)


def _project_of(ref: ItemRef) -> str:
    return ref.target.partition("/")[2]
