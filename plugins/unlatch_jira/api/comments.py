"""Comments and their authors in Jira's answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unlatch.errors import Rejected
from unlatch.spi import op_posted, ops_in, read_stamp
from unlatch.transport.answer import each, optional, required, table, whole
from unlatch_jira.api.json_model import text
from unlatch_jira.api.rich_text import plain

if TYPE_CHECKING:
    from datetime import datetime


INTERNAL = "internal"
# A restriction of which Jira does not tell enough to set it elsewhere.
_UNNAMED = "restricted"


class Person:
    """An account: on Cloud with an id, on Data Center with a key and a name."""

    def __init__(self, raw: Any) -> None:
        self.name = optional(table(raw), "name", text)
        self.key = optional(raw, "key", text)
        self.account_id = optional(raw, "accountId", text)
        self.shown = optional(raw, "displayName", text)
        self._type = optional(raw, "accountType", text)

    @property
    def account(self) -> str:
        """The id that stays the same for an account; empty if unknown."""
        return self.account_id or self.key or self.name or ""

    @property
    def is_person(self) -> bool | None:
        """Whether the account is a person's; None if unknown.

        Data Center does not tell programs from people.
        """
        if self.account_id is None:
            return True if self.account else None
        return None if self._type is None else self._type in ("atlassian", "customer")

    @property
    def is_customer(self) -> bool:
        """Whether the account is that of a customer of Jira Service Management."""
        return self._type == "customer"

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
        return next((ours == theirs for ours, theirs in pairs if ours and theirs), None)


class Comment:
    """A comment on an issue."""

    def __init__(self, raw: Any) -> None:
        self.id = required(table(raw), "id", text)
        self.created = required(raw, "created", text)
        self.updated = optional(raw, "updated", text)
        self.body: Any = raw.get("body")
        self.author = optional(raw, "author", Person) or Person({})
        self._restricted = optional(raw, "visibility", table) or {}
        self._is_internal = raw.get("jsdPublic") is False

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
    def visibility(self) -> str:
        """The group or role that alone may see it; empty for everybody."""
        kind, value = (self._restricted.get(key) or "" for key in ("type", "value"))
        if self._restricted and not (kind and value):
            return _UNNAMED
        return f"{kind} {value}".strip() or (INTERNAL if self._is_internal else "")

    @property
    def restriction(self) -> str:
        """The same as a value of the option `visibility`."""
        return self.visibility.replace(" ", ":", 1)

    @property
    def ops(self) -> frozenset[str]:
        """The operations whose markers it carries."""
        return ops_in(plain(self.body))

    @property
    def posted_by(self) -> str | None:
        """The operation that posted it."""
        return op_posted(plain(self.body))


class CommentPage:
    """A page of an issue's comments."""

    def __init__(self, raw: Any) -> None:
        self.comments = optional(table(raw), "comments", each(Comment)) or ()
        self.total = optional(raw, "total", whole) or 0
