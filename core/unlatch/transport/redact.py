"""Redaction of secrets in messages, headers and traces, in linear time."""

import re
from collections.abc import Mapping
from urllib.parse import quote, quote_plus

from unlatch.spi.text import without_controls

MASK = "***"
_LONGEST = 300
# The characters read for each character kept, because masks shorten a text.
_AHEAD = 16
# The length left out before an edge, where half of a secret would not be recognised.
_EDGE = 256
_SHORTEST_SECRET = 4

_SECRET_HEADERS = re.compile(
    r"(proxy-)?authorization|(set-)?cookie2?|x-api-key|private-token"
    r"|.*(token|secret|password|passwd|session).*",
    re.IGNORECASE,
)
# Names of query parameters and JSON members whose value is a secret.
_SECRET_NAMES = (
    r"(?:access_|refresh_|id_|auth_|api_|private_|oauth_|session_)?token|password|passwd|pwd"  # noqa: S105  # names
    r"|(?:client_)?secret|api_?key|sig|jwt"
)
_PATTERNS = tuple(
    (re.compile(pattern, re.IGNORECASE), replacement)
    for pattern, replacement in (
        (r"(?<=://)[^/?#\s@\"'<>]+@", f"{MASK}@"),
        (
            r"\b((?:proxy-)?authorization|(?:set-)?cookie)(\\?[\"']?\s*[:=]\s*)[^\r\n]+",
            rf"\1\2{MASK}",
        ),
        (r"\b(bearer|basic|negotiate)\s+[\w+/=.~-]{20,}", rf"\1 {MASK}"),
        (rf"([?&;](?:{_SECRET_NAMES})=)[^&#\s\"'<>]*", rf"\1{MASK}"),
        (rf"(\"(?:{_SECRET_NAMES})\"\s*:\s*\")(?:[^\"\\]|\\.)*", rf"\1{MASK}"),
        # Tokens with a known prefix: GitHub, Atlassian, Azure DevOps.
        (r"\bgh[a-z]_[A-Za-z0-9_]{16,}", MASK),
        (r"\bgithub_pat_\w{16,}", MASK),
        (r"\bAT(?:ATT|CTT|BB)[\w=+/-]{16,}", MASK),
        (r"\b[A-Za-z0-9]{70,80}AZDO[A-Za-z0-9]{4}\b", MASK),
    )
)
# A JWT is three words with dots between them. It is searched in whole runs of such characters,
# because a pattern that begins at each "eyJ" takes quadratic time.
_DOTTED = re.compile(r"[\w.-]+")
_JWT_DOTS = 2
_SHORTEST_JWT = 20


class Redactor:
    """Masks given secrets, and text that looks like one.

    It needs every form in which a secret is sent, except percent-encoded ones.
    """

    def __init__(self, *secrets: str) -> None:
        forms = {form for one in secrets for form in (one, quote(one, safe=""), quote_plus(one))}
        known = (form for form in forms if len(form) >= _SHORTEST_SECRET)
        self._secrets = sorted(known, key=len, reverse=True)

    def text(self, text: str) -> str:
        """`text` without secrets."""
        for secret in self._secrets:
            text = text.replace(secret, MASK)
        for pattern, replacement in _PATTERNS:
            text = pattern.sub(replacement, text)
        return _DOTTED.sub(_without_jwt, text) if "eyJ" in text else text

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
        return " ".join(without_controls(self.text(text)).split())

    def message(self, text: str) -> str:
        """`text` as the message of an error: one line, cut."""
        line = " ".join(without_controls(self.excerpt(text, 4 * _LONGEST)).split())
        return line if len(line) <= _LONGEST else line[: _LONGEST - 3] + "..."

    def headers(self, headers: Mapping[str, str]) -> dict[str, str]:
        return {
            name: MASK if _SECRET_HEADERS.fullmatch(name) else self.text(str(value))
            for name, value in headers.items()
        }


def _without_jwt(run: re.Match[str]) -> str:
    before, mark, rest = run[0].partition("eyJ")
    is_jwt = mark and rest.count(".") >= _JWT_DOTS and len(rest) >= _SHORTEST_JWT
    return before + MASK if is_jwt else run[0]
