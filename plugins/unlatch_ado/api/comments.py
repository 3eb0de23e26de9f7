"""Comments and updates, as Azure DevOps answers them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from pydantic import AwareDatetime, BaseModel, ConfigDict

from unlatch.spi import CommentRef, StateChange, read_stamp
from unlatch.values import dataclass
from unlatch_ado.api.plain_text import plain


@dataclass(frozen=True, slots=True)
class Remark:
    """A comment and its visible text.

    Args:
        author: the name shown to people.
        edited: whether it was edited; None where only updates show comments.
    """

    ref: CommentRef
    text: str
    author: str | None = None
    edited: bool | None = None


class _Model(BaseModel):
    model_config = ConfigDict(from_attributes=True)


class _Person(_Model):
    display_name: str | None = None


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
            ),
            plain(c.text or ""),
            c.created_by.display_name if c.created_by else None,
            None if c.version is None else c.version > 1,
        )
        for c in page.comments or []
    ]
    return remarks, page.continuation_token or None


@dataclass(frozen=True, slots=True)
class Update:
    """An update of a work item: its comment and its change of state, if it has them."""

    at: datetime | None
    remark: Remark | None
    change: StateChange | None


def updates(answer: Any, last: datetime | None = None) -> list[Update]:
    """A page of updates; `last` is the time of the last one before it."""
    found = []
    for one in answer or []:
        found.append(_read_update(_Update.model_validate(one), last))
        last = found[-1].at
    return found


def _read_update(update: _Update, last: datetime | None) -> Update:
    fields, by = update.fields or {}, update.revised_by
    text = fields.get("System.History", _Change()).new_value
    state = fields.get("System.State", _Change())
    # An update at the time of the one before it does not name its time.
    moment = read_stamp(fields.get("System.ChangedDate", _Change()).new_value) or last
    if moment is None:
        return Update(None, None, None)
    name = by.display_name if by else None
    ref = CommentRef(f"update-{update.id}", moment)
    # The first update has no former state: it created the item.
    is_change = isinstance(state.old_value, str) and isinstance(state.new_value, str)
    return Update(
        moment,
        Remark(ref, plain(text), name) if isinstance(text, str) else None,
        StateChange(moment, str(state.new_value), name) if is_change else None,
    )
