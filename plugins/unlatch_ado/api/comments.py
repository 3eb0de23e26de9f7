"""Comments and updates, as Azure DevOps answers them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pydantic import AwareDatetime, BaseModel, ConfigDict

from unlatch.spi import CommentRef, read_stamp
from unlatch.values import dataclass
from unlatch_ado.api.plain_text import plain

if TYPE_CHECKING:
    from unlatch_ado.api.setup_models import Account


@dataclass(frozen=True, slots=True)
class Author:
    """The account that posted a comment or made an update, as far as the answer shows it.

    Args:
        name: the name shown to people.
        address: its unique name.
    """

    name: str | None = None
    id: str | None = None
    address: str | None = None

    def is_same_as(self, account: Account | None) -> bool | None:
        """Whether the token's account is the author; None if unknown."""
        if account is None:
            return None
        if self.id and account.id:
            return self.id.casefold() == account.id.casefold()
        # One account may have several addresses, and none of another.
        return (self.address or "").casefold() == account.address.casefold() or None


@dataclass(frozen=True, slots=True)
class Remark:
    """A comment and its author.

    Args:
        edited: whether it was edited; None where only updates show comments.
    """

    ref: CommentRef
    author: Author = Author()
    edited: bool | None = None

    @property
    def text(self) -> str:
        """The visible text."""
        return self.ref.text


class _Model(BaseModel):
    model_config = ConfigDict(from_attributes=True)


class _Person(_Model):
    id: str | None = None
    display_name: str | None = None
    unique_name: str | None = None


class _Comment(_Model):
    id: int
    text: str | None
    created_date: AwareDatetime
    created_by: _Person | None = None
    version: int | None = None


class _Comments(_Model):
    comments: list[_Comment] | None
    continuation_token: str | None


class _Change(_Model):
    old_value: object = None
    new_value: object = None


class _Update(_Model):
    id: int
    fields: dict[str, _Change] | None
    revised_by: _Person | None = None


def comments(answer: Any) -> tuple[list[Remark], str | None]:
    """A page of comments, and the token of the next page."""
    page = _Comments.model_validate(answer)
    remarks = [
        Remark(
            CommentRef(
                str(c.id),
                c.created_date.astimezone(UTC),
                text=plain(c.text or ""),
                touched=(c.version or 1) > 1,
                author=_author(c.created_by).name,
            ),
            _author(c.created_by),
            None if c.version is None else c.version > 1,
        )
        for c in page.comments or []
    ]
    return remarks, page.continuation_token or None


def _author(person: _Person | None) -> Author:
    if person is None:
        return Author()
    return Author(person.display_name, person.id, person.unique_name)


@dataclass(frozen=True, slots=True)
class Update:
    """An update of a work item: its comment and its new state, if it has them."""

    at: datetime | None
    author: Author = Author()
    remark: Remark | None = None
    state: str | None = None


def updates(answer: Any, last: datetime | None = None) -> list[Update]:
    """A page of updates; `last` is the time of the last one before it."""
    found = []
    for one in answer or []:
        found.append(_read_update(_Update.model_validate(one), last))
        last = found[-1].at
    return found


def _read_update(update: _Update, last: datetime | None) -> Update:
    fields, author = update.fields or {}, _author(update.revised_by)
    text = fields.get("System.History", _Change()).new_value
    state = fields.get("System.State", _Change())
    # An update at the time of the one before it does not name its time.
    moment = read_stamp(fields.get("System.ChangedDate", _Change()).new_value) or last
    if moment is None:
        return Update(None)
    # The first update has no former state: it created the item.
    is_change = isinstance(state.old_value, str) and isinstance(state.new_value, str)
    remark = None
    if isinstance(text, str):
        remark = Remark(
            CommentRef(f"update-{update.id}", moment, text=plain(text), author=author.name), author
        )
    return Update(moment, author, remark, str(state.new_value) if is_change else None)
