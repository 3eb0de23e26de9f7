"""`unlatch fleet serve` as a process, on PostgreSQL, with the rights of the enqueue role alone."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from tests.unlatch_fleet.serving import (
    GADGETS,
    SECRET,
    WIDGETS,
    Queue,
    Serving,
    about,
)

from unlatch.errors import UnlatchError
from unlatch_fleet.cli.serve import TOKEN, serve_fleet
from unlatch_fleet.database import rows
from unlatch_fleet.database.address import VARIABLE
from unlatch_fleet.database.setup import ENQUEUE

FLEET = """
[webhooks.acme]
tracker = "github"
secret = "env:ACME_SECRET"

[webhooks.rule]
tracker = "jira"
proof = "path"
secret = "file:{secret}"

[[repositories]]
url = "octo/widgets"
targets.jira = ["acme.atlassian.net/SCRUM"]

[[repositories]]
url = "octo/gadgets"
"""
IN_PATH = "another-secret-in-a-path"


@dataclass
class Command:
    process: subprocess.Popen[str]
    server: Serving

    def end(self) -> str:
        """End it as systemd does; all that it printed."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.communicate(timeout=20)[1]


@contextmanager
def command(folder: Path, address: str, *options: str, **variables: str) -> Iterator[Command]:
    file, secret = folder / "fleet.toml", folder / "secret"
    file.write_text(FLEET.format(secret=secret), encoding="utf-8")
    secret.write_text(IN_PATH, encoding="utf-8")
    secret.chmod(0o600)
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "unlatch.cli", "--debug", "fleet", "serve", str(file)),
            *("--listen", "127.0.0.1:0", *options),
        ],
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "UNLATCH_FLEET_DATABASE": address,
            "ACME_SECRET": SECRET.decode(),
            **variables,
        },
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        match = re.search(r"http://127\.0\.0\.1:(\d+)", line)
        assert match is not None, line + process.stderr.read()
        yield Command(process, Serving(("127.0.0.1", int(match[1])), Queue(), []))
    finally:
        process.kill()
        process.communicate()


@pytest.fixture
def enqueuer(database: str, connection: psycopg.Connection[tuple[object, ...]]) -> Iterator[str]:
    """The address for a login that may only enqueue."""
    listed = [rows.Listed(name, "default", 3600) for name in (WIDGETS, GADGETS)]
    rows.list_repositories(connection, listed)
    name = f"server_{os.getpid()}"
    connection.execute(f"CREATE ROLE {name} LOGIN IN ROLE {ENQUEUE}")
    yield make_conninfo(database, user=name)
    connection.execute(f"DROP ROLE {name}")


def test_messages_become_units_and_nothing_tells_a_secret(tmp_path: Path, enqueuer: str) -> None:
    body = json.dumps(
        {
            "webhookEvent": "jira:issue_deleted",
            "issue": {"key": "SCRUM-1", "self": "https://acme.atlassian.net/rest/api/2/issue/1"},
        }
    ).encode()
    with command(tmp_path, enqueuer) as running:
        server = running.server
        assert "queued\n" == server.deliver(about(), X_GitHub_Delivery="1").text
        assert "known already\n" == server.deliver(about(), X_GitHub_Delivery="1").text
        assert 401 == server.ask(f"/webhooks/rule/{IN_PATH}2", body).status
        assert "queued\n" == server.ask(f"/webhooks/rule/{IN_PATH}", body).text
        assert 400 == server.ask(f"/webhooks/rule/{IN_PATH}", b"{").status
        assert 404 == server.ask(f"/webhook/rule/{IN_PATH}").status
        assert WIDGETS in server.ask("/").text
        assert f'queue_age_seconds{{repository="{WIDGETS}"}}' in server.ask("/metrics").text
        assert "ok\n" == server.ask("/healthz").text
        printed = running.end()

    status = rows.status(enqueuer)
    assert [WIDGETS] == [row.repository for row in status.repositories if row.waiting_since]
    assert "" == printed
    assert -signal.SIGTERM == running.process.returncode


@pytest.mark.sweep
def test_connections_that_end_lose_no_message(
    tmp_path: Path, enqueuer: str, connection: psycopg.Connection[tuple[object, ...]]
) -> None:
    with command(tmp_path, enqueuer) as running:
        for number in range(8):
            answer = running.server.deliver(about(), X_GitHub_Delivery=str(number))
            assert (202, "queued\n") == (answer.status, answer.text)
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname ="
                " current_database() AND pid <> pg_backend_pid()"
            )
        assert "" == running.end()


@pytest.mark.sweep
def test_it_starts_while_the_database_is_away(tmp_path: Path) -> None:
    away = f"host=127.0.0.1 port=1 dbname=fleet password={IN_PATH}"
    with command(tmp_path, away) as running:
        assert 503 == running.server.ask("/healthz").status
        assert 503 == running.server.deliver(about()).status
        assert 401 == running.server.ask("/webhooks/acme", b"{}").status
        printed = running.end()

    assert "The database is away: fleet-database-away" in printed
    assert 1 == len(printed.splitlines())
    assert IN_PATH not in printed


@pytest.mark.parametrize(
    ("file", "variables", "options", "expected"),
    [
        (FLEET, {"ACME_SECRET": ""}, [], "secret-missing"),
        (FLEET, {"ACME_SECRET": "short"}, [], "secret-short"),
        (FLEET, {TOKEN: IN_PATH}, ["--listen", "0.0.0.0:0"], "listen-without-tls"),
        (FLEET, {}, ["--listen", "unix:fleet.sock"], "secret-missing"),
        (FLEET, {TOKEN: "short"}, [], "secret-short"),
        (FLEET, {VARIABLE: ""}, [], "fleet-database-missing"),
        (FLEET.replace('"github"', '"ado"'), {}, [], "fleet-invalid"),
        (FLEET.replace('"jira"', '"trello"'), {}, [], "fleet-invalid"),
        (FLEET.replace("env:ACME_SECRET", "an-open-secret-of-acme"), {}, [], "fleet-invalid"),
        (FLEET, {}, ["--tls-cert", __file__], "listen-address"),
        (FLEET, {}, ["--tls-cert", __file__, "--tls-key", __file__], "certificate-unusable"),
    ],
)
def test_what_cannot_work_is_told_at_the_start(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    file: str,
    variables: dict[str, str],
    options: list[str],
    expected: str,
) -> None:
    secret = tmp_path / "secret"
    secret.write_text(IN_PATH, encoding="utf-8")
    secret.chmod(0o600)
    (tmp_path / "fleet.toml").write_text(file.format(secret=secret), encoding="utf-8")
    usual = {VARIABLE: "postgresql:///fleet", "ACME_SECRET": SECRET.decode()}
    for name, value in {**usual, **variables}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)

    with pytest.raises(UnlatchError, match=f"^{expected}: ") as caught:
        serve_fleet.main(["fleet.toml", *options], standalone_mode=False)

    assert "open-secret" not in f"{caught.value} {caught.value.problems}"
    assert not (tmp_path / "fleet.sock").exists()
