"""Secrets are masked in any text, known or alike, in colour, behind escapes and in sentences."""

import json
import random
import string
from collections.abc import Sequence
from hashlib import sha1, sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.transport.calling import covering

from unlatch.transport.trace import Redactor
from unlatch.worklog.text.neutral import without_controls
from unlatch.worklog.text.secrets import is_secret_name

SECRET = "s3cr/t+of=ours"


def pem(label: str) -> str:
    body = "Proc-Type: 4,ENCRYPTED\n\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmU=\n"
    return f"-----BEGIN {label}-----\n{body}-----END {label}-----"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"a {SECRET} b", "a *** b"),
        (f"{SECRET}{SECRET}", "******"),
        ("?x=s3cr%2Ft%2Bof%3Dours&y=1", "?x=***&y=1"),
        ("https://me:pass@host/path", "https://***@host/path"),
        ("https://token@host/path", "https://***@host/path"),
        ("proxy http://u:p@proxy:3128 failed", "proxy http://***@proxy:3128 failed"),
        ("Authorization: Basic abc", "Authorization: ***"),
        ('{"Authorization": "Bearer abc"}', '{"Authorization": ***'),
        ("proxy-authorization: x\nnext", "proxy-authorization: ***\nnext"),
        ("Set-Cookie: a=b; c=d\r\nnext", "Set-Cookie: ***\r\nnext"),
        ("Bearer abcdefghijklmnopqrstuv", "Bearer ***"),
        ("/x?access_token=abc&per_page=100", "/x?access_token=***&per_page=100"),
        ("/x?per_page=100&sig=abc#top", "/x?per_page=100&sig=***#top"),
        ("/x?key=abc&alt=json", "/x?key=***&alt=json"),
        ("/x?alt=json&api-key=abc#top", "/x?alt=json&api-key=***#top"),
        ("/x?subscription-key=abc", "/x?subscription-key=***"),
        ('{"api-key": "abc"}', '{"api-key": "***"}'),
        ('{"password": "a\\"b", "user": "me"}', '{"password": "***", "user": "me"}'),
        ("ghp_abcdefghijklmnopqrst1234", "***"),
        ("github_pat_11ABCDEFG0abcdefghijkl_xyz", "***"),
        ("ATATT3xFfGF0abcdefghij_klm=1A2B", "***"),
        ("x eyJhbGciOiJI.eyJzdWIiOiIx.SflKxwRJSM y", "x *** y"),
        ("id AKIA" + "IOSFODNN7EXAMPLE.", "id ***."),
        (
            "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzKEY",
            "aws_secret_access_key = ***",
        ),
        ("glpat-abcdefghij0123456789", "***"),
        ("xoxb-123456789012-123456789012-abcdefghijklmnopqrstuvwx", "***"),
        ("sk-proj-abcdefghijklmnopqrstuvwxyz012345", "***"),
        ("sk-ant-api03-abcdefgh_ijklmnop-qrstuvwxyz", "***"),
        ("key=AIzaSyA-1234567890abcdefghijklmnopqrstuv", "key=***"),
        ("npm_abcdefghijklmnopqrstuvwxyz0123456789", "***"),
        ("pypi-AgEIcHlwaS5vcmcCJDEyMzQ1Njc4LTEyMzQtMTIz", "***"),
        (f"a {pem('OPENSSH PRIVATE KEY')} b", "a *** b"),
        (f"a {pem('RSA PRIVATE KEY')} b", "a *** b"),
        (f"a {pem('PGP PRIVATE KEY BLOCK')} b", "a *** b"),
        (pem("PRIVATE KEY")[:60], "***"),
        ("password: hunter2secret", "password: ***"),
        ("DB_PASSWORD=correcthorse", "DB_PASSWORD=***"),
        ("PGPASSWORD=hunter2 psql -h db", "PGPASSWORD=*** psql -h db"),
        ("password = 'correcthorse' # mine", "password = '***' # mine"),
        ('--passphrase="one;two"', '--passphrase="***"'),
        ("API_TOKEN=abcdefgh12345678", "API_TOKEN=***"),
        ("secret: 0123456789abcdef0123", "secret: ***"),
        ("DB_PASS=hunter2aaaa1", "DB_PASS=***"),
        ("SMTP_PASS=correcthorse x", "SMTP_PASS=*** x"),
        ("SMTP_PASS=horse PASS=hunter2", "SMTP_PASS=*** PASS=***"),
        ("`--password Hunter2Zz`", "`--password ***`"),
        ("smtp_pass = 'correcthorse'", "smtp_pass = '***'"),
        ('{"pass": "hunter", "db_pass": "a b c"}', '{"pass": "***", "db_pass": "***"}'),
        ('{\\"db_pass\\": \\"hunter2\\"}', '{\\"db_pass\\": \\"***\\"}'),
        ("AccountName=a;AccountKey=" + "aB3/" * 9 + "==;x", "AccountName=a;AccountKey=***;x"),
        ("AZURE_STORAGE_KEY=" + "aB3/" * 9 + "==", "AZURE_STORAGE_KEY=***"),
        (
            "post to https://hooks.slack.com/services/T0/B0/abc, then",
            "post to https://hooks.slack.com/services/***, then",
        ),
        ("postgres://app:p@ss1word@db/x", "postgres://***@db/x"),
        ("redis://:p#ss99word@h:6379/0", "redis://***@h:6379/0"),
        ("https://u:p/w0rd@h/@x", "https://***@h/@x"),
        ("https://u:p?w@rd@h/x", "https://***@h/x"),
        ("curl -sS -u bob:Secret99x https://h", "curl -sS -u bob:*** https://h"),
        ("curl -X POST \\\n  --user 'bob:Secret' h", "curl -X POST \\\n  --user 'bob:***' h"),
        ("login --password Hunter2Zz --yes", "login --password *** --yes"),
        ("login --db-password 'correct horse' x", "login --db-password '***' x"),
        ("mysql -u root -pHunter -P 3306 db", "mysql -u root -p*** -P 3306 db"),
        ("mysqldump -pHunter2 db", "mysqldump -p*** db"),
        ("sshpass -p hunter ssh h", "sshpass -p *** ssh h"),
        ("redis-cli -h x -a hunter get y", "redis-cli -h x -a *** get y"),
        ("machine h login bob password hunter", "machine h login bob password ***"),
        ("machine h\n  login bob\n  password hunter\n", "machine h\n  login bob\n  password ***\n"),
        ("login bob\n  password hunter2\nx", "login bob\n  password ***\nx"),
        ("SG." + "aB3_" * 6 + "." + "cD4-" * 11, "***"),
        ("x-eyJhbGciOiJI.eyJzdWIiOiIx.SflKxwRJSM", "x-***"),
        ("(eyJhbGciOiJI.eyJzdWIiOiIx.SflKxwRJSM)", "(***)"),
        ("dop_v1_" + "a0b1" * 16, "***"),
        ("hvs." + "CAESI" * 5 + "1", "***"),
        ("dckr_pat_" + "aB3_" * 7, "***"),
        ("shpat_" + "a0b1" * 8, "***"),
        ("ya29." + "a0Af" * 9, "***"),
    ],
)
def test_masked(text: str, expected: str) -> None:
    assert Redactor(SECRET).text(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Basic authentication with passwords is deprecated",
        "https://github.com/octo/widgets/issues/4?per_page=100",
        '{"errors": [{"resource": "Issue", "code": "missing_field", "field": "title"}]}',
        "/rest/api/3/x?projectKey=SCRUM&keys=a",
        "https://github.com/orgs/octo/sso?authorization_request=AZSCKL7",
        "Password: it cannot be blank",
        "password = getpass.getpass()",
        "def login(password: str, token: str | None = None)",
        "token = os.environ['GITHUB_TOKEN_2']",
        "PASSWORD=${DB_PASSWORD1}",
        "$ pwd: /home/user1/project",
        "max_tokens: 100000, access_key: string",
        "sk-learn-contrib, sk-fading-circle, npm_config_registry, xapp-",
        "pass the test, and pass: 12 of 14 tests2 pass=1234567 passed=12345678",
        "bypass: e2e-login2, BYPASS=e2e-login2, first_pass=True, PASS: test_login2",
        "password reset2024 of users; the password reset",
        "use --password to set it; --password-stdin reads 12345678; --token $TOKEN1",
        "http://localhost:3000/users/@me http://[::1]:80/a@b https://host/a:b@c",
        "https://unpkg.com/@scope/pkg@1.2.3 https://example.com/?mail=me@example.com",
        "docker run -u 1000:1000 -p8080:80 x; curl https://h -u $USER:$PASSWORD",
        "mysql -u root -p -P3306 db; mkdir -pfoo",
        "AccountKey, SG.Controls.Collections.Generic, ya29, hvs.length",
        "https://hooks.slack.com/services/ is where it posts",
        "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
    ],
)
def test_left_alone(text: str) -> None:
    assert Redactor(SECRET).text(text) == text


@pytest.mark.parametrize("unseen", "\ufe0f\u034f\u200b\u200d\u3164\x00\U000e0101", ids=ascii)
def test_an_unseen_character_hides_no_secret(unseen: str) -> None:
    parts = "abcdefgh", "ijklmnop", "qrst1234"
    assert Redactor().text(f"a g{unseen}hp_{unseen.join(parts)} ❤\ufe0f") == "a *** ❤\ufe0f"
    assert Redactor().text(f"a{unseen}b\r\n") == f"a{unseen}b\r\n"


def test_names_of_secrets() -> None:
    secret = (
        *("password", "DB_PASS", "token", "GITHUB_TOKEN"),
        *("apiKey", "x-api-key", "client_secret"),
    )
    other = ("key", "tokens", "passed", "bypass", "signature", "secretary", "path", "max_tokens")
    assert [is_secret_name(one) for one in secret] == [True] * len(secret)
    assert [is_secret_name(one) for one in other] == [False] * len(other)


def test_headers_that_carry_secrets_lose_their_values() -> None:
    secret = (
        *("Authorization", "proxy-authorization", "Cookie", "Set-Cookie"),
        *("X-Api-Key", "api-key", "Private-Token", "X-TFS-Session"),
    )
    headers = {"X-Echo": f"it was {SECRET}", "Content-Type": "application/json"}

    assert Redactor(SECRET).headers({**dict.fromkeys(secret, "x"), **headers}) == {
        **dict.fromkeys(secret, "***"),
        "X-Echo": "it was ***",
        "Content-Type": "application/json",
    }


def test_representation_has_no_secret() -> None:
    assert SECRET not in repr(Redactor(SECRET))


@given(before=st.text(), after=st.text())
def test_known_secret_never_survives(before: str, after: str) -> None:
    redactor = Redactor(SECRET)

    assert SECRET not in redactor.text(before + SECRET + after)
    assert SECRET not in redactor.message(before + SECRET + after)


@given(st.text(max_size=2000))
def test_message_is_one_short_line_of_printable_words(text: str) -> None:
    message = Redactor(SECRET).message(text)

    assert len(message) <= 300
    assert "\n" not in message
    assert "\x1b" not in message


def test_half_of_a_secret_is_not_left_where_a_long_text_is_cut() -> None:
    secret = "t0ken" * 40
    redactor = Redactor(secret)
    for shift in range(0, 400, 7):
        excerpt = redactor.excerpt("x" * shift + f"{secret} " * 40, 4000)
        assert "t0ken" not in excerpt


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


@pytest.mark.sample(8)
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
        f"pip install --hash=sha256:{sha256(b'a').hexdigest()}",
        f"cache key {HEX}, key: {HEX}",
        "token refreshAccessTokenSilently, token = parseAuthorizationHeaderValue",
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
        *("sshpass ", "machine a login b ", "machine ", "token=a1", f"A_TOKEN={'a1' * 10}"),
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
    # What is called is no secret.
    texts = [f"{part * (size // len(part) + 1)}(" for part in parts]
    masked = [without_controls(redactor.text(f"{text} {TOKENS['GitHub']} ")) for text in texts]

    assert [
        part for part, text in zip(parts, masked, strict=True) if TOKENS["GitHub"] in text
    ] == []
    assert [
        part for part, text in zip(parts, texts, strict=True) if len(redactor.message(text)) > 300
    ] == []
