"""Find text that looks like a credential.

Sources: GitHub's "Behind GitHub's new authentication token formats"; Microsoft's "Personal access
token format" for Azure DevOps; Atlassian's prefixes of API tokens as gitleaks lists them.
"""

import math
import re
from collections import Counter

PATTERNS = {
    "GitHub token": r"\bgh[pousr]_[A-Za-z0-9]{36,}",
    "GitHub fine-grained token": r"\bgithub_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}",
    "Azure DevOps token": r"\b[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}\b",
    "older Azure DevOps token": r"\b[a-z2-7]{52}\b",
    "Atlassian token": r"\bAT[A-Z]TT3[A-Za-z0-9_=-]{20,}",
    "Jira Data Center token": r"\b[MNO][A-Za-z0-9+/]{43}(?![A-Za-z0-9+/=])",
    "JSON web token": r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
    "AWS key": r"\bAKIA[0-9A-Z]{16}\b",
}
_PATTERN = re.compile("|".join(f"(?P<p{n}>{one})" for n, one in enumerate(PATTERNS.values())))
_NAMES = tuple(PATTERNS)
_PRIVATE_KEY = re.compile(r"-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----\s+[A-Za-z0-9+/]{40}")
# Shorter words hold none, and looking at the others alone takes a tenth of the time.
_LONG = re.compile(r"[\w+/=.-]{20,}")
_WORD = re.compile(r"[A-Za-z0-9+/=_-]{24,}")
# Ids and digests are as random, and open nothing.
_OPENS_NOTHING = re.compile(
    r"\b(?:[0-7][0-9A-HJKMNP-TV-Z]{24,25}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b"
    r"|sha(?:256|384|512)-[A-Za-z0-9+/=]+"
)
# Bits for each character: words of a language and hexadecimal digests stay below it.
_RANDOM = 4.2
# A person's name for something has few changes between letters and digits.
_FEW_CHANGES = 6


def found_secrets(text: str) -> list[tuple[str, str]]:
    """The texts that look like a credential, each with its kind."""
    keys = [("private key", one[0]) for one in _PRIVATE_KEY.finditer(text)]
    text = "\n".join(_LONG.findall(_PRIVATE_KEY.sub("", text)))
    known = [(_NAMES[_index(one)], one[0]) for one in _PATTERN.finditer(text)]
    words = _WORD.finditer(_OPENS_NOTHING.sub(" ", _PATTERN.sub(" ", text)))
    return [*keys, *known, *(("random text", one[0]) for one in words if _is_random(one[0]))]


def _index(found: re.Match[str]) -> int:
    return int((found.lastgroup or "p0")[1:])


def _is_random(word: str) -> bool:
    kinds = re.sub(r"[^A-Za-z0-9]", "", re.sub("[A-Z]", "A", re.sub("[a-z]", "a", word)))
    changes = len(re.findall(r"[Aa][0-9]|[0-9][Aa]", re.sub("[0-9]", "0", kinds)))
    return changes >= _FEW_CHANGES and _entropy(word) >= _RANDOM


def _entropy(word: str) -> float:
    shares = [count / len(word) for count in Counter(word).values()]
    return -sum(share * math.log2(share) for share in shares)
