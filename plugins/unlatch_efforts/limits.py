"""Limits for the texts of an effort, in characters."""

from __future__ import annotations

from unlatch.errors import UsageError

MESSAGE, SUMMARY, REASON, TITLE = 100_000, 10_000, 10_000, 200
# The maximum length of the note about a cut text.
_NOTE = 100


def check_message(text: str) -> None:
    """Refuse a message that is too long; UsageError `message-too-long`."""
    _check(text, MESSAGE, "message-too-long", "the message", "send it in parts")


def check_title(text: str) -> None:
    """Refuse a title that is too long; UsageError `effort-name-too-long`."""
    _check(text, TITLE, "effort-name-too-long", "the name", "use some words of it")


def check_summary(text: str | None) -> None:
    """Refuse a summary that is too long; UsageError `summary-too-long`."""
    _check(text or "", SUMMARY, "summary-too-long", "the summary", "shorten it; the log is kept")


def summary_missing(why: str) -> UsageError:
    """The error of concluding an effort without a summary."""
    hint = "add --summary TEXT: what was done, decided and rejected"
    return UsageError("summary-missing", why, hint=hint)


def check_reason(text: str | None) -> None:
    """Refuse a reason that is too long; UsageError `reason-too-long`."""
    _check(text or "", REASON, "reason-too-long", "the reason", "shorten it, and send the rest")


def cut(text: str, most: int = MESSAGE) -> str:
    """A text of a model or a tool, cut to the limit, with a note if it was longer."""
    if len(text) <= most:
        return text
    kept = most - _NOTE
    return f"{text[:kept]}\n[cut: {len(text):,} characters, of which the first {kept:,} are kept]"


def _check(text: str, most: int, id: str, what: str, hint: str) -> None:
    if len(text) > most:
        message = f"{what} has {len(text):,} characters; at most {most:,} are possible"
        raise UsageError(id, message, hint=hint)
