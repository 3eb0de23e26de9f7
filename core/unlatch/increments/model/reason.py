"""The reason of a change of status."""

from unlatch.errors import UsageError
from unlatch.worklog.neutral import without_surrogates

LONGEST_REASON = 10_000
# A suggested command may be pasted as it is: `--reason TEXT`.
_PLACEHOLDERS = ("TEXT", "REASON")


def checked_reason(reason: str) -> str:
    """The reason to store; UsageError `reason-missing`, `reason-too-long`, or of a placeholder."""
    reason = without_surrogates(reason).strip()
    if not reason.strip("-"):
        message = "a dash is not a reason" if reason else "the reason is empty"
        raise UsageError("reason-missing", message)
    refuse_placeholder(reason)
    if len(reason) > LONGEST_REASON:
        raise reason_too_long(f"{len(reason):,} characters")
    return reason


def refuse_placeholder(reason: str) -> None:
    if reason.strip() in _PLACEHOLDERS:
        message = f"{reason.strip()!r} is a placeholder, not a reason"
        hint = "write why in its place, such as 'The import still fails'"
        raise UsageError("reason-placeholder", message, hint=hint)


def reason_too_long(found: str) -> UsageError:
    message = f"the reason has {found}; at most {LONGEST_REASON:,} are kept"
    hint = "shorten it and put the rest into the increment's files"
    return UsageError("reason-too-long", message, hint=hint)
