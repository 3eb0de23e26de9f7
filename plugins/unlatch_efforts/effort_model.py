"""The model of an effort, and its status table."""

from __future__ import annotations

import re
import unicodedata
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from unlatch.errors import UsageError
from unlatch.worklog.digests import sha256
from unlatch.worklog.lifecycle import Lifecycle
from unlatch.worklog.record import NUMBER, TEXT, TIME, BadRecord, Record, Type, key, record, text
from unlatch.worklog.text.secrets import without_secrets
from unlatch_efforts.limits import check_title

if TYPE_CHECKING:
    from datetime import datetime


class Status(StrEnum):
    OPEN = "open"
    CONCLUDED = "concluded"


def _status(raw: Any) -> Status:
    try:
        return Status(text(raw))
    except ValueError as error:
        raise BadRecord(" is not a status of efforts") from error


LIFECYCLE = Lifecycle(
    moves=MappingProxyType(
        {
            Status.OPEN: frozenset({Status.CONCLUDED}),
            Status.CONCLUDED: frozenset({Status.OPEN}),
        }
    ),
    closed=frozenset({Status.CONCLUDED}),
    reopened=frozenset({Status.CONCLUDED}),
)
LONGEST_ID = 60
# What `switch` takes for no effort.
AMBIENT = "ambient"
# An id is also the name of a folder.
EFFORT_ID = re.compile(rf"(?=.{{1,{LONGEST_ID}}}\Z)[a-z0-9]+(-[a-z0-9]+)*")


@record
class Reopen:
    """One reopen of an effort; `prior_summary` is the summary that it had.

    `concluded`: when it was concluded before.
    """

    at: datetime = key(TIME)
    by: str = key(TEXT)
    prior_summary: str | None = key(TEXT, "priorSummary", default=None)
    reason: str | None = key(TEXT, default=None)
    concluded: datetime | None = key(TIME, default=None)


_REOPEN = Record.of(Reopen)
_STATUS = Type("EffortStatus", _status)
_REOPENS = Type("EffortReopens", _REOPEN.read_all, _REOPEN.write_all)


@record
class Effort:
    """An effort, as its events describe it.

    `lines` is the number of lines of its log. `concluded` is the time of the newest conclusion, and
    `summary` is the newest one; None before the first
    conclusion, and for a stub. `increment` is the name of the increment that it belongs to;
    `project` is the root of that increment's project, in a folder that projects share.
    """

    id: str = key(TEXT)
    title: str = key(TEXT)
    status: Status = key(_STATUS)
    created: datetime = key(TIME)
    updated: datetime = key(TIME)
    lines: int = key(NUMBER)
    summary: str | None = key(TEXT, default=None)
    reopens: tuple[Reopen, ...] = key(_REOPENS, default=())
    concluded: datetime | None = key(TIME, default=None)
    increment: str | None = key(TEXT, default=None)
    project: str | None = key(TEXT, default=None)

    @property
    def is_open(self) -> bool:
        return self.status not in LIFECYCLE.closed


EFFORT = Record.of(Effort)


def effort_id(name: str) -> str:
    """The id for a name: lower-case ASCII words joined by hyphens, without probable secrets.

    Raises:
        UsageError: `effort-name` or `effort-name-too-long`.
    """
    check_title(name)
    has_letters, name = any(map(str.isalnum, name)), without_secrets(name)
    words = re.findall(r"[a-z0-9]+", unicodedata.normalize("NFKD", name).lower())
    slug = "-".join(words)[:LONGEST_ID].rstrip("-")
    if slug and slug != AMBIENT:
        return slug
    if not slug and has_letters:
        # Without Latin letters: the same title has the same id, and another title another one.
        title = " ".join(unicodedata.normalize("NFKC", name).casefold().split())
        return f"effort-{sha256(title.encode(errors='surrogatepass'))[:8]}"
    why = "means messages outside of efforts" if slug else "has no letter or digit for an id"
    hint = "put a word into the name"
    raise UsageError("effort-name", f"'{name}' {why}", hint=hint)
