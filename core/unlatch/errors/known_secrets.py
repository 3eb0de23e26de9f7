"""The secrets that this process uses, to mask them in errors, output and logs.

The code of plugins and SDKs can put them into any text. Like the masks of a CI system, these hold
for the whole process: an error of one tracker can have the token of another.
"""

from collections.abc import Iterable

MASK = "***"
# Shorter ones are words of many texts ("test", "dummy"), and mean no account.
_SHORTEST = 8
_forms: set[str] = set()


def forms_of(secrets: Iterable[str], *, shortest: int) -> set[str]:
    """These secrets as they are, percent-encoded, and as Python and JSON show texts."""
    from urllib.parse import quote, quote_plus  # noqa: PLC0415  (slow to load)

    forms = {
        form for secret in secrets for form in (secret, quote(secret, safe=""), quote_plus(secret))
    }
    escaped = {form.replace("\\", "\\\\") for form in forms}
    forms |= escaped | {form.replace('"', '\\"') for form in escaped}
    return {form for form in forms if len(form) >= shortest}


def remember_secrets(*secrets: str) -> None:
    """Mask these from now on."""
    _forms.update(forms_of(secrets, shortest=_SHORTEST))  # in one step, also for other threads


def without_known_secrets(text: str) -> str:
    """`text` with a mask in place of each remembered secret."""
    # One secret can be a part of another: the longest first.
    for form in sorted(_forms, key=len, reverse=True):
        text = text.replace(form, MASK)
    return text
