"""The errors that answers of Jira mean, and answers that only look like success."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.errors import Rejected, TrackerError, UnknownOutcome
from unlatch_jira.limits import limited
from unlatch_jira.refusals import TABLE, path_of, words

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from unlatch.transport import Answer

_UNREADABLE: Mapping[bool, tuple[type[TrackerError], str]] = {
    True: (Rejected, "answer-not-understood"),
    False: (UnknownOutcome, "unknown-outcome"),
}
_LISTS = ("/field", "/statuses")
# POST requests that only read.
_QUESTIONS = ("/bulkfetch", "/preview")


class FieldsNotOnScreen(Rejected):
    """A write named fields that the issue's screen does not show; nothing of it was done.

    Args:
        fields: the fields that Jira named.
    """

    def __init__(self, message: str, *, fields: Collection[str], status: int) -> None:
        super().__init__(
            "field-not-on-screen",
            message,
            hint="ask an administrator to put the field on the project's screens",
            status=status,
        )
        self.fields = frozenset(fields)


def explain(answer: Answer) -> TrackerError | None:
    """The error that an answer means, or None where Jira has nothing of its own to say."""
    if special := _off_screen(answer) or limited(answer):
        return special
    found = next((row.error(answer) for row in TABLE if row.means(answer)), None)
    return found or _no_object(answer)


def _off_screen(answer: Answer) -> TrackerError | None:
    if answer.status != 400 or "not on the appropriate screen" not in answer.text:  # noqa: PLR2004
        return None
    body = answer.json()
    errors = body.get("errors") if isinstance(body, dict) else None
    fields = errors if isinstance(errors, dict) else {}
    return FieldsNotOnScreen(
        f"Jira refused the change: {words(answer)}", fields=fields, status=answer.status
    )


def _no_object(answer: Answer) -> TrackerError | None:
    """Everything that Jira answers to us is a JSON object or nothing, but for two lists.

    Pages, and JSON that breaks off, are the transport's: it asks again where that is safe.
    """
    body = answer.body.strip()
    is_page = body.startswith(b"<")
    if not 200 <= answer.status < 300 or not body or is_page:  # noqa: PLR2004
        return None
    content = answer.json()
    if isinstance(content, dict) or (content is None and _is_json(answer)):
        return None
    if isinstance(content, list) and path_of(answer).endswith(_LISTS):
        return None
    is_read = answer.method in ("GET", "HEAD") or path_of(answer).endswith(_QUESTIONS)
    kind, id_ = _UNREADABLE[is_read]
    return kind(
        id_,
        "Jira's answer is not as documented",
        hint="check that trackers.jira.site is a Jira site",
        status=answer.status,
    )


def _is_json(answer: Answer) -> bool:
    kind = answer.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    return kind == "application/json" and answer.body.strip() != b"null"
