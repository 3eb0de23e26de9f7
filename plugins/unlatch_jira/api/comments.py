"""Comments and their authors in Jira's answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import Field

from unlatch.errors import Rejected
from unlatch.spi import op_posted, ops_in, read_stamp
from unlatch_jira.api.json_model import Model
from unlatch_jira.api.rich_text import plain

if TYPE_CHECKING:
    from datetime import datetime


class Person(Model):
    """An account: on Cloud with an id, on Data Center with a key and a name."""

    name: str | None = None
    key: str | None = None
    account_id: str | None = Field(default=None, alias="accountId")
    shown: str | None = Field(default=None, alias="displayName")

    @property
    def reference(self) -> dict[str, str]:
        """The value for setting a user field to this account."""
        if self.account_id is not None:
            return {"accountId": self.account_id}
        return {"name": self.name or ""}

    def is_same_as(self, other: Person) -> bool | None:
        """Whether both are the same account; None if unknown."""
        pairs = (
            (self.account_id, other.account_id),
            (self.key, other.key),
            (self.name, other.name),
        )
        return next((one == two for one, two in pairs if one and two), None)


class Comment(Model):
    """A comment on an issue."""

    id: str
    created: str
    updated: str | None = None
    body: Any = None
    author: Person = Person()

    @property
    def at(self) -> datetime:
        """The time of posting."""
        moment = read_stamp(self.created)
        if moment is None:
            raise Rejected("answer-not-understood", f"Jira dated a comment {self.created!r}")
        return moment

    @property
    def is_edited(self) -> bool | None:
        """Whether it was edited; None if the answer does not show that."""
        return None if self.updated is None else read_stamp(self.updated) != self.at

    @property
    def ops(self) -> frozenset[str]:
        """The operations whose markers it carries."""
        return ops_in(plain(self.body))

    @property
    def posted_by(self) -> str | None:
        """The operation that posted it."""
        return op_posted(plain(self.body))


class CommentPage(Model):
    """A page of an issue's comments."""

    comments: tuple[Comment, ...] = ()
    total: int = 0
