"""How long the texts of an effort can be, in characters."""

from __future__ import annotations

from unlatch.errors import UsageError

MESSAGE, SUMMARY, REASON, TITLE = 100_000, 10_000, 10_000, 200
# What the note of a text that is cut takes at most.
_NOTE = 100


def check_message(text: str) -> None:
    """Make sure that a message can be sent; UsageError `message-too-long`."""
    _check(text, MESSAGE, "message-too-long", "the message", "send it in parts")


def check_title(text: str) -> None:
    """Make sure that an effort can have this title; UsageError `effort-name-too-long`."""
    _check(text, TITLE, "effort-name-too-long", "the name", "use some words of it")


def check_summary(text: str | None) -> None:
    """Make sure that an effort can have this summary; UsageError `summary-too-long`."""
    _check(text or "", SUMMARY, "summary-too-long", "the summary", "shorten it; the log is kept")


def summary_missing(why: str) -> UsageError:
    """The error of an effort that cannot be concluded without a summary."""
    hint = "add --summary TEXT: what was done, decided and rejected"
    return UsageError("summary-missing", why, hint=hint)


def check_reason(text: str | None) -> None:
    """Make sure that a reopen can have this reason; UsageError `reason-too-long`."""
    _check(text or "", REASON, "reason-too-long", "the reason", "shorten it, and send the rest")


def cut(text: str, most: int = MESSAGE) -> str:
    """A text of a model or a tool, as far as it is kept, with a note if it was longer."""
    if len(text) <= most:
        return text
    kept = most - _NOTE
    return f"{text[:kept]}\n[cut: {len(text):,} characters, of which the first {kept:,} are kept]"


def _check(text: str, most: int, id: str, what: str, hint: str) -> None:
    if len(text) > most:
        message = f"{what} has {len(text):,} characters; at most {most:,} are possible"
        raise UsageError(id, message, hint=hint)
