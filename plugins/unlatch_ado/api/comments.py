"""Comments and updates, as Azure DevOps answers them."""

from __future__ import annotations

import html
import re
from datetime import UTC
from typing import Any

from pydantic import AwareDatetime, BaseModel, ConfigDict

from unlatch.spi import CommentRef, read_stamp
from unlatch.values import dataclass

_BLOCK = re.compile(r"</?(?:p|div|li|h[1-6])\b[^<>]*>|<br\b[^<>]*>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Remark:
    """A comment and its visible text."""

    ref: CommentRef
    text: str


class _Model(BaseModel):
    model_config = ConfigDict(from_attributes=True)


class _Comment(_Model):
    id: int
    text: str | None
    created_date: AwareDatetime


class _Comments(_Model):
    comments: list[_Comment] | None
    continuation_token: str | None


class _Change(_Model):
    new_value: object = None


class _Update(_Model):
    id: int
    fields: dict[str, _Change] | None


def comments(answer: Any) -> tuple[list[Remark], str | None]:
    """A page of comments, and the token of the next page."""
    page = _Comments.model_validate(answer)
    remarks = [
        Remark(CommentRef(str(c.id), c.created_date.astimezone(UTC)), plain(c.text or ""))
        for c in page.comments or []
    ]
    return remarks, page.continuation_token or None


def updates(answer: Any) -> tuple[list[Remark], int]:
    """The comments in a page of updates, and the number of updates on it."""
    page = [_Update.model_validate(update) for update in answer or []]
    return [remark for remark in map(_remark, page) if remark], len(page)


def _remark(update: _Update) -> Remark | None:
    fields = update.fields or {}
    text = fields.get("System.History", _Change()).new_value
    moment = read_stamp(fields.get("System.ChangedDate", _Change()).new_value)
    if not isinstance(text, str) or moment is None:
        return None
    return Remark(CommentRef(f"update-{update.id}", moment), plain(text))


def plain(text: str) -> str:
    """The text of some HTML, one line per block, for finding a marker.

    The editor may have rewritten the rest.
    """
    blocks = _BLOCK.sub("\n", " ".join(text.split()))
    lines = html.unescape(re.sub(r"<[^<>]*>", " ", blocks)).split("\n")
    return "\n".join(filter(None, (" ".join(line.split()) for line in lines)))
