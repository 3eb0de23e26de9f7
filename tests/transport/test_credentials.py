"""The sources of tokens, their order, and their way into headers; a refused one goes nowhere."""

import base64
import json
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends.fail import Keyring as NoKeyring
from keyring.errors import PasswordDeleteError
from tests.transport.calling import connected, covering, everything_about, failure
from tests.transport.faulty import OK, Faulty, Reply, reply

from unlatch.errors import Unauthorised, UnlatchError
from unlatch.spi import CommandToken, EnvToken, Scheme
from unlatch.transport.credentials import (
    Credential,
    delete_token,
    find_credential,
    read_keyring,
    run_program,
    store_token,
)
from unlatch.transport.trace import Trace

GITHUB = (
    EnvToken("GITHUB_TOKEN", Scheme.BEARER),
    EnvToken("GH_TOKEN", Scheme.BEARER),
    CommandToken(("gh", "auth", "token", "--hostname", "{host}"), Scheme.BEARER),
)
JIRA = (
    EnvToken("JIRA_API_TOKEN", Scheme.BASIC, user="JIRA_EMAIL"),
    EnvToken("JIRA_PAT", Scheme.BEARER),
)
ADO = (EnvToken("AZURE_DEVOPS_EXT_PAT", Scheme.BASIC),)


class Memory(KeyringBackend):
    """A keyring that forgets."""

    priority = 1

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.entries: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.entries.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.entries[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        if self.entries.pop((service, username), None) is None:
            raise PasswordDeleteError


@pytest.fixture
def memory() -> Iterator[Memory]:
    before, backend = keyring.get_keyring(), Memory()
    keyring.set_keyring(backend)
    yield backend
    keyring.set_keyring(before)


@pytest.fixture
def no_keyring() -> Iterator[None]:
    before = keyring.get_keyring()
    keyring.set_keyring(NoKeyring())  # type: ignore[no-untyped-call]
    yield
    keyring.set_keyring(before)


def find(tokens: object, env: dict[str, str], **options: object) -> Credential | None:
    settings: dict[str, object] = {
        "tracker": "github",
        "host": "github.com",
        "keyring_get": lambda _service, _key: None,
        "run": lambda _argv: None,
    }
    return find_credential(tokens, env=env, **(settings | options))  # type: ignore[arg-type]


def test_environment_comes_before_keyring_and_keyring_before_programs() -> None:
    places: dict[str, object] = {
        "keyring_get": lambda _service, _key: json.dumps({"user": None, "token": "stored"}),
        "run": lambda _argv: "printed\n",
    }
    everything = {"GITHUB_TOKEN": "first", "GH_TOKEN": "second"}

    found = [
        find(GITHUB, everything, **places),
        find(GITHUB, {"GITHUB_TOKEN": "", "GH_TOKEN": "second"}, **places),
        find(GITHUB, {}, **places),
        find(GITHUB, {}, run=places["run"]),
        find(GITHUB, {}),
    ]

    assert [credential and (credential.secret, credential.source) for credential in found] == [
        ("first", "GITHUB_TOKEN"),
        ("second", "GH_TOKEN"),
        ("stored", "keyring"),
        ("printed", "gh auth token"),
        None,
    ]


def test_a_token_may_be_a_header_of_its_own_or_the_user_name() -> None:
    key = Credential("tok", Scheme.HEADER("X-Redmine-API-Key"), "the test")
    alone = Credential("tok", Scheme.USER_NAME(), "the test")
    beside = Credential("tok", Scheme.USER_NAME("api_token"), "the test")

    assert (key.scheme.header, key.header) == ("X-Redmine-API-Key", "tok")
    assert (alone.scheme.header, alone.header) == ("Authorization", "Basic dG9rOg==")
    assert beside.header == "Basic dG9rOmFwaV90b2tlbg=="
    assert "dG9rOg==" in alone.forms
    with pytest.raises(Unauthorised, match="a colon"):
        Credential("to:k", Scheme.USER_NAME(), "the test")


@pytest.mark.parametrize("name", ["", "two words", "X-Key:", "X-Key\r\nX-Other"])
def test_a_header_needs_a_valid_name(name: str) -> None:
    with pytest.raises(ValueError, match="not the name of a header"):
        Scheme.HEADER(name)


def test_token_without_its_user_names_what_is_missing() -> None:
    with pytest.raises(Unauthorised, match="credential-incomplete:") as caught:
        find(JIRA, {"JIRA_API_TOKEN": "tok", "JIRA_PAT": "pat"})

    assert caught.value.message == "JIRA_API_TOKEN is set, and JIRA_EMAIL is not; both are needed"
    assert find(JIRA, {"JIRA_EMAIL": "a@b.c"}) is None


@pytest.mark.parametrize(
    ("tokens", "user", "scheme"),
    [
        (GITHUB, None, Scheme.BEARER),
        (JIRA, "a@b.c", Scheme.BASIC),
        (JIRA, None, Scheme.BEARER),
        (ADO, None, Scheme.BASIC),
        ((), "me", Scheme.BASIC),
        ((), None, Scheme.BEARER),
    ],
)
def test_stored_token_is_sent_as_its_like_from_the_environment(
    memory: Memory, tokens: object, user: str | None, scheme: Scheme
) -> None:
    store_token("tok", tracker="jira", host="acme.atlassian.net", user=user)

    found = find(tokens, {}, tracker="jira", host="acme.atlassian.net", keyring_get=read_keyring)

    assert Credential("tok", scheme, "keyring", user) == found
    assert list(memory.entries) == [("unlatch", "jira@acme.atlassian.net")]


@pytest.mark.usefixtures("memory")
def test_stored_token_is_for_its_host_alone() -> None:
    store_token("tok", tracker="github", host="ghes.corp")

    assert find(GITHUB, {}, host="github.com", keyring_get=read_keyring) is None
    assert find(GITHUB, {}, host="ghes.corp", tracker="jira", keyring_get=read_keyring) is None


def test_deleting_says_whether_there_was_one(memory: Memory) -> None:
    store_token("tok", tracker="github", host="github.com")

    assert delete_token(tracker="github", host="github.com") is True
    assert delete_token(tracker="github", host="github.com") is False
    assert memory.entries == {}


@pytest.mark.parametrize("entry", ["", "{", "[]", '{"user": 1}', '{"token": 5}', "null"])
def test_entry_that_is_not_ours_is_none(entry: str) -> None:
    assert find(GITHUB, {}, keyring_get=lambda _service, _key: entry) is None


@pytest.mark.usefixtures("no_keyring")
def test_machine_without_a_keyring() -> None:
    assert read_keyring("unlatch", "github@github.com") is None
    for action in (
        lambda: store_token("s3cret", tracker="github", host="github.com"),
        lambda: delete_token(tracker="github", host="github.com"),
    ):
        with pytest.raises(UnlatchError) as caught:
            action()
        assert caught.value.id == "keyring-unavailable"
        assert "s3cret" not in repr(vars(caught.value))


@pytest.mark.parametrize(
    "secret",
    ["to\nken", "token\n", "to ken", "", "to\x00ken", "t\u00f6ken\u20ac", "\ttoken", "\x7f"],
)
def test_secret_that_no_header_can_hold_is_refused_unseen(secret: str) -> None:
    with pytest.raises(Unauthorised, match="credential-malformed:") as caught:
        Credential(secret, Scheme.BEARER, "GITHUB_TOKEN")

    assert "GITHUB_TOKEN" in caught.value.message
    assert not secret.strip() or secret not in repr(vars(caught.value))


@pytest.mark.parametrize("user", ["a:b", "a\nb", "a\x00"])
def test_user_that_no_header_can_hold_is_refused(user: str) -> None:
    with pytest.raises(Unauthorised, match="credential-malformed"):
        Credential("tok", Scheme.BASIC, "JIRA_API_TOKEN", user)


def test_no_representation_shows_the_secret() -> None:
    credential = Credential("s3cret", Scheme.BASIC, "keyring", "me")

    assert "s3cret" not in f"{credential!r} {credential}"
    assert find(GITHUB, {}, run=lambda _argv: "\n") is None


def test_program_gets_arguments_and_no_shell() -> None:
    argv = (sys.executable, "-c", "import sys; print(sys.argv[1:])", "$HOME; echo", "{host}")
    tokens = (CommandToken(argv, Scheme.BEARER),)
    seen: list[str | None] = []

    def run(arguments: tuple[str, ...]) -> str | None:
        seen.append(run_program(arguments))
        return None

    find(tokens, {}, host="ghes.corp", run=run)

    assert seen == ["['$HOME; echo', 'ghes.corp']\n"]


@pytest.mark.parametrize(
    "argv",
    [
        ("unlatch-no-such-program",),
        (sys.executable, "-c", "print('half'); raise SystemExit(1)"),
        (sys.executable, "-c", "import sys; print(sys.stdin.read() or 1/0)"),
        (sys.executable, "-c", "import sys; sys.stdout.buffer.write(b'\\xff')"),
    ],
)
def test_program_that_fails_or_asks_is_skipped(
    argv: tuple[str, ...], capfd: pytest.CaptureFixture[str]
) -> None:
    assert run_program(argv) is None
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("host", "token"),
    [
        ("ghe.example", "theirs"),
        ("ghe.example:8443", "theirs"),
        ("notgithub.com", "theirs"),
        ("github.com", "ours"),
        ("github.com:8443", "ours"),
        ("acme.ghe.com", "ours"),
    ],
)
def test_a_token_for_one_kind_of_host_is_not_taken_for_another(host: str, token: str) -> None:
    enterprise = EnvToken("GH_ENTERPRISE_TOKEN", Scheme.BEARER, not_for=("github.com", "*.ghe.com"))
    env = {"GH_ENTERPRISE_TOKEN": "theirs", "GITHUB_TOKEN": "ours"}

    found = find((enterprise, *GITHUB), env, host=host)

    assert found is not None
    assert token == found.secret


REFUSED = reply(401, {"message": "Bad credentials"})


@pytest.mark.parametrize(("replies", "sent"), [((), 1), ((OK,), 1 + 3), ((OK, REFUSED, OK), 3 + 3)])
def test_refusals_in_a_row_end_the_requests(replies: tuple[Reply, ...], sent: int) -> None:
    with connected(*replies, otherwise=REFUSED) as (server, session):
        for _ in range(20):
            with suppress(Unauthorised):
                session.get(f"{server.url}/item")
        with pytest.raises(Unauthorised, match="does not accept the token") as last:
            session.get(f"{server.url}/item")

        assert sent == len(server.requests)
        assert ("unauthorized", 401) == (last.value.id, last.value.status)
        assert "the token came from the test" in (last.value.hint or "")


TOKEN = "0123456789abcdef0123456789abcdef"
HEADER = "X-Corp-Auth"  # its name does not tell that it holds a secret
PAIR = base64.b64encode(f"{TOKEN}:x".encode()).decode()
SCHEMES = {"header": Scheme.HEADER(HEADER), "user name": Scheme.USER_NAME("x")}
SENT = {"header": (HEADER.lower(), TOKEN), "user name": ("authorization", f"Basic {PAIR}")}


@pytest.mark.parametrize("name", SCHEMES)
def test_the_token_is_sent_once_and_replaces_that_of_an_sdk(name: str) -> None:
    with connected(OK, token=TOKEN, scheme=SCHEMES[name]) as (server, session):
        theirs = dict.fromkeys((HEADER.lower(), "Authorization"), "theirs")
        session.get(f"{server.url}/item", headers=theirs)
        (request,) = server.requests

    header, value = SENT[name]
    assert request.headers.pop(header) == value
    left = {HEADER.lower(): "theirs"} if name == "user name" else {}
    assert left == {one: text for one, text in request.headers.items() if one in theirs}
    assert TOKEN not in str(request.headers)


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("status", "name"),
    covering({str(status): status for status in (401, 403, 422, 500)}, tuple(SCHEMES)),
)
def test_neither_errors_nor_traces_show_it(status: int, name: str, tmp_path: Path) -> None:
    path = tmp_path / "trace"
    header, value = SENT[name]
    echo = reply(status, {"message": f"{header}: {value}"}, headers={"X-Debug": value})
    with Faulty(otherwise=echo) as server, Trace(path) as trace:
        options = {"token": TOKEN, "scheme": SCHEMES[name], "trace": trace}
        error = failure(server, "POST", **options)

    shown = everything_about(error) + path.read_text()
    assert f"> {header}: ***".casefold() in shown.casefold()
    assert [one for one in (TOKEN, PAIR) if one in shown] == []
