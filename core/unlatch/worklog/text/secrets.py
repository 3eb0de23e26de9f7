"""Texts that look like secrets: found, or masked, in linear time."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from unlatch.errors.known_secrets import MASK, without_known_secrets
from unlatch.patterns import pattern
from unlatch.worklog.text.neutral import without_controls, without_hidden

if TYPE_CHECKING:
    from collections.abc import Callable

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
# The end of an escape or of a colour: \n of nested JSON, %3D, \u003d, and [31m without its ESC.
_ESCAPE = r"(?<=\\[a-z])|(?<=%[\da-f]{2})|(?<=\\x[\da-f]{2})|(?<=\\u[\da-f]{4})|(?<=[\[\d;][a-z])"
# Where a word begins, and where a token does: also behind an underscore.
_EDGE = rf"(?:\b|{_ESCAPE})"
_START = rf"(?:(?<![^\W_])|{_ESCAPE})"
# A password or key behind its name: in quotes, or with a digit, or attached as in a .env file.
_ASSIGNED = r"(?:\\?[\"'])?\s{0,3}[:=]\s{0,3}"
_PASSWORD = rf"(?:password|passwd|pwd|passphrase){_ASSIGNED}"
_KEY = (
    r"(?:token|secret|(?:api|access|account|private|secret|storage)[_-]?key)"
    rf"{_ASSIGNED}(?:\\?[\"'])?"
)
# "pass" is also a verb and a noun, so only behind an underscore or in an environment's letters, and
# attached or in quotes.
_PASS = rf"(?:(?<=_)pass(?:\\?[\"'])?[:=]|(?-i:{_EDGE}(?:PG|MYSQL)?PASS=))"
_NO_VALUE = r"(?![/~.]|(?:none|null|true|false|string|self|os|env|your|password|secret)\b)"
_WORD = r"[^\s\"',;&(){}\[\]<>$*]"
# A token of letters and digits behind its name, with or without a sign between them. Names in
# code have no digit, no capital on both sides of one letter, and no such length without a sign.
_NAMED = (
    rf"(?:token|secret|{_START}PAT|(?-i:(?<=_)KEY))(?![^\W_])"
    r"[\\\"'`]{0,4}(?:\s{1,3}(?:is|was))?\s{0,3}[:=]?\s{0,3}[\\\"'`(]{0,4}"
)
_RANDOM = (
    r"(?=[a-z]{0,64}(?:\d|(?-i:[A-Z][a-z][A-Z]))|(?-i:[a-z]{24}|[A-Z]{24}))"
    r"[a-z0-9]{20,}+(?![\w(\[/-]|\.\w)"
)
# In an environment's letters any long value.
_VARIABLE = (
    rf"(?-i:{_START}(?:PAT|TOKEN|SECRET|KEY))(?:\\?[\"'])?(?:=|\s=\s)(?:\\?[\"'])?{_NO_VALUE}"
)
_MIXED = r"(?-i:(?=\S{0,64}\d)(?=\S{0,64}[a-z])(?=\S{0,64}[A-Z]))[\w+/=-]{24,}+"
# An access key of AWS, and the secret that stands beside its id.
_AWS_ID = r"(?-i:A[KS]IA[A-Z0-9]{16}(?![A-Z0-9]))"
_AWS_SECOND = (
    r"(?:(?<![\w/+])|(?<=\\[nrt]))"
    r"(?-i:(?=[^A-Z]{0,39}[A-Z])(?=[^a-z]{0,39}[a-z]))[a-z0-9/+]{40}(?![\w/+=])"
)
_PEM = r"[A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----"
_SSH2 = r"SSH2 (?:ENCRYPTED )?PRIVATE KEY ----"
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
    r"|\b(?:az|docker|podman) login[ \t](?:(?:[^|;&\r\n]|\\\r?\n){0,256}?[ \t])?"
    r"(?-i:-p)[ =]{1,3}[\"']?"
)
# Of MySQL and Oracle, and of PostgreSQL.
_SQL = (
    r"\bidentified\s{1,3}(?:with\s{1,3}\S{1,64}\s{1,3})?(?:by|as)\s{1,3}(?:password\s{1,3})?\\?[\"']"
    r"|\b(?:user|role)\s{1,3}\S{1,64}\s{1,3}(?:with\s{1,3})?(?:encrypted\s{1,3})?password\s{1,3}'"
)
# Tokens with a known prefix: GitHub, Atlassian, Azure DevOps, GitLab ("Token overview"), Slack
# ("Token types"); then OpenAI and Anthropic, Stripe, Google, npm and Hugging Face, PyPI, SendGrid,
# DigitalOcean, HashiCorp Vault, Docker and Shopify, as in the rules of gitleaks. In Markdown an
# underscore has a backslash.
_U = r"\\{0,2}_"
_BODY = r"(?:[\w-]|\\{1,2}_){16,}+"
_TOKENS = (
    rf"gh[a-z]{_U}{_BODY}",
    rf"github{_U}pat{_U}{_BODY}",
    r"AT(?:ATT|CTT|BB)(?:[\w=+/-]|\\{1,2}_){16,}+",
    r"[A-Z0-9]{70,80}AZDO[A-Z0-9]{4}(?![A-Z0-9])",
    _AWS_ID,  # "IAM identifiers"
    r"gl(?:pat|oas|dt|rt|cbt|ptt|ft|imt|agent|soat|ffct)-(?:[\w.-]|\\{1,2}_){16,}+",
    rf"x(?:ox[a-z]|app)-{_BODY}",
    rf"sk-(?:proj|svcacct|admin|ant|or)-{_BODY}",
    r"sk-[A-Z0-9]{32,}",
    rf"[rs]k{_U}(?:live|test){_U}[A-Z0-9]{{16,}}",
    r"(?-i:AIza)(?:[\w-]|\\{1,2}_){30,}+",
    rf"(?-i:GOCSPX-){_BODY}",
    rf"(?:npm|hf){_U}[A-Z0-9]{{30,}}",
    rf"(?-i:pypi-Ag){_BODY}",
    r"(?-i:SG\.)(?=[\w.-]{0,64}\d)[\w-]{16,}(?:\.[\w-]{8,})?",
    rf"do[opr]{_U}v1{_U}[A-Z0-9]{{16,}}",
    rf"(?-i:hv[bsr]\.)(?=[\w-]{{0,64}}\d){_BODY}",
    rf"dckr{_U}(?:pat|oat){_U}{_BODY}",
    rf"shp(?:at|ca|pa|ss){_U}[A-Z0-9]{{16,}}",
    rf"(?-i:ya29\.){_BODY}",
)
# A value that is called or indexed, and of a variable one with an attribute, is no secret. A longer
# one counts as a secret, because each name of a key in it would look at all of it.
_CALL = r"[\w+/=.~-]{16,256}+[(\[]"
_PART = r"[\w+/=-]{20,256}+[.(\[]"
_PATTERNS = (
    (rf"(?<=://){_ANY_SIGN}@(?:[^\s/?#@\"'<>]{{1,128}}@)*", f"{MASK}@"),
    (r"(?<=://)[^/?#\s\"'<>]+@", f"{MASK}@"),
    (
        rf"{_EDGE}((?:proxy-)?authorization|(?:set-)?cookie)(\\?[\"']?\s*+[:=]\s*+)[^\r\n]+",
        rf"\1\2{MASK}",
    ),
    (rf"{_EDGE}(bearer|basic|negotiate)\s+[\w+/=.~-]{{20,}}", rf"\1 {MASK}"),
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
    (rf"({_KEY})(?=[^\s\"']{{0,64}}\d)(?!{_CALL})[\w+/=.~-]{{16,}}+", rf"\1{MASK}"),
    (rf"({_SQL})[^\"'\r\n]{{3,}}", rf"\1{MASK}"),
    # RFC 7468, and the formats of OpenSSH and OpenPGP; a cut one ends with the text.
    (rf"-----BEGIN {_PEM}[^-]*(?:-(?!----)[^-]*)*(?:-----END {_PEM})?", MASK),
    # RFC 4716, and the private keys in its format.
    (rf"---- BEGIN {_SSH2}[^-]*(?:-(?!---)[^-]*)*(?:---- END {_SSH2})?", MASK),
    (rf"({_VARIABLE})(?!{_PART})(?:[a-z0-9]{{20,}}+[\w+/=-]*+|{_MIXED})", rf"\1{MASK}"),
    (rf"({_NAMED}){_RANDOM}", rf"\1{MASK}"),
    (rf"({_AWS_ID}(?s:.{{1,80}}?)){_AWS_SECOND}", rf"\1{MASK}"),
    (rf"{_AWS_SECOND}(?=[^\w/+=]{{1,8}}{_AWS_ID})", MASK),
    (rf"{_START}(?:{'|'.join(_TOKENS)})", MASK),
    # The address of a webhook is its key.
    (r"(hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/)[\w/+-]+", rf"\1{MASK}"),
    (r"(discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/\d{1,32}/)[\w-]+", rf"\1{MASK}"),
    (r"(\.office\.com/webhook(?:b2)?/)[^\s\"'<>)\\]+", rf"\1{MASK}"),
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
    masked = _masked(without_known_secrets(text))
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


def mask_values(
    value: Any, mask: Callable[[str], str], *, whole: Callable[[], str] = lambda: MASK
) -> Any:
    """A JSON value with its texts and names masked, and those of a secret's name by `whole`."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, list):
        return [mask_values(item, mask, whole=whole) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        mask(name): whole()
        if isinstance(member, str) and member and is_secret_name(name)
        else mask_values(member, mask, whole=whole)
        for name, member in value.items()
    }


@cache
def _compiled() -> list[tuple[re.Pattern[str], str]]:
    # When first needed: a delivery without a failure or a trace redacts nothing.
    return [(re.compile(pattern, re.IGNORECASE), mask) for pattern, mask in _PATTERNS]


def _without_jwt(run: re.Match[str]) -> str:
    before, mark, rest = run[0].partition("eyJ")
    is_jwt = mark and rest.count(".") >= _JWT_DOTS and len(rest) >= _SHORTEST_JWT
    return before + MASK if is_jwt else run[0]


# What the mask takes away with a secret of each kind, and then what it leaves before itself.
_GONE = (
    ("a private key", r"-----BEGIN "),
    ("a GitHub token", r"gh[a-z]_|github_pat_"),
    ("an Atlassian token", r"AT(?:ATT|CTT|BB)\w"),
    ("an Azure DevOps token", r"AZDO"),
    ("an AWS access key", r"A(?:KIA|SIA)[A-Z0-9]{16}"),
    ("a JSON Web Token", r"eyJ"),
)
_LEFT = (
    ("a password in an address", r"://\*\*\*@"),
    ("a password", r"(?i:pass\w{0,6}|pwd)\W{0,8}\*\*\*"),
)
_OTHER = "a password, token or key"
# Azure DevOps shows addresses to clone with the organization's name: https://acme@dev.azure.com.
_NAME_ALONE = r"://([A-Za-z0-9._-]{1,20})@"


def find_secret(given: str) -> str | None:
    """The kind of secret that a text seems to hold; None if it seems to hold none."""
    text = re.sub(_NAME_ALONE, r":// \1 ", given)
    # Also as it is: the first letter of a secret can be the end of an escape sequence.
    for seen in (without_controls(text), text):
        if (masked := without_secrets(seen)) != seen:
            return _kind(seen, masked)
    return None


def _kind(text: str, masked: str) -> str:
    for kinds, more, fewer in ((_GONE, text, masked), (_LEFT, masked, text)):
        for kind, mark in kinds:
            if len(re.findall(mark, more)) > len(re.findall(mark, fewer)):
                return kind
    return _OTHER
