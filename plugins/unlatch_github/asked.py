"""Read who wrote a comment, what they may do, and how the issue was last closed.

An event tells the ids of both; all else is read here, and an account's rights never come from
`author_association`, which is NONE for a private member.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from unlatch.errors import Forbidden, NotFound
from unlatch.spi import Category, MarkedComment, StateChange, op_posted
from unlatch.spi.history import (
    Asked,
    Asker,
    Closer,
    LastClose,
    NewComment,
    Obstacle,
    Role,
    is_close_of_unlatch,
    may_ask,
)
from unlatch_github.api.models import read_comment, reading_answer
from unlatch_github.api.paths import REVIEW
from unlatch_github.states import category_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from unlatch.spi import ItemRef
    from unlatch_github.api.client import Client

_OPEN, _MERGED = "OPEN", "MERGED"
_CLOSED, _REOPENED = "ClosedEvent", "ReopenedEvent"
_TEAM = "team"
_PERSON = "User"
_WORKFLOW = "github-actions"
_WRITES = frozenset({"admin", "write"})
_TRIAGE = "triage"


def read_asked(client: Client, ref: ItemRef, id: str, groups: Sequence[str] = ()) -> Asked | None:
    """The comment of this id on an issue or pull request; None if it asks for nothing.

    That is one that is gone, belongs to another issue, was edited, or was written by a bot, an app
    or unlatch.

    Raises:
        TrackerError: GitHub does not tell how the issue was closed.
    """
    try:
        answer = client.comment_of(ref.target, id)
    except NotFound:
        return None
    name = client.settings.name(ref)
    with reading_answer(name, written=False):
        comment = read_comment(answer)
        of_item = answer["pull_request_url" if id.startswith(REVIEW) else "issue_url"]
        login, issue = comment.author.login, str(of_item).rpartition("/")[2]
        is_by_app = bool(answer.get("performed_via_github_app"))
    if comment.author.kind != _PERSON or login is None or is_by_app:
        return None
    if issue != ref.id or comment.edited is not False or comment.ops:
        return None
    reply = client.last_close(ref)
    with reading_answer(name, written=False):
        node, viewer = reply["data"]["repository"]["issueOrPullRequest"], reply["data"]["viewer"]
        state = node.get("pullState") or node["state"]
        marked = _marked(node["comments"]["nodes"])
        close, own = _last_close(node, marked), _own_roles(node, login)
    asker = Asker(
        _account(login),
        own | _rights(client, ref.target, login),
        frozenset(group for group in groups if _is_in(client, ref.target, group, login)),
    )
    return Asked(
        ref,
        id,
        comment.url,
        comment.body,
        comment.created,
        asker,
        close,
        is_open=state == _OPEN,
        marked=marked,
        obstacle=_obstacle(node, state),
        reopened=_reopened(node, viewer["login"]),
        labels=tuple(label["name"] for label in node["labels"]["nodes"]),
    )


def new_comments(client: Client, since: datetime) -> Iterator[NewComment]:
    """The new comments of people that were not edited, of all configured repositories."""
    settings = client.settings
    for target in settings.targets:
        for comment in client.new_comments(target, since):
            ref = settings.recognise(comment.url)
            is_plain = comment.edited is False and comment.created >= since and not comment.ops
            if ref and is_plain and settings.allows(ref) and comment.author.kind == _PERSON:
                yield NewComment(ref, str(comment.id), may_ask(comment.body))


def _obstacle(node: dict[str, Any], state: str) -> Obstacle | None:
    if state == _MERGED:
        return Obstacle.MERGED
    is_gone = "headRef" in node and node["headRef"] is None and state != _OPEN
    return Obstacle.BRANCH_DELETED if is_gone else None


def _account(login: str) -> str:
    """A login in the form in which logins are equal."""
    return login.casefold()


def _marked(nodes: list[dict[str, Any]]) -> tuple[MarkedComment, ...]:
    return tuple(
        MarkedComment(
            str(node["fullDatabaseId"]),
            node["body"],
            (node["author"] or {}).get("login"),
            created=datetime.fromisoformat(node["createdAt"]),
            own=node["viewerDidAuthor"],
        )
        for node in nodes
        if op_posted(node["body"])
    )


def _last_close(node: dict[str, Any], marked: tuple[MarkedComment, ...]) -> LastClose:
    events = node["timelineItems"]["nodes"]
    closes = [each for each in events if each["__typename"] == _CLOSED]
    event: dict[str, Any] = closes[-1] if closes else {}
    actor = event.get("actor") or {}
    at = datetime.fromisoformat(event["createdAt"]) if event else None
    closer = _closer(event, actor)
    if at is not None and closer is Closer.PERSON:
        posted = [each.created for each in marked if each.author == actor["login"] and each.created]
        closer = Closer.UNLATCH if is_close_of_unlatch(at, posted) else closer
    return LastClose(
        at=at,
        by=_account(actor["login"]) if actor else None,
        closer=closer,
        dropped=_is_dropped(node),
        locked=node["locked"],
    )


def _reopened(node: dict[str, Any], viewer: str) -> StateChange | None:
    event = (node["timelineItems"]["nodes"] or [{}])[-1]
    if event.get("__typename") != _REOPENED:
        return None
    by = (event["actor"] or {}).get("login")
    # An app is "renovate[bot]" for itself, and "renovate" where it acts.
    own = None if by is None else by == viewer.removesuffix("[bot]")
    at = datetime.fromisoformat(event["createdAt"])
    return StateChange(at, "open", by, own=own, is_open=True)


def _is_dropped(node: dict[str, Any]) -> bool:
    """Whether an issue was closed as not planned or duplicate; a pull request has no reason."""
    reason = node.get("stateReason")
    return "state" in node and category_of(node["state"].lower(), reason and reason.lower()) is (
        Category.DROPPED
    )


def _closer(event: dict[str, Any], actor: dict[str, Any]) -> Closer | None:
    if event.get("closer"):
        return Closer.CHANGE
    if actor.get("__typename") == _PERSON:
        return Closer.PERSON
    if actor.get("__typename") != "Bot":
        return None
    return Closer.WORKFLOW if actor["login"] == _WORKFLOW else Closer.BOT


def _own_roles(node: dict[str, Any], login: str) -> frozenset[Role]:
    """The roles that the issue gives to an account."""
    # A bot is named there as a person may be: "renovate" for "renovate[bot]".
    author = node["author"] or {}
    authors = {_account(author["login"])} if author.get("__typename") == _PERSON else set()
    assignees = {_account(person["login"]) for person in node["assignees"]["nodes"]}
    roles = {Role.AUTHOR: _account(login) in authors, Role.ASSIGNEE: _account(login) in assignees}
    return frozenset(role for role, has in roles.items() if has)


def _is_in(client: Client, target: str, group: str, login: str) -> bool:
    """Whether an account certainly is in a team of the repository's organization."""
    kind, _, name = group.partition(":")
    try:
        return kind == _TEAM and client.is_member(target, name, login)
    except (Forbidden, NotFound):
        # The account is in no such team, or the token may not read teams.
        return False


def _rights(client: Client, target: str, login: str) -> frozenset[Role]:
    """The roles that the repository gives to an account, as far as GitHub tells."""
    try:
        permission, role = client.permission(target, login)
    except (Forbidden, NotFound):
        # Only accounts with push access may ask.
        return frozenset()
    if permission in _WRITES:
        return frozenset({Role.TRIAGE, Role.WRITE})
    return frozenset({Role.TRIAGE} if role == _TRIAGE else ())
