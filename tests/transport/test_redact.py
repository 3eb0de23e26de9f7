"""Secrets are masked in any text, whether they are known or only look like some."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unlatch.transport.redact import Redactor
from unlatch.worklog.secret_patterns import is_secret_name

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
        "TF401320: Rule Error for field Reason",
        "https://github.com/octo/widgets/issues/4?per_page=100",
        '{"errors": [{"resource": "Issue", "code": "missing_field", "field": "title"}]}',
        "mail me@example.com",
        '{"key": "SCRUM-28", "fields": {}}',
        "/rest/api/3/x?projectKey=SCRUM&keys=a",
        "the token from GITHUB_TOKEN",
        "https://github.com/orgs/octo/sso?authorization_request=AZSCKL7",
        "Password: it cannot be blank",
        "password = getpass.getpass()",
        "connect(user=user, password=password)",
        "def login(password: str, token: str | None = None)",
        "token = os.environ['GITHUB_TOKEN_2']",
        "PASSWORD=${DB_PASSWORD1}",
        "$ pwd: /home/user1/project",
        "max_tokens: 100000, access_key: string",
        "sk-learn-contrib, sk-fading-circle, npm_config_registry, xapp-",
        "pass the test, and pass: 12 of 14 tests2 pass=1234567 passed=12345678",
        "bypass: e2e-login2, BYPASS=e2e-login2, first_pass=True, PASS: test_login2",
        "first_pass = step_2(x), second_pass=step2_of(x)",
        "password reset2024 of users; the password reset",
        "use --password to set it; --password-stdin reads 12345678; --token $TOKEN1",
        "the --password option, --password PASSWORD",
        "http://localhost:3000/users/@me http://[::1]:80/a@b https://host/a:b@c",
        "https://unpkg.com/@scope/pkg@1.2.3 https://example.com/?mail=me@example.com",
        "docker run -u 1000:1000 -p8080:80 x; curl https://h -u $USER:$PASSWORD",
        "mysql -u root -p -P3306 db; mkdir -pfoo",
        "the login page and password form; machine learning login",
        "AccountKey, SG.Controls.Collections.Generic, ya29, hvs.length",
        "https://hooks.slack.com/services/ is where it posts",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
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


def test_without_secrets_nothing_is_masked_by_accident() -> None:
    assert Redactor("", "a").text("a banana") == "a banana"


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
