"""The section of a work item's description that unlatch maintains within people's text.

The section is between two visible paragraphs: HTML comments may be removed, and the browser's
editor rewrites tags and attributes with every edit.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from unlatch.errors import Rejected
from unlatch.patterns import pattern
from unlatch.spi import Draft, KeptPart, as_html, fit_text, read_checks, visible
from unlatch_ado.api.plain_text import plain

if TYPE_CHECKING:
    from collections.abc import Callable

# learn.microsoft.com/azure/devops/organizations/settings/work/object-limits: a long text field.
LONGEST = 1_000_000
LONGEST_TITLE = 255
_SIGN = "[unlatch"
_LIKE_A_SIGN = pattern(r"\[(?=unlatch)", re.IGNORECASE)  # marks are found in any case
_BEGIN = pattern(
    r"\[unlatch(?:\s|&nbsp;)+begin(?:\s|&nbsp;)+(?P<increment>[^\]<>]{1,255})\]", re.IGNORECASE
)
# People could write any number of marks, and each is searched for.
_MOST_SECTIONS = 20
_CLOSING = pattern(r"(?:</[^<>]*>)*")


def render_description(draft: Draft, op: str) -> str:
    """The description of a new work item; the marker of `op` is its last line."""
    return f"{_section(draft)}<p>{visible(op)}</p>"


def update_description(description: str, draft: Draft) -> str:
    """`description` with unlatch's section replaced, or added at the end."""
    span = _kept(description, draft.increment)
    if span is None:
        return description + _section(draft)
    start, end = span
    body = _body(draft)
    if plain(description[start:end]) == plain(body):
        # The browser's editor may have rewritten the same text.
        return description
    return description[:start] + body + description[end:]


def kept_parts(description: str) -> tuple[KeptPart, ...]:
    """The sections of a description: one for each increment that its marks name."""
    names = dict.fromkeys(match["increment"].strip() for match in _BEGIN.finditer(description))
    sections = ((name, _kept(description, name)) for name in islice(names, _MOST_SECTIONS))
    return tuple(
        KeptPart(name, read_checks(plain(description[slice(*place)]).split("\n")))
        for name, place in sections
        if place is not None
    )


def fit(draft: Draft, render: Callable[[Draft], str]) -> str:
    """A rendered description, without lines of the draft that Azure DevOps does not take.

    Raises:
        Rejected: `body-too-long`.
    """
    description = fit_text(
        draft.body,
        lambda part: render(replace(draft, body=part)),
        lambda description: len(description) <= LONGEST,
    )
    if len(description) > LONGEST:
        raise Rejected(
            "body-too-long",
            f"the description would have {len(description)} characters; the limit is {LONGEST}",
            hint="shorten spec.md, or the rest of the description",
        )
    return description


def title_notes(draft: Draft) -> tuple[str, ...]:
    """A note if the title did not fit."""
    cut = len(draft.title) > LONGEST_TITLE
    return (f"the title was cut to {LONGEST_TITLE} characters",) if cut else ()


def title_of(draft: Draft) -> str:
    """The draft's title, cut to Azure DevOps' limit."""
    title = draft.title
    return title if len(title) <= LONGEST_TITLE else f"{title[: LONGEST_TITLE - 3]}..."


def _section(draft: Draft) -> str:
    begin, end = _signs(draft.increment)
    return f"<p>{begin}</p>{_body(draft)}<p>{end}</p>"


def _body(draft: Draft) -> str:
    # A zero-width space, so that the text cannot end its own section.
    return _LIKE_A_SIGN.sub("\\g<0>\u200b", as_html(draft.body))


def _signs(increment: str) -> tuple[str, str]:
    return f"{_SIGN} begin {increment}]", f"{_SIGN} end {increment}]"


def _kept(description: str, increment: str) -> tuple[int, int] | None:
    """The start and end of unlatch's section; None if either mark is missing."""
    begin, end = (_as_edited(sign) for sign in _signs(increment))
    first = begin.search(description)
    last = end.search(description, first.end()) if first else None
    if first is None or last is None:
        return None
    return _after_closing(description, first.end()), _before_opening(description, last.start())


def _as_edited(sign: str) -> re.Pattern[str]:
    words = map(re.escape, sign.split(" "))
    return re.compile(r"(?:\s|&nbsp;)+".join(words), re.IGNORECASE)


def _after_closing(text: str, at: int) -> int:
    match = _CLOSING.match(text, at)
    return match.end() if match else at


def _before_opening(text: str, at: int) -> int:
    while at > 0:
        if text[at - 1] != ">":
            return at
        opened = text.rfind("<", 0, at)
        if opened < 0 or text.startswith("</", opened):
            return at
        at = opened
    return at
