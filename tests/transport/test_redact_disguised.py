"""Tokens in colour, behind escapes, in variables and in sentences are masked; names are not.

They are made here: none is a token.
"""

from __future__ import annotations

import json
import random
import string
from hashlib import sha1, sha256
from typing import TYPE_CHECKING

import pytest
from tests.transport.calling import covering

from unlatch.transport.redact import Redactor
from unlatch.worklog.neutral import without_controls

if TYPE_CHECKING:
    from collections.abc import Sequence

MIXED = string.ascii_letters + string.digits


def made(length: int, letters: str = MIXED) -> str:
    """A random word with a digit, a small and a capital letter, where `letters` has them."""
    word = random.Random(length).choices(letters, k=length)
    for at, kinds in enumerate((string.digits, string.ascii_lowercase, string.ascii_uppercase)):
        word[3 + at] = kinds[7] if kinds[7] in letters else word[3 + at]
    return "".join(word)


LETTERS = made(24, string.ascii_letters)
SMALL = made(24, string.ascii_lowercase)
PAT = made(52, string.ascii_lowercase + string.digits)
HEX = sha1(b"token", usedforsecurity=False).hexdigest()
AWS_ID = "AKIA" + made(16, string.ascii_uppercase + string.digits)
AWS_SECRET = made(40, f"{MIXED}/+")
TOKENS = {
    "GitHub": "ghp_" + made(36),
    "GitHub's new ones": "github_pat_" + made(22) + "_" + made(59),
    "Atlassian": "ATATT3x" + made(40) + "=1A2B3C4D",
    "Azure DevOps": made(76) + "AZDO" + made(6)[:4],
    "AWS": AWS_ID,
    "OpenAI": "sk-" + made(48),
    "Anthropic": "sk-ant-" + made(48),
    "GitLab": "glpat-" + made(20),
    "Slack": "xoxb-" + made(40),
    "Google": "AIza" + made(35),
    "Google's clients": "GOCSPX-" + made(28),
}
BEFORE = (
    *("\x1b[31m", "\x1b[1;31m", "\x1b[0;38;5;9m", "[31m", "[1;31m", "\x9b31m", "\\u001b[31m"),
    *("\x1b]0;title\x07", "\x1b]8;;http://a\x1b\\", "\x1b(B", "\x1b[", "\x1b"),
    *("line\\n", "a\\t", "\\r\\n", '{\\"a\\": \\"', '\\\\\\"', "\\u003d", "a%3D", "a%20"),
    *("x_", "key_", "x\\_", "(", "`", '"', "=", "a=", "é: "),
)


@pytest.mark.parametrize(
    ("before", "kind"), covering({ascii(before): before for before in BEFORE}, tuple(TOKENS))
)
def test_what_stands_before_a_token_does_not_hide_it(before: str, kind: str) -> None:
    token = TOKENS[kind]
    for after in ("", "\x1b[0m", "[0m", "\\n", '\\"', "."):
        text = Redactor().text(f"say {before}{token}{after} end")

        assert token[8:] not in text
        assert "***" in text
        assert text.startswith("say ")
        assert text.endswith(" end")


@pytest.mark.parametrize("token", TOKENS.values(), ids=TOKENS)
def test_a_colour_within_a_token_does_not_hide_it(token: str) -> None:
    text = Redactor().text(f"say {token[:9]}\x1b[01;31m\x1b[K{token[9:]}\x1b[m end")

    assert text == "say *** end"


@pytest.mark.parametrize("kind", ["GitHub", "GitHub's new ones"])
def test_a_token_escaped_for_markdown_is_masked(kind: str) -> None:
    token = TOKENS[kind]

    assert Redactor().text(f"use {token.replace('_', chr(92) + '_')} now") == "use *** now"
    assert Redactor().text(json.dumps(token.replace("_", "\\_"))) == '"***"'


NAMED = [
    *(f"AZURE_DEVOPS_EXT_PAT={PAT}", f"AZURE_DEVOPS_EXT_PAT: {PAT}", f"PAT: {PAT}", f"PAT={PAT}"),
    *(f'$env:AZURE_DEVOPS_EXT_PAT = "{PAT}"', f"the PAT is `{PAT}`", f"a PAT {PAT}."),
    *(f"JIRA_API_TOKEN={LETTERS}", f"JIRA_API_TOKEN={SMALL}", f"JIRA_TOKEN={SMALL.upper()}"),
    *(f'{{"JIRA_API_TOKEN": "{LETTERS}"}}', f'{{\\"JIRA_TOKEN\\": \\"{LETTERS}\\"}}'),
    *(f"JIRA_API_TOKEN: {LETTERS}", f"a\\nJIRA_API_TOKEN={LETTERS}\\nb", f"api_token={LETTERS}"),
    *(f"MY_SECRET={SMALL}", f"MY_SECRET='{LETTERS}'", f"MY_KEY={LETTERS}", f"MY_KEY={made(32)}"),
    *(f"MY_KEY={made(43, MIXED + '_-')}", f"MY_KEY: {HEX}", f"token {HEX}", f"Token: {HEX}."),
    *(f"the Jira API token {LETTERS}", f"the Jira API token {SMALL}", f"API token ({made(24)})"),
    *(f"{AWS_ID} / {AWS_SECRET}", f"{AWS_ID}\n{AWS_SECRET}", f"{AWS_ID},{AWS_SECRET}"),
    *(f"{AWS_ID}\\n{AWS_SECRET}", f"{AWS_SECRET} ({AWS_ID})", f"{AWS_ID} with secret {AWS_SECRET}"),
    *("az login --service-principal -u me -p Pa55-w0rd", "docker login -u me -p 'Pa55-w0rd' h"),
    *("docker login h \\\n  -u me \\\n  -p Pa55-w0rd", "az login -p=Pa55-w0rd"),
    *("CREATE USER a@'%' IDENTIFIED BY 'Pa55-w0rd';", "create user a with password 'Pa55-w0rd'"),
    "IDENTIFIED WITH mysql_native_password BY 'Pa55-w0rd'",
    *(f"https://discord.com/api/webhooks/123456/{made(68)}",),
    *(f"https://a.webhook.office.com/webhookb2/{HEX}@{HEX}/IncomingWebhook/{HEX}",),
    f"---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: a-b\n{made(64)}\n",
]
HIDDEN = (PAT, LETTERS, SMALL, SMALL.upper(), HEX, AWS_ID, AWS_SECRET, made(24), made(32))


@pytest.mark.parametrize("text", NAMED)
def test_a_secret_beside_its_name_is_masked(text: str) -> None:
    said = Redactor().text(text)

    assert "***" in said
    for one in (*HIDDEN, made(43, MIXED + "_-"), "Pa55", made(64), made(68)):
        assert one not in said


@pytest.mark.parametrize(
    "text",
    [
        f"fixed in {HEX}",
        f"Fix the token in {HEX} and {HEX[:12]}, reverts commit {HEX}",
        f"secrets were removed by {HEX}",
        f"pip install --hash=sha256:{sha256(b'a').hexdigest()}",
        f"cache key {HEX}, key: {HEX}",
        f"the tokens {HEX}",
        "token refreshAccessTokenSilently, token = parseAuthorizationHeaderValue",
        "const token = getAccessTokenFromRequest2(request)",
        "token: AuthenticationTokenProvider, secret: internationalization",
        "API_TOKEN=$JIRA_API_TOKEN_1 API_KEY=settings.api_key_of_the_project",
        "CACHE_KEY=v1-linux-node18-deps PRIMARY_KEY=customer_identifier_1",
        "SECRET_KEY=/run/secrets/the/secret_key MONKEY=abcdefghijklmnopqrstuvwx",
        "the pat on the back, path: abcdefghijklmnopqrst1234, compat=abcdefghijklmnopqrst1234",
        "tests/test_token_of_a_very_long_name_2.py token/abcdefghijklmnopqrst1234/x.py",
        "highs_and_lows_of_the_whole_year2, task-abcdefghijklmnopqrstuvwxyz0123456789ab",
        r"C:\new\task-abcdefghijklmnopqrstuvwxyz0123456789ab",
        "docker login\nmkdir -p build/target",
        "az login -p $PASSWORD; docker login -u me -p ${TOKEN}",
        "identified by 'a', the user is identified by name",
        "https://discord.com/api/webhooks/ and https://outlook.office.com/mail/inbox",
        f"the key {AWS_SECRET[:20]}, {AWS_SECRET}",
        "[31m red [0m arr[i] [1] a3",
    ],
)
def test_hashes_names_and_paths_are_left_alone(text: str) -> None:
    assert Redactor().text(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x9b31mred\x1b[m\x1b[K", "red"),
        ("a\x1b]0;title\x07b\x1b]8;;http://c\x1b\\d\x9dx\x9c", "abd"),
        ("\x1b(Bplain\x1b)0", "plain"),
        ("\x1b]0;no end\nof it", "]0;no end\nof it"),
        ("\x1b[31", "[31"),
    ],
)
def test_sequences_of_terminals_are_removed_whole(text: str, expected: str) -> None:
    assert without_controls(text) == expected


def hostile() -> tuple[str, ...]:
    return (
        *BEFORE,
        *(f"{text} " for text in NAMED),
        *TOKENS.values(),
        *("TOKEN=", "TOKEN=a", "token ", "token is ", "PAT ", "PAT", "_KEY=", "KEY=a1A"),
        *('token\\"', "token:a", "?token=", '"token":"', '"password": "\\', "secret_", "sk-a"),
        *(AWS_ID + " ", AWS_ID + "/", "AKIA", "/", "a/", "aA", "a1", "1a", "a", " ", "-"),
        *("AZDO", "A" * 79 + "AZDO", "az login ", "az login -", "docker login"),
        *("docker login \\\n", "identified by ", "identified by '", "user a ", "bearer "),
        *("---- BEGIN SSH2 PRIVATE KEY ----", "---- ", "-----BEGIN PRIVATE KEY-----"),
        *("-----BEGIN ", "discord.com/api/webhooks/1", ".office.com/webhook/"),
        *("hooks.slack.com/services/", "://", "://a", "://a:", "://a:b@", "://a:b@c"),
        *("\x1b[", "\x1b[0", "\x1b]", "\x1b]0;", "\x9d", "\x9b", "\\", "\\_", "[1m", "%3D", "\\n"),
        *(
            "ghp_",
            "ghp\\_",
            "gh\\",
            "github_pat_",
            "github\\_pat\\_",
            "glpat-",
            "xoxb-",
            "sk-proj-",
        ),
        *("hvs.", "ya29.", "SG.", "SG.a1", "ATATT", "ATATT\\_", "authorization ", "cookie=\n"),
        *(
            "eyJhbGciOiJI-",
            "eyJ.",
            "-eyJ",
            "eyJaaaaaaaaaaa.aaaaaaaaa-",
            "\x00",
            "\ufe0f",
            "a\u200d",
        ),
        *("password=", "password: ", "password=aaaaaaaa", "password ", "password a1\n", "pwd:"),
        *("_pass=", "_pass=a", '"a_pass":"', '"' + "a_" * 30, " --password ", " --a-token a1"),
        *("curl ", "curl -u", "curl -u a:", "mysql -p", "mysql ", "mysql\n", "redis-cli -a "),
        *("sshpass ", "machine a login b ", "machine "),
    )


# In quadratic time, 100,000 characters would take minutes: the nightly tests would not end.
@pytest.mark.parametrize(
    ("parts", "size"),
    [
        pytest.param(hostile(), 500, id="short"),
        *(pytest.param([part], 100_000, marks=pytest.mark.sweep) for part in hostile()),
    ],
)
def test_hostile_text_is_masked_in_linear_time(parts: Sequence[str], size: int) -> None:
    redactor = Redactor("s3cr/t+of=ours")
    texts = [part * (size // len(part) + 1) for part in parts]
    masked = [without_controls(redactor.text(f"{text} {TOKENS['GitHub']} ")) for text in texts]

    assert [
        part for part, text in zip(parts, masked, strict=True) if TOKENS["GitHub"] in text
    ] == []
    assert [
        part for part, text in zip(parts, texts, strict=True) if len(redactor.message(text)) > 300
    ] == []
