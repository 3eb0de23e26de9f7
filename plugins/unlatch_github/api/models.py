"""GitHub's answers as models.

PyGithub's own would send requests for missing fields, and take a tenth of a second to load.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from unlatch.errors import Rejected
from unlatch.spi import (
    Check,
    ItemRef,
    KeptPart,
    RemoteItem,
    StateChange,
    from_markdown,
    op_posted,
    ops_in,
)
from unlatch.spi import kept_parts as parts_of
from unlatch.transport import unreadable
from unlatch.values import dataclass
from unlatch_github import is_alone
from unlatch_github.states import category_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


# unlatch's parts of a body, in Markdown.
kept_parts = partial(parts_of, unescape=from_markdown)
# The check boxes of unlatch's sections, in a cached answer, which has no body.
KEPT = "kept"
_STATES = {"closed": "closed", "reopened": "open"}


@dataclass(frozen=True, slots=True)
class Milestone:
    """The milestone of an issue."""

    number: int
    title: str
    is_open: bool


@dataclass(frozen=True, slots=True)
class PullRequest:
    """What only pull requests have."""

    is_merged: bool


@dataclass(frozen=True, slots=True)
class IssueSnapshot:
    """An issue or pull request as GitHub described it.

    Args:
        body: None if the answer lacks it.
        assignees: the logins of its assignees.
        pull: None for an issue.
        background: the answer to a query about it; None if it was not asked.
    """

    item: RemoteItem
    body: str | None
    milestone: Milestone | None
    assignees: tuple[str, ...]
    pull: PullRequest | None = None
    background: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Author:
    """The author of a comment or an issue.

    Args:
        login: None if the answer does not name the account.
        kind: "User", "Bot", "Organization", "Mannequin"; empty if unknown.
        association: the author's role in the repository ("OWNER", "MEMBER", "NONE").
    """

    login: str | None
    kind: str
    association: str


@dataclass(frozen=True, slots=True)
class IssueComment:
    """A comment, or an issue in a list.

    Args:
        id: the comment's id, or the issue's number.
        title: empty for a comment.
        url: its web address.
        edited: whether it was changed after it was posted; None if the answer does not show that.
        is_answered: whether it has reactions.
    """

    id: int
    title: str
    body: str
    created: datetime
    author: Author
    url: str
    edited: bool | None = None
    is_answered: bool = False

    @property
    def ops(self) -> frozenset[str]:
        """The operations whose markers it contains."""
        return ops_in(self.body)

    @property
    def posted_by(self) -> str | None:
        """The operation that posted it."""
        return op_posted(self.body)


@dataclass(frozen=True, slots=True)
class Identity:
    """A token's account, and the kind of token.

    Args:
        login: the account; None if GitHub does not name it.
        is_app: whether it is an app's installation token, as in GitHub Actions.
        scopes: the scopes of a classic token; None for other kinds, which have no list.
    """

    login: str | None
    is_app: bool = False
    scopes: frozenset[str] | None = None


def read_scopes(headers: Mapping[str, str]) -> frozenset[str] | None:
    """The scopes of a classic token, from the headers of any answer."""
    named = headers.get("x-oauth-scopes")
    if named is None:
        return None
    return frozenset(scope.strip() for scope in named.split(",") if scope.strip())


def read_comment(answer: Any, *, id: str = "id") -> IssueComment:
    """A comment, or an issue.

    Args:
        id: the field with the id.

    Raises:
        KeyError, TypeError, ValueError: it is none.
    """
    user = answer.get("user") or {}
    author = Author(
        _text(user, "login"), _text(user, "type") or "", _text(answer, "author_association") or ""
    )
    created = datetime.fromisoformat(answer["created_at"])
    if created.tzinfo is None:
        raise ValueError("a time without its zone")
    return IssueComment(
        id=int(answer[id]),
        title=str(answer.get("title") or ""),
        body=str(answer.get("body") or ""),
        created=created,
        author=author,
        url=str(answer.get("html_url") or ""),
        edited=answer["updated_at"] != answer["created_at"] if answer.get("updated_at") else None,
        is_answered=bool((answer.get("reactions") or {}).get("total_count")),
    )


def read_state_change(answer: Any) -> StateChange | None:
    """The change of state that an event of an issue is; None for other events.

    https://docs.github.com/en/rest/using-the-rest-api/issue-event-types

    Raises:
        KeyError, TypeError, ValueError: it is no event.
    """
    state = _STATES.get(answer["event"])
    if state is None:
        return None
    actor = answer.get("actor") or {}
    at = datetime.fromisoformat(answer["created_at"])
    return StateChange(at, state, _text(actor, "login"), is_open=state == "open")


def read_milestone(answer: Any) -> Milestone:
    """One of a repository's milestones.

    Raises:
        KeyError, TypeError, ValueError: it is none.
    """
    return Milestone(int(answer["number"]), str(answer["title"]), answer.get("state") != "closed")


def issue_snapshot(answer: Any, ref: ItemRef, *, where: str) -> IssueSnapshot:
    """An issue as a snapshot.

    Raises:
        Rejected: `not-an-issue`, for a pull request that the reference names as an issue.
    """
    if not isinstance(answer, dict):
        raise TypeError("an issue is an object")
    is_pull = is_pull_request(answer)
    if is_pull and not is_alone(ref.url):
        raise Rejected(
            "not-an-issue",
            "the number belongs to a pull request",
            where=where,
            hint=f"to reopen or close it, name it by its address: .../{ref.target}/pull/{ref.id}",
        )
    assignees = assignees_in(answer)
    milestone = read_milestone(answer["milestone"]) if answer.get("milestone") else None
    item = replace(_item(ref, answer), assignee=", ".join(assignees) or None)
    body = (_text(answer, "body") or "") if "body" in answer else None
    pull = PullRequest(bool(answer["pull_request"].get("merged_at"))) if is_pull else None
    background = answer.get("background")
    return IssueSnapshot(item, body, milestone, assignees, pull, background)


def assignees_in(answer: Mapping[str, Any]) -> tuple[str, ...]:
    """The logins of an issue's assignees; answers from before 2016 have at most one."""
    people = answer.get("assignees") or [answer.get("assignee")]
    return tuple(str(user["login"]) for user in people if user and user.get("login"))


def is_pull_request(answer: Mapping[str, Any]) -> bool:
    """Whether an issue's answer is about a pull request.

    Answers from 2013 have an object of nulls for every issue.
    """
    return any((answer.get("pull_request") or {}).values())


def _item(ref: ItemRef, raw: dict[str, Any]) -> RemoteItem:
    title, state = (_text(raw, name) for name in ("title", "state"))
    category = category_of(state, _text(raw, "state_reason"))
    if not isinstance(raw["number"], int) or title is None or state is None or category is None:
        raise ValueError(f"a field is missing, or the state {state!r} is unknown")
    by, pull = _last_change(raw, is_open=category.is_open)
    created = _time(raw, "created_at")
    since = None if category.is_open else _time(raw, "closed_at")
    has_reason = "state_reason" in raw and not is_pull_request(raw)
    if category.is_open and has_reason and raw["state_reason"] != "reopened":
        since = created
    return RemoteItem(
        ref=ref,
        title=title,
        state=state,
        category=category,
        type=str(raw["type"]["name"]) if raw.get("type") else None,
        labels=tuple(str(label["name"]) for label in raw["labels"]),
        updated=_time(raw, "updated_at"),
        changed_by=by,
        closed_by=pull,
        created=created,
        state_since=since,
        kept=_kept(raw),
    )


def _time(raw: Mapping[str, Any], name: str) -> datetime | None:
    text = _text(raw, name)
    return datetime.fromisoformat(text) if text else None


def _text(raw: Mapping[str, Any], name: str) -> str | None:
    value = raw.get(name)
    if value is None or isinstance(value, str):
        return value
    raise TypeError(f"{name} is no text")


def _kept(raw: dict[str, Any]) -> tuple[KeptPart, ...]:
    """The sections of the body; a cached answer has their check boxes alone."""
    if KEPT not in raw:
        return kept_parts(raw.get("body") or "")
    return tuple(
        KeptPart(str(name), tuple(Check(str(text), done is True) for text, done in checks))
        for name, checks in raw[KEPT].items()
    )


def _last_change(raw: dict[str, Any], *, is_open: bool) -> tuple[str | None, str | None]:
    """The person who set the issue's state, or the pull request that closed it.

    GraphQL shows both moves, REST only a close.
    """
    if isinstance(move := raw.get("last_move"), dict):
        pull = f"the merged pull request {move['pull']}" if move["pull"] and not is_open else None
        return str(move["by"]) if move["by"] else None, pull
    closer = None if is_open else raw.get("closed_by")
    return str(closer["login"]) if closer else None, None


def issue_place(answer: Any) -> tuple[str, int]:
    """The repository and the number in an issue's answer.

    Raises:
        ValueError, KeyError, TypeError: it has none.
    """
    *_, owner, name, kind, number = urlsplit(str(answer["html_url"])).path.split("/")
    if kind not in ("issues", "pull"):
        raise ValueError(f"no issue's address: {kind}")
    return f"{owner}/{name}", int(number)


def without(names: Iterable[str], others: Iterable[str]) -> tuple[str, ...]:
    """The `names` that are not among `others`, ignoring case, as for labels and logins."""
    folded = set(map(str.casefold, others))
    return tuple(name for name in names if name.casefold() not in folded)


@contextmanager
def reading_answer(where: str, *, written: bool = True) -> Iterator[None]:
    """Raise our error for an answer that is not in GitHub's format."""
    try:
        yield
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        message = "GitHub's answer could not be understood"
        raise unreadable(message, write=written, where=where) from error
