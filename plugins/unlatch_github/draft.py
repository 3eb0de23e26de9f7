"""The fields of an issue for an increment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unlatch.errors import Rejected
from unlatch.spi import fit_text, markdown, with_kept_part
from unlatch_github.draft_options import DraftOptions, number_of

if TYPE_CHECKING:
    from unlatch.spi import Draft
    from unlatch_github.api.models import IssueSnapshot
    from unlatch_github.preview import Writer

_LONGEST_TITLE = 256
_LONGEST_BODY = 65_536


def new_fields(draft: Draft, marker: str, *, where: str) -> dict[str, Any]:
    """The title and the body of a new issue.

    Raises:
        Rejected: `title-too-long`, `body-too-long`.
    """
    body = _with_draft("", draft, f"\n{marker}", where=where)
    return {"title": _title(draft, where=where), "body": body}


def changed_fields(
    issue: IssueSnapshot, draft: Draft, options: DraftOptions, milestone: int | None, *, where: str
) -> dict[str, Any]:
    """The fields of an issue that differ from the draft and its options.

    Args:
        issue: the issue, with its body.
        milestone: the number of the requested milestone.

    Raises:
        Rejected: `title-too-long`, `body-too-long`.
    """
    text = issue.body or ""
    body = _with_draft(text, draft, where=where)
    now = {
        "title": issue.item.title,
        "body": text,
        "milestone": issue.milestone.number if issue.milestone else None,
        "type": issue.item.type,
    }
    wanted: dict[str, Any] = {"title": _title(draft, where=where), "body": body}
    if milestone is not None:
        wanted |= {"milestone": milestone}
    if options.type and options.type.casefold() != (issue.item.type or "").casefold():
        wanted |= {"type": options.type}
    return {field: value for field, value in wanted.items() if value != now[field]}


def resolve_milestone(
    client: Writer, options: DraftOptions, issue: IssueSnapshot | None, target: str
) -> int | None:
    """The number of the requested milestone; looks up a title.

    Raises:
        Rejected: `milestone-unknown`.
    """
    activation = options.milestone
    if activation is None or isinstance(activation, int):
        return activation
    milestone = issue.milestone if issue else None
    if milestone is not None and milestone.title.casefold() == activation.casefold():
        return milestone.number
    return number_of(activation, client.milestones(target), where=target)


def _title(draft: Draft, *, where: str) -> str:
    title = draft.title
    if len(title) > _LONGEST_TITLE:
        raise Rejected(
            "title-too-long",
            f"the title has {len(title)} characters; GitHub allows {_LONGEST_TITLE}",
            where=where,
            hint="shorten the first heading of spec.md",
        )
    return title


def _with_draft(text: str, draft: Draft, ending: str = "", *, where: str) -> str:
    body = fit_text(
        draft.body,
        lambda part: with_kept_part(text, draft.increment, markdown(part)) + ending,
        lambda body: len(body) <= _LONGEST_BODY,
    )
    if len(body) > _LONGEST_BODY:
        raise Rejected(
            "body-too-long",
            f"the body has {len(body)} characters; GitHub allows {_LONGEST_BODY}",
            where=where,
            hint="shorten spec.md and tasks.md",
        )
    return body
