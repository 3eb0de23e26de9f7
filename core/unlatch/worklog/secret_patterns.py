"""Texts that look like secrets, masked in linear time."""

import re
from functools import cache

from unlatch.patterns import pattern
from unlatch.worklog.neutral import without_hidden

MASK = "***"
# Names of query parameters and JSON members whose value is a secret.
_SECRET_NAMES = (
    r"(?:access_|refresh_|id_|auth_|api_|private_|oauth_|session_)?token|password|passwd|pwd"  # noqa: S105  # names
    r"|(?:client_)?secret|api[_-]?key|sig|jwt|(?:\w{1,32}_)?pass"
)
# Of members of objects also these.
_SECRET_KEY = pattern(
    rf"(?:\w{{1,32}}[_-])?(?:{_SECRET_NAMES}|passphrase|authorization|(?:access|private)[_-]?key)",
    re.IGNORECASE,
)
# A password or key behind its name: in quotes, or with a digit, or attached as in a .env file.
_ASSIGNED = r"(?:\\?[\"'])?\s{0,3}[:=]\s{0,3}"
_PASSWORD = rf"(?:password|passwd|pwd|passphrase){_ASSIGNED}"
_KEY = (
    r"(?:token|secret|(?:api|access|account|private|secret|storage)[_-]?key)"
    rf"{_ASSIGNED}(?:\\?[\"'])?"
)
# "pass" is also a verb and a noun, so only behind an underscore or in an environment's letters, and
# attached or in quotes.
_PASS = r"(?:(?<=_)pass(?:\\?[\"'])?[:=]|(?-i:\b(?:PG|MYSQL)?PASS=))"  # noqa: S105  # a name
_NO_VALUE = r"(?![/~.]|(?:none|null|true|false|string|self|os|env|your|password|secret)\b)"
_WORD = r"[^\s\"',;&(){}\[\]<>$*]"
_PEM = r"[A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
# Only in addresses: in JSON, "key" names an issue of Jira.
_QUERY_KEY = r"(?:(?:access|subscription)[_-])?key"
# A password in an address can have any sign, but a number and a slash are a port and a path.
_ANY_SIGN = r"[^\s/?#@:\"'<>\[]{0,128}:(?!\d{1,5}[/?#])[^\s@\"'<>{$]{1,128}"
_LONG_OPTION = (
    r"(?<![\w-])--(?:\w{1,32}-)?(?:password|passwd|pass|passphrase|token|secret)[ \t]{1,3}"
)
# The option of a program for a password; an upper-case -P is the port of some.
_OPTION = (
    r"\bcurl\b[^|;]{0,256}?\s(?:-[a-z]{0,8}u\s{0,3}|--(?:proxy-)?user[\s=])\s{0,3}[\"']?[^\s:\"'$]{1,64}:"
    r"|\b(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump)\s(?:[^|;]{0,256}?\s)?(?-i:-p)"
    r"|\bsshpass\s{1,3}(?-i:-p)\s{0,3}|\bredis-cli\s(?:[^|;]{0,256}?\s)?-a\s{1,3}"
)
_PATTERNS = (
    (rf"(?<=://){_ANY_SIGN}@(?:[^\s/?#@\"'<>]{{1,128}}@)*", f"{MASK}@"),
    (r"(?<=://)[^/?#\s\"'<>]+@", f"{MASK}@"),
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
    (rf"({_PASS}){_NO_VALUE}(?={_WORD}{{0,64}}\d){_WORD}{{6,}}(?![\w.(\[])", rf"\1{MASK}"),
    (rf"({_PASS}){_NO_VALUE}[\w!#%+?^@-]{{8,}}(?![\w.(\[])", rf"\1{MASK}"),
    (rf"((?-i:_PASS=)){_NO_VALUE}[\w!#%+?^@-]{{4,}}(?![\w.(\[])", rf"\1{MASK}"),
    (rf"((?<=_)pass{_ASSIGNED}\\?[\"'])[^\"'\\\s]{{4,}}", rf"\1{MASK}"),
    (rf"({_LONG_OPTION}[\"'])[^\"'\r\n]{{4,}}", rf"\1{MASK}"),
    (rf"({_LONG_OPTION})(?=[^\s\"']{{0,64}}\d)(?![-<${{(\[*])[^\s\"'`]{{4,}}", rf"\1{MASK}"),
    (rf"({_OPTION})(?![$*<{{])[^\s\"'`]{{3,}}", rf"\1{MASK}"),
    # netrc(5), of which a password can stand on a line of its own.
    (
        r"(\bmachine\s{1,8}\S{1,256}\s{1,8}login\s{1,8}\S{1,128}\s{1,8}password\s{1,8})\S+",
        rf"\1{MASK}",
    ),
    (
        r"((?m:^)[ \t]{0,8}password[ \t]{1,8})(?=\S{0,64}\d)\S{6,256}[ \t]{0,8}(?m:$)",
        rf"\1{MASK}",
    ),
    (rf"({_KEY})(?=[^\s\"']{{0,64}}\d)[\w+/=.~-]{{16,}}", rf"\1{MASK}"),
    # RFC 7468, and the formats of OpenSSH and OpenPGP; a cut one ends with the text.
    (rf"-----BEGIN {_PEM}[^-]*(?:-(?!----)[^-]*)*(?:-----END {_PEM})?", MASK),
    # Tokens with a known prefix: GitHub, Atlassian, Azure DevOps, AWS ("IAM identifiers"),
    # GitLab ("Token overview"), Slack ("Token types"); then OpenAI and Anthropic, Stripe,
    # Google, npm and Hugging Face, PyPI, SendGrid, DigitalOcean, HashiCorp Vault, Docker and
    # Shopify, as in the rules of gitleaks.
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
    (r"\b(?-i:SG\.)(?=[\w.-]{0,64}\d)[\w-]{16,}(?:\.[\w-]{8,})?", MASK),
    (r"\bdo[opr]_v1_[a-z0-9]{16,}", MASK),
    (r"\b(?-i:hv[bsr]\.)(?=[\w-]{0,64}\d)[\w-]{16,}", MASK),
    (r"\bdckr_(?:pat|oat)_[\w-]{16,}", MASK),
    (r"\bshp(?:at|ca|pa|ss)_[a-z0-9]{16,}", MASK),
    (r"\b(?-i:ya29\.)[\w-]{16,}", MASK),
    # The address of a webhook is its key.
    (r"(\bhooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/)[\w/+-]+", rf"\1{MASK}"),
)
# A JWT is three words with dots between them. It is searched in whole runs of such characters,
# because a pattern that begins at each "eyJ" takes quadratic time.
_DOTTED = pattern(r"[\w.-]+")
_JWT_DOTS = 2
_SHORTEST_JWT = 20


def without_secrets(text: str) -> str:
    """`text` with a mask in place of each probable secret.

    Characters that are not seen are left out of a text in which they hide a secret.
    """
    masked = _masked(text)
    seen = without_hidden(masked)
    if seen == masked:
        return masked
    again = _masked(seen)
    return masked if again == seen else again


def _masked(text: str) -> str:
    for secret_like, replacement in _compiled():
        text = secret_like.sub(replacement, text)
    return _DOTTED.sub(_without_jwt, text) if "eyJ" in text else text


def is_secret_name(name: str) -> bool:
    """Whether the member of an object with this name is a secret."""
    return bool(_SECRET_KEY.fullmatch(name))


@cache
def _compiled() -> list[tuple[re.Pattern[str], str]]:
    # When first needed: a delivery without a failure or a trace redacts nothing.
    return [(re.compile(pattern, re.IGNORECASE), mask) for pattern, mask in _PATTERNS]


def _without_jwt(run: re.Match[str]) -> str:
    before, mark, rest = run[0].partition("eyJ")
    is_jwt = mark and rest.count(".") >= _JWT_DOTS and len(rest) >= _SHORTEST_JWT
    return before + MASK if is_jwt else run[0]
