"""The reason of a change of status, and what no text that a person types can be."""

from collections.abc import Collection
from shlex import quote

from unlatch.errors import UsageError
from unlatch.worklog.text.neutral import without_surrogates

LONGEST_REASON = 10_000
# Characters of a reason in a suggested command.
_LONGEST_QUOTED = 60
# In suggested commands, which may be pasted as they are: `--reason TEXT`.
_OF_TEXTS = ("TEXT", "REASON", "TITLE", "WORD", "NAME", "NAME@VERSION", "NAME[@VERSION]")


def checked_reason(reason: str) -> str:
    """The reason to store; UsageError `reason-missing`, `reason-too-long` or `placeholder`."""
    reason = without_surrogates(reason).strip()
    if not reason.strip("-"):
        message = "a dash is not a reason" if reason else "the reason is empty"
        raise UsageError("reason-missing", message)
    refuse_placeholder(reason, "the reason")
    if len(reason) > LONGEST_REASON:
        raise reason_too_long(f"{len(reason):,} characters")
    return reason


def quoted_reason(reason: str) -> str:
    """A reason for a suggested command; TEXT for one that is long or not plain."""
    words = quote(reason)
    return words if words.isprintable() and len(words) <= _LONGEST_QUOTED else "TEXT"


def refuse_placeholder(given: str, what: str, *, placeholders: Collection[str] = _OF_TEXTS) -> None:
    """Refuse a text that is just a placeholder; UsageError `placeholder`.

    Args:
        what: the text, as the message names it.
    """
    word = given.strip()
    if word in placeholders:
        message = f"{what} is the placeholder {word!r}"
        hint = f"replace {word}, then run the command again"
        raise UsageError("placeholder", message, hint=hint)


def reason_too_long(size: str) -> UsageError:
    message = f"the reason has {size}; at most {LONGEST_REASON:,} are kept"
    hint = "shorten it and put the rest into the increment's files"
    return UsageError("reason-too-long", message, hint=hint)
