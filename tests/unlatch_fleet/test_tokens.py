"""The tokens of groups, from their places on this machine and from a GitHub App's key."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from unlatch.errors import UnlatchError
from unlatch.errors.known_secrets import without_known_secrets
from unlatch.project.registry import Registry
from unlatch_fleet.fleet_file import App, Group
from unlatch_fleet.tokens import Tokens

SECRET = "secret-of-the-group"


class _GitHub(ThreadingHTTPServer):
    """Makes installation tokens that live for `minutes`."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.minutes = 60
        self.paths: list[str] = []
        self.status = 201

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/api/v3"


class _Handler(BaseHTTPRequestHandler):
    server: _GitHub

    def do_POST(self) -> None:
        server = self.server
        server.paths.append(self.path)
        ends = datetime.now(UTC) + timedelta(minutes=server.minutes)
        token = f"installation-token-{len(server.paths)}"
        made = {"token": token, "expires_at": f"{ends:%Y-%m-%dT%H:%M:%SZ}", "permissions": {}}
        content = json.dumps(made if server.status == 201 else {"message": "Not Found"}).encode()
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(server.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def _serving() -> Iterator[_GitHub]:
    with _GitHub() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def pem() -> bytes:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    form = serialization.PrivateFormat.PKCS8
    return key.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption())


@pytest.fixture
def key(pem: bytes, tmp_path: Path) -> Path:
    path = tmp_path / "app.pem"
    path.write_bytes(pem)
    path.chmod(0o600)
    return path


def _tokens(*groups: tuple[str, Group], **environ: str) -> Tokens:
    return Tokens(dict(groups), environ, Registry())


def test_a_unit_gets_the_variables_of_its_group_alone(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(f"{SECRET}\n")
    file.chmod(0o600)
    places = {"GITHUB_TOKEN": f"file:{file}", "JIRA_PAT": "env:ACME_JIRA"}
    group = Group(variables=places, trusted_hosts=("jira=jira.example.com",))
    tokens = _tokens(("acme", group), ACME_JIRA="jira-secret", GITHUB_TOKEN="of-the-operator")

    variables = tokens.variables("acme")

    assert {
        "GITHUB_TOKEN": SECRET,
        "JIRA_PAT": "jira-secret",
        "UNLATCH_TRUSTED_HOSTS": "jira=jira.example.com",
        "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
        "GH_CONFIG_DIR": os.devnull,
        "AZURE_CONFIG_DIR": os.devnull,
    } == variables
    assert {"GITHUB_TOKEN": "of-the-operator"} == tokens.variables("default")
    assert SECRET not in without_known_secrets(f"a message with {SECRET}")


@pytest.mark.parametrize(
    ("place", "mode", "id"),
    [
        ("env:MISSING", 0o600, "secret-missing"),
        ("file:{}/gone", 0o600, "key-unusable"),
        ("file:{}/token", 0o644, "key-unusable"),
        ("file:{}/token", 0o600, "secret-missing"),
    ],
)
def test_a_place_without_a_secret_is_named(tmp_path: Path, place: str, mode: int, id: str) -> None:
    (tmp_path / "token").touch()
    (tmp_path / "token").chmod(mode)
    group = Group(variables={"GITHUB_TOKEN": place.format(tmp_path)})
    with pytest.raises(UnlatchError) as caught:
        _tokens(("acme", group)).variables("acme")
    assert (id, True) == (caught.value.id, bool(caught.value.where))
    assert "GITHUB_TOKEN" in caught.value.message
    assert ("chmod" in f"{caught.value.hint}") == (mode == 0o644)


def test_an_installation_token_is_made_once_and_anew_before_it_ends(key: Path) -> None:
    with _serving() as server:
        app = App(id=12, installation=34, key=str(key), api_url=server.url)
        tokens = _tokens(("acme", Group(app=app)))
        first, again = tokens.variables("acme"), tokens.variables("acme")
        assert (first, ["/api/v3/app/installations/34/access_tokens"]) == (again, server.paths)

        # One that would end during a unit, or while it waits for its clone, is not used.
        ending = _tokens(("acme", Group(app=app)))
        server.minutes = 40
        ending.variables("acme")
        server.minutes = 60
        last = ending.variables("acme")

    assert "installation-token-3" == last["GITHUB_TOKEN"] == ending.git_token("acme", last)
    names = {
        tokens.account("acme", "github", "github.com", variables) for variables in (first, last)
    }
    assert 1 == len(names)


def test_a_refused_app_is_an_error_without_its_key(key: Path) -> None:
    with _serving() as server:
        server.status = 404
        app = App(id=12, installation=34, key=str(key), api_url=server.url)
        with pytest.raises(UnlatchError) as caught:
            _tokens(("acme", Group(app=app))).variables("acme")
    assert ("app-token-refused", "HTTP status 404" in caught.value.message) == (
        caught.value.id,
        True,
    )


def test_a_key_is_never_sent_over_plain_http(key: Path) -> None:
    app = App(id=12, installation=34, key=str(key), api_url="http://github.example.com/api/v3")
    with pytest.raises(UnlatchError, match="insecure-url"):
        _tokens(("acme", Group(app=app))).variables("acme")
