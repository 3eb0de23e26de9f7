"""Whether a text names an alert: by its address, or by words such as "Code scanning alert #4".

An address counts as a whole only: one that goes on in the text is another page, and one within
another address is its part. Words may be broken over lines and marked, and #4 is not #4.5.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unlatch_regressions.alerts.alert import Alert

_SCHEME = "://"
# What may stand directly before an address, beside characters that are in none.
_BEFORE = r"(?<![\w\-.~:/?#\])@!$&+,;=%])"
# Behind one the sentence may go on, or the mark that began before it ends.
_BEHIND = r"/?(?=[.,;:!?)\]'*]*+(?:[^\w\-.~:/?#\[\]@!$&'()*+,;=%]|\Z))"
_LINKED = r"(?<=\()"
_LINK_ENDS = r"/?(?=\))"
_LABEL = r"(?<=\[)"
_LABEL_ENDS = r"/?(?=\]\()"
# Possessive: a name of asterisks must not be tried in all ways.
_BETWEEN = r"[*`]*+\s++[*`\[(]*+"


def means(text: str, alert: Alert) -> bool:
    """Whether a text names an alert."""
    lower = text.lower()
    names = [name.strip() for name in (*alert.names, *alert.numbers) if name.strip("/ ")]
    # Plain words are looked for first: a hundred times as fast.
    likely = [name for name in names if _least(name) in lower]
    return any(_pattern(name, any_case=bool(alert.home)).search(text) for name in likely)


def is_within(home: str, url: str) -> bool:
    """Whether an address is one of a repository's, with or without the scheme."""
    return bool(home) and _bare(url).startswith(f"{_bare(home)}/")


def _bare(url: str) -> str:
    return url.rpartition(_SCHEME)[2].rstrip("/").casefold()


def _least(name: str) -> str:
    """What each text has that has this name."""
    return (name.rstrip("/") if _SCHEME in name else name.rsplit(maxsplit=1)[-1]).lower()


def _pattern(name: str, *, any_case: bool) -> re.Pattern[str]:
    # Owners and repositories of GitHub have one name in any case.
    flags = re.IGNORECASE if any_case else 0
    return re.compile(_address(name) if _SCHEME in name else _words(name), flags)


def _address(name: str) -> str:
    address = re.escape(name.rstrip("/"))
    ways = ((_BEFORE, _BEHIND), (_LINKED, _LINK_ENDS), (_LABEL, _LABEL_ENDS))
    return "|".join(f"{before}{address}{behind}" for before, behind in ways)


def _words(name: str) -> str:
    words = _BETWEEN.join(map(re.escape, name.split()))
    return rf"(?<![\w-]){words}(?![\w-]|\.[0-9])"
