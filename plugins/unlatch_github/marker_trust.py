"""Decide whose markers count.

Pushed files contain the ids of operations, and on a public repository anyone may comment and open
issues. So a marker counts only if its author may change the issue.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.errors import Forbidden, Limited, TrackerError, Unauthorised, Unreachable
from unlatch.spi import CommentRef

if TYPE_CHECKING:
    from collections.abc import Iterable

    from unlatch_github.api.client import Client
    from unlatch_github.api.models import Author, IssueComment

PERSON = "User"
INSIDERS = frozenset({"OWNER", "MEMBER", "COLLABORATOR"})
# `permission` is the base role: it shows maintain as write, and triage as read. Triage is enough
# to reopen and label (docs.github.com/en/organizations, "Repository roles for an organization").
_WRITE = frozenset({"admin", "write"})
_TRIAGE = "triage"


class Trust:
    """Decides whose markers count; asks GitHub about an account once."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._asked: dict[tuple[str, str], bool | None] = {}

    def counts(self, target: str, author: Author) -> bool:
        """Whether this author's markers count; they do if that is unknown."""
        return self.may_write(target, author) is not False

    def counting(self, target: str, comments: Iterable[IssueComment]) -> tuple[CommentRef, ...]:
        """The comments that count, oldest first."""
        judged = [(post, self.may_write(target, post.author)) for post in comments]
        counted = [(post, sure) for post, sure in judged if sure is not False]
        counted.sort(key=lambda pair: (pair[0].created, pair[0].id))
        return tuple(
            CommentRef(
                str(post.id),
                post.created,
                # Decides which of several may be deleted; a single one stays.
                own=self._is_own(post.author) if len(counted) > 1 else None,
                note=None if sure else _note(post),
                text=post.body,
                touched=bool(post.edited or post.is_answered),
                author=post.author.login,
            )
            for post, sure in counted
        )

    def may_write(self, target: str, author: Author) -> bool | None:
        """Whether the author may change issues; None if unknown."""
        if author.login is None:
            return None
        if author.kind not in ("", PERSON) or author.association in INSIDERS:
            return True
        # A person without any role can also comment with unlatch and open issues.
        if self._is_own(author):
            return True
        key = (target.casefold(), author.login.casefold())
        if key not in self._asked:
            self._asked[key] = self._ask(target, author.login)
        return self._asked[key]

    def _ask(self, target: str, login: str) -> bool | None:
        try:
            permission, role = self._client.permission(target, login)
        except Forbidden:
            # Only accounts with push access may ask.
            return None
        except (Limited, Unreachable, Unauthorised):
            raise
        except TrackerError as error:
            if error.id == "interrupted":
                raise
            return None
        return permission in _WRITE or role == _TRIAGE

    def is_own(self, author: Author) -> bool | None:
        """Whether this token's account is the author; None if unknown."""
        return self._is_own(author)

    def _is_own(self, author: Author) -> bool | None:
        me = self._client.identity()
        if me.login is None or author.login is None:
            return None
        is_same = me.login.casefold() == author.login.casefold()
        # GraphQL and REST may spell the name of an app's bot differently.
        return is_same or (None if me.is_app else False)


def _note(post: IssueComment) -> str:
    who = post.author.login or "an unknown account"
    return (
        f"the comment {post.url} carries the marker; whether its author {who} may write to the"
        " repository could not be checked"
    )
