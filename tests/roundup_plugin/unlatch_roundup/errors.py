"""The errors for Roundup's refusals that the general rules would misread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.errors import Conflict, NotFound, Rejected, TrackerError, Unauthorised

if TYPE_CHECKING:
    from unlatch.transport import Answer

# Status, a part of the text, the kind of error, its id, and what to do.
# Roundup answers 409 to any value that its database refuses; a stale revision is 412.
_TABLE: tuple[tuple[int, str, type[TrackerError], str, str | None], ...] = (
    (401, "", Unauthorised, "unauthorized", "set ROUNDUP_USER and ROUNDUP_PASSWORD"),
    (409, "no such issue", NotFound, "item-not-found", None),
    (409, "exists", Conflict, "conflict", None),
    (409, "", Rejected, "value-refused", None),
    (400, "is not a status", Rejected, "status-unknown", "correct [trackers.roundup]"),
)


def explain(answer: Answer) -> TrackerError | None:
    """The error that an answer means, or None to leave it to the general rules."""
    for status, part, kind, name, hint in _TABLE:
        if answer.status == status and part in answer.text:
            return kind(name, f"Roundup refuses: {_said(answer)}", hint=hint)
    return None


def _said(answer: Answer) -> str:
    document = answer.json()
    error = document.get("error") if isinstance(document, dict) else None
    return str(error.get("msg")) if isinstance(error, dict) else answer.text.strip()
