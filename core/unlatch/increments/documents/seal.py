"""The last line of a briefing.md, which tells whether a person changed what unlatch wrote."""

from __future__ import annotations

from unlatch.patterns import pattern
from unlatch.worklog.digests import sha256

_SEAL = pattern(r"(?<!\n)\n*+<!-- unlatch ([0-9a-f]{16}) -->\s*\Z")


def sealed(text: str) -> str:
    return f"{text.rstrip()}\n\n<!-- unlatch {_digest(text)} -->\n"


def unsealed(text: str) -> tuple[str, bool]:
    """The text without its seal, and whether it is as unlatch wrote it."""
    text = text.replace("\r\n", "\n")
    match = _SEAL.search(text)
    if match is None:
        return text, False
    body = f"{text[: match.start()]}\n"
    return body, match[1] == _digest(body)


def _digest(text: str) -> str:
    return sha256(text.rstrip().encode())[:16]
