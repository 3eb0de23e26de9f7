"""Redact secrets in messages, headers and traces, in linear time."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from urllib.parse import quote, quote_plus

from unlatch.patterns import pattern
from unlatch.spi.text import one_line

MASK = "***"
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
    re.IGNORECASE,
)
# Names of query parameters and JSON members whose value is a secret.
_SECRET_NAMES = (
    r"(?:access_|refresh_|id_|auth_|api_|private_|oauth_|session_)?token|password|passwd|pwd"  # noqa: S105  # names
    r"|(?:client_)?secret|api[_-]?key|sig|jwt"
)
# A password or key behind its name: in quotes, or with a digit, or attached as in a .env file.
_ASSIGNED = r"(?:\\?[\"'])?\s{0,3}[:=]\s{0,3}"
_PASSWORD = rf"(?:password|passwd|pwd|passphrase){_ASSIGNED}"
_KEY = rf"(?:token|secret|(?:api|access|private|secret)[_-]?key){_ASSIGNED}(?:\\?[\"'])?"
_NO_VALUE = r"(?![/~.]|(?:none|null|true|false|string|self|os|env|your|password|secret)\b)"
_WORD = r"[^\s\"',;&(){}\[\]<>$*]"
_PEM = r"[A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
# Only in addresses: in JSON, "key" names an issue of Jira.
_QUERY_KEY = r"(?:(?:access|subscription)[_-])?key"
_PATTERNS = (
    (r"(?<=://)[^/?#\s@\"'<>]+@", f"{MASK}@"),
    (
        r"\b((?:proxy-)?authorization|(?:set-)?cookie)(\\?[\"']?\s*[:=]\s*)[^\r\n]+",
        rf"\1\2{MASK}",
    ),
    (r"\b(bearer|basic|negotiate)\s+[\w+/=.~-]{20,}", rf"\1 {MASK}"),
    (rf"([?&;](?:{_SECRET_NAMES}|{_QUERY_KEY})=)[^&#\s\"'<>]*", rf"\1{MASK}"),
    (rf"(\"(?:{_SECRET_NAMES})\"\s*:\s*\")(?:[^\"\\]|\\.)*", rf"\1{MASK}"),
    (rf"({_PASSWORD}\\?[\"'])[^\"'\\\s]{{4,}}", rf"\1{MASK}"),
    (rf"({_PASSWORD}){_NO_VALUE}(?={_WORD}{{0,64}}\d){_WORD}{{6,}}", rf"\1{MASK}"),
    (rf"({_PASSWORD}(?<==)){_NO_VALUE}[\w!#%+?^@-]{{8,}}(?![\w.(\[])", rf"\1{MASK}"),
    (rf"({_KEY})(?=[^\s\"']{{0,64}}\d)[\w+/=.~-]{{16,}}", rf"\1{MASK}"),
    # RFC 7468, and the formats of OpenSSH and OpenPGP; a cut one ends with the text.
    (rf"-----BEGIN {_PEM}[^-]*(?:-(?!----)[^-]*)*(?:-----END {_PEM})?", MASK),
    # Tokens with a known prefix: GitHub, Atlassian, Azure DevOps, AWS ("IAM identifiers"),
    # GitLab ("Token overview"), Slack ("Token types"); then OpenAI and Anthropic, Stripe,
    # Google, npm and Hugging Face, and PyPI, as in the rules of gitleaks.
    (r"\bgh[a-z]_[A-Za-z0-9_]{16,}", MASK),
    (r"\bgithub_pat_\w{16,}", MASK),
    (r"\bAT(?:ATT|CTT|BB)[\w=+/-]{16,}", MASK),
    (r"\b[A-Za-z0-9]{70,80}AZDO[A-Za-z0-9]{4}\b", MASK),
    (r"\b(?-i:A(?:KIA|SIA)[A-Z0-9]{16})\b", MASK),
    (r"\bgl(?:pat|oas|dt|rt|cbt|ptt|ft|imt|agent|soat|ffct)-[\w.-]{16,}", MASK),
    (r"\bx(?:ox[a-z]|app)-[\w-]{16,}", MASK),
    (r"\bsk-(?:proj|svcacct|admin|ant|or)-[\w-]{16,}", MASK),
    (r"\bsk-[A-Za-z0-9]{32,}", MASK),
    (r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}", MASK),
    (r"\b(?-i:AIza)[\w-]{30,}", MASK),
    (r"\b(?:npm|hf)_[A-Za-z0-9]{30,}", MASK),
    (r"\b(?-i:pypi-Ag)[\w-]{16,}", MASK),
)
# A JWT is three words with dots between them. It is searched in whole runs of such characters,
# because a pattern that begins at each "eyJ" takes quadratic time.
_DOTTED = pattern(r"[\w.-]+")
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
        for secret_like, replacement in _compiled():
            text = secret_like.sub(replacement, text)
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


@cache
def _compiled() -> list[tuple[re.Pattern[str], str]]:
    # When first needed: a delivery without a failure or a trace redacts nothing.
    return [(re.compile(pattern, re.IGNORECASE), mask) for pattern, mask in _PATTERNS]


def _without_jwt(run: re.Match[str]) -> str:
    before, mark, rest = run[0].partition("eyJ")
    is_jwt = mark and rest.count(".") >= _JWT_DOTS and len(rest) >= _SHORTEST_JWT
    return before + MASK if is_jwt else run[0]


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
