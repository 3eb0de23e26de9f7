"""Redact secrets in messages, headers and traces, in linear time."""

import re
from collections.abc import Mapping
from pathlib import Path

from unlatch.errors.known_secrets import MASK, forms_of
from unlatch.patterns import pattern
from unlatch.spi.text import one_line
from unlatch.worklog.text.secrets import without_secrets

HOME = "~"
_LONGEST = 300
# The characters read for each character kept, because masks shorten a text.
_AHEAD = 16
# The length left out before an edge, where half of a secret would not be recognised.
_EDGE = 256
_SHORTEST_SECRET = 4

_SECRET_HEADERS = pattern(
    r"(proxy-)?authorization|(set-)?cookie2?|private-token"
    r"|.*(token|secret|password|passwd|session|api[_-]?key).*",
    re.IGNORECASE | re.DOTALL,
)


class Redactor:
    """Masks given secrets, and text that looks like one.

    It needs every form in which a secret is sent, except percent-encoded ones.
    """

    def __init__(self, *secrets: str) -> None:
        forms = forms_of(secrets, shortest=_SHORTEST_SECRET)
        self._secrets = sorted(forms, key=len, reverse=True)

    def text(self, text: str) -> str:
        """`text` without secrets."""
        for secret in self._secrets:
            text = text.replace(secret, MASK)
        return without_secrets(text)

    def excerpt(self, text: str, length: int) -> str:
        """The beginning of `text` without secrets, at most `length` characters of it.

        The time depends on `length` alone, and no part of a secret is left at the edge.
        """
        ahead = length * _AHEAD
        if len(text) <= ahead:
            return self.text(text)[:length]
        edge = max(_EDGE, *map(len, self._secrets), 0)
        return self.text(text[:ahead])[:-edge][:length]

    def line(self, text: str) -> str:
        """`text` on one line, without secrets and control characters."""
        return one_line(self.text(text))

    def message(self, text: str) -> str:
        """`text` as the message of an error: one line, cut."""
        line = one_line(self.excerpt(text, 4 * _LONGEST))
        return line if len(line) <= _LONGEST else line[: _LONGEST - 3] + "..."

    def headers(self, headers: Mapping[str, str]) -> dict[str, str]:
        return {
            name: MASK if _SECRET_HEADERS.fullmatch(name) else self.text(str(value))
            for name, value in headers.items()
        }


class Masking:
    """Masks probable secrets and a home folder; `count` is the number of masks so far.

    Args:
        home: by default the user's.
    """

    def __init__(self, home: Path | None = None) -> None:
        home = home or own_home()
        self.count = 0
        self._redactor = Redactor()
        has_home = home is not None and home != home.parent
        self._home = (
            re.compile(rf"(?<!\w){re.escape(str(home))}(?![\w-]|\.\w)") if has_home else None
        )

    def text(self, text: str) -> str:
        """The text, masked."""
        masked = self._redactor.text(text)
        self.count += max(0, masked.count(MASK) - text.count(MASK))
        if self._home:
            masked, homes = self._home.subn(HOME, masked)
            self.count += homes
        return masked


def own_home() -> Path | None:
    """The user's home folder; None for a user without one."""
    try:
        return Path.home()
    except RuntimeError:
        return None
