"""Comments and updates, as Azure DevOps answers them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pydantic import AwareDatetime, BaseModel, ConfigDict

from unlatch.spi import CommentRef, read_stamp
from unlatch.values import dataclass
from unlatch_ado.api.comment_lines import as_markdown
from unlatch_ado.api.plain_text import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from unlatch_ado.api.setup_models import Account


# Entra and Microsoft accounts, and those of Windows; services and applications.
_PEOPLE = ("aad", "msa", "win")
_PROGRAMS = ("svc", "s2s", "aadsp", "agg")


@dataclass(frozen=True, slots=True)
class Author:
    """The account that posted a comment or made an update, as far as the answer shows it.

    Args:
        name: the name shown to people.
        address: its unique name.
        descriptor: the name of its identity, which begins with its kind.
    """

    name: str | None = None
    id: str | None = None
    address: str | None = None
    descriptor: str | None = None

    @property
    def is_person(self) -> bool | None:
        """Whether a person has the account, by the kind of its descriptor; None if unknown.

        https://learn.microsoft.com/azure/devops/organizations/security/about-security-identity
        """
        kind = (self.descriptor or "").partition(".")[0]
        return True if kind in _PEOPLE else False if kind in _PROGRAMS else None

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
    descriptor: str | None = None


class _Comment(_Model):
    id: int
    text: str | None
    created_date: AwareDatetime
    created_by: _Person | None = None
    version: int | None = None
    format: object = None
    created_on_behalf_of: _Person | None = None


class _VersionRef(_Model):
    comment_id: int | None = None


class _Revision(_Model):
    comment_version_ref: _VersionRef | None = None


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
    return _remarks(page.comments or []), page.continuation_token or None


def _author(person: _Person | None) -> Author:
    if person is None:
        return Author()
    return Author(person.display_name, person.id, person.unique_name, person.descriptor)


@dataclass(frozen=True, slots=True)
class WrittenComment:
    """A comment with its markup.

    Args:
        text: in Markdown, of the author's own words only.
    """

    remark: Remark
    text: str
    is_on_behalf: bool


def comment(answer: Any) -> WrittenComment:
    """A single comment."""
    written = _Comment.model_validate(answer)
    (remark,) = _remarks([written])
    text = written.text or ""
    is_markdown = str(written.format).casefold() == "markdown"
    own = text if is_markdown else as_markdown(text)
    return WrittenComment(remark, own, written.created_on_behalf_of is not None)


def comment_in(answer: Any) -> str | None:
    """The id of the comment that a revision of a work item added."""
    version = _Revision.model_validate(answer).comment_version_ref
    return str(version.comment_id) if version and version.comment_id else None


def _remarks(comments: Iterable[_Comment]) -> list[Remark]:
    return [
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
        for c in comments
    ]


@dataclass(frozen=True, slots=True)
class Update:
    """An update of a work item: its comment, its new state and reason, if it has them."""

    at: datetime | None
    author: Author = Author()
    remark: Remark | None = None
    state: str | None = None
    reason: str | None = None


def updates(answer: Any, last: datetime | None = None) -> list[Update]:
    """A page of updates; `last` is the time of the last one before it."""
    page = []
    for row in answer or []:
        page.append(_read_update(_Update.model_validate(row), last))
        last = page[-1].at
    return page


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
    reason = fields.get("System.Reason", _Change())
    is_other = isinstance(reason.old_value, str) and isinstance(reason.new_value, str)
    return Update(
        moment,
        author,
        remark,
        str(state.new_value) if is_change else None,
        str(reason.new_value) if is_other else None,
    )


def last_close(updates: Iterable[Update], is_open: Callable[[str], bool | None]) -> Update | None:
    """The last change to a closed state, or of the reason of a closed work item.

    None without one, and if the meaning of a state is unknown.
    """
    close, is_closed = None, False
    for update in updates:
        if update.state is not None:
            meaning = is_open(update.state)
            is_closed = meaning is False
            close = None if meaning is None else close
        if is_closed and update.at and (update.state or update.reason):
            close = update
    return close
