"""Names as 2026-03-31-fix-login, of work that is known by its day and its title."""

import re
import unicodedata
from collections.abc import Collection
from datetime import datetime

from unlatch.worklog.secret_patterns import without_secrets

_LONGEST_SLUG = 60
_DATE = re.compile(r"\A\d{4}-\d\d-\d\d-")


def slug(title: str, *, otherwise: str) -> str:
    """The part of a name that a title makes: lower-case ASCII words, without probable secrets.

    In a name nothing recognises a secret any more: its letters are small, and its signs hyphens.
    """
    plain = unicodedata.normalize("NFKD", without_secrets(title))
    words = re.findall(r"[a-z0-9]+", plain.lower())
    return "-".join(words)[:_LONGEST_SLUG].rstrip("-") or otherwise


def dated_name(day: datetime, slug: str, taken: Collection[str]) -> str:
    """A name that is free; the second one of a day ends with -2."""
    name = f"{day:%Y-%m-%d}-{slug}"
    if name not in taken:
        return name
    candidates = (f"{name}-{number}" for number in range(2, len(taken) + 3))
    return next(one for one in candidates if one not in taken)


def begins(name: str, wanted: str) -> bool:
    """Whether a name, or its part behind the date, begins with these letters."""
    return name.startswith(wanted) or _DATE.sub("", name).startswith(wanted)
