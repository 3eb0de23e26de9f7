"""What an issue made from an increment is given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unlatch.domain.text import without_controls
from unlatch.errors import Rejected
from unlatch.spi import markdown
from unlatch_github._body import section, with_section
from unlatch_github.planning import needs_lookup
from unlatch_github.wishes import number_of

if TYPE_CHECKING:
    from unlatch.spi import Draft
    from unlatch_github.client import Client
    from unlatch_github.reading import Found
    from unlatch_github.wishes import Wishes

_LONGEST_TITLE = 256
_LONGEST_BODY = 65_536


def new_fields(draft: Draft, marker: str, *, where: str) -> dict[str, Any]:
    """The title and the body of a new issue.

    Raises:
        Rejected: `title-too-long`, `body-too-long`.
    """
    body = f"{section(markdown(draft.body))}\n{marker}"
    return {"title": _title(draft, where=where), "body": _fitting(body, where=where)}


def changed_fields(found: Found, draft: Draft, *, where: str) -> dict[str, Any]:
    """The title and the body that an issue shall have, where they differ from what it has.

    Raises:
        Rejected: `title-too-long`, `body-too-long`.
    """
    title = _title(draft, where=where)
    body = _fitting(with_section(found.body, markdown(draft.body)), where=where)
    now = {"title": found.item.title, "body": found.body}
    wanted = {"title": title, "body": body}
    return {} if now == wanted else wanted


def wished_milestone(
    client: Client, wishes: Wishes, found: Found | None, target: str
) -> int | None:
    """The number of the milestone that is wished for.

    Raises:
        Rejected: `milestone-unknown`.
    """
    wish = wishes.milestone
    milestone = found.milestone if found else None
    if wish is None or isinstance(wish, int):
        return wish
    if milestone is not None and not needs_lookup(wishes, milestone):
        return milestone.number
    return number_of(wish, client.milestones(target), where=target)


def _title(draft: Draft, *, where: str) -> str:
    title = " ".join(without_controls(draft.title).split())
    if len(title) > _LONGEST_TITLE:
        raise Rejected(
            "title-too-long",
            f"the title has {len(title)} characters, and GitHub takes {_LONGEST_TITLE}",
            where=where,
            hint="shorten the first heading of spec.md",
        )
    return title


def _fitting(body: str, *, where: str) -> str:
    if len(body) > _LONGEST_BODY:
        raise Rejected(
            "body-too-long",
            f"the body has {len(body)} characters, and GitHub takes {_LONGEST_BODY}",
            where=where,
            hint="repeat with --comment short or --comment none, or shorten the text",
        )
    return body
