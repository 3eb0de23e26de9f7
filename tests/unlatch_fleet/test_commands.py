"""The commands on a fleet's database, as a person types them."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING, Any

import pytest
from tests.fleet.nodes import nodes_of

from unlatch_fleet.database import rows
from unlatch_fleet.node_file import lease_of, read_node

if TYPE_CHECKING:
    from pathlib import Path

    import psycopg
    from tests.cli.project import Done
    from tests.unlatch_fleet.repositories import Fleet

API, WEB = "github.com/acme/api", "github.com/acme/web"
LIST = '[[repositories]]\nurl = "acme/api"\n[[repositories]]\nurl = "acme/web"\nevery = "{}"\n'


class Typed:
    """Commands with the database in the environment."""

    def __init__(self, fleet: Fleet, database: str) -> None:
        self._fleet, self._database = fleet, database
        self.file = fleet.file

    def __call__(self, *words: str) -> Done:
        return self._fleet.unlatch("fleet", *words, UNLATCH_FLEET_DATABASE=self._database)


@pytest.fixture
def typed(fleet: Fleet, database: str) -> Typed:
    return Typed(fleet, database)


def test_add_lists_changes_and_prunes_repositories(typed: Typed) -> None:
    typed.file.write_text(LIST.format("1h"))
    assert "2 added, 0 changed, 0 removed" in typed("add", str(typed.file)).ends(0).out
    typed.file.write_text(LIST.format("2h"))
    assert "0 added, 1 changed, 0 removed" in typed("add", str(typed.file)).ends(0).out
    typed.file.write_text('[[repositories]]\nurl = "https://github.com/Acme/API.git"\n')
    assert "1 other stays listed" in typed("add", str(typed.file)).ends(0).err
    assert "1 removed" in typed("add", str(typed.file), "--prune").ends(0).out


def test_status_shows_what_waits_and_for_whom(
    typed: Typed, connection: psycopg.Connection[Any]
) -> None:
    typed.file.write_text(LIST.format("1h"))
    typed("add", str(typed.file))
    epoch = _enter(connection)
    unit = connection.execute("SELECT id FROM fleet_begin(%s, %s, 1)", (API, epoch)).fetchone()
    assert unit is not None
    query = "SELECT fleet_end(%s, %s, 'person', 'credential-missing', NULL, false)"
    connection.execute(query, (unit.id, epoch))
    connection.execute("INSERT INTO fleet_budget VALUES ('abc comment', false, now(), 500)")

    shown = typed("status").ends(0).out
    assert "2 repositories: 1 new, 1 person" in shown
    assert "node one: alive, 0 of 2 units" in shown
    assert "account abc, comment: 1 of 500 in the last hour, 0 reserved" in shown
    assert [API, "person", "credential-missing"] == _row(shown, API)
    assert WEB not in shown
    assert WEB in typed("status", "--all").ends(0).out

    assert f"{API}: enqueued" in typed("retry").ends(0).out


def _row(shown: str, repository: str) -> list[str]:
    return next(line for line in shown.splitlines() if line.startswith(repository)).split()


def _enter(connection: psycopg.Connection[Any]) -> int:
    row = connection.execute("SELECT fleet_enter('one', '1', 2, '1 min') AS epoch").fetchone()
    assert row is not None
    return int(row.epoch)


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("retry", "acme/other"), "fleet-repository-unknown"),
        (("drain", "node-9"), "fleet-node-unknown"),
        (("pause",), "repository-missing"),
        (("pause", "acme/api", "--all"), "repository-not-needed"),
        (("init", "postgresql://me:secret@localhost/fleet"), "fleet-password-typed"),
        (("node",), "node-file-incomplete"),
        (("status", "--node-file", "missing.toml"), "node-file-unreadable"),
    ],
)
def test_mistakes_change_nothing(typed: Typed, words: tuple[str, ...], error: str) -> None:
    done = typed(*words)
    assert done.code in (1, 2)
    assert error in done.err
    assert "secret" not in done.err


def test_init_writes_a_private_node_file_once(typed: Typed, tmp_path: Path) -> None:
    file = tmp_path / "config" / "node.toml"
    fleet = tmp_path / 'o\'brien \\ "x" é\N{PARTY POPPER}' / "fleet.toml"
    words = ("init", "--fleet", str(fleet), "--node-file", str(file))
    assert "copy it to the other nodes" in typed(*words).ends(0).out
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    key = read_node(file).key
    assert (len(key or ""), read_node(file).fleet) == (64, str(fleet))
    assert "stays as it is" in typed(*words).ends(0).err
    assert key == read_node(file).key
    file.chmod(0o640)
    assert "node-file-open" in typed("status", "--node-file", str(file)).err


def test_mistakes_of_a_node_file_are_told_at_once_without_its_secrets(
    typed: Typed, tmp_path: Path
) -> None:
    file = tmp_path / "node.toml"
    file.write_text('key = "short-secret"\njobs = 0\nsettle = 20\nlease = 10\ncolour = "red"\n')
    file.chmod(0o600)
    done = typed("status", "--node-file", str(file))
    assert done.code == 2
    assert all(name in done.err for name in ("node-file-invalid", "key", "jobs", "colour"))
    assert "short-secret" not in done.err
    file.write_text("settle = 20\nlease = 10\n")
    assert "three times settle" in typed("status", "--node-file", str(file)).err


@pytest.mark.parametrize(("settle", "lease"), [(0, 60), (10, 70), (40, 120)])
def test_lease_outlasts_a_request_and_what_it_still_does(settle: float, lease: float) -> None:
    assert lease == lease_of(settle)


@pytest.mark.sweep
def test_drained_node_ends_by_itself(fleet: Fleet, typed: Typed, database: str) -> None:
    fleet.add(items=1)
    fleet.write()
    with nodes_of(fleet, database, 1) as nodes:
        nodes.wait(nodes.is_idle)
        assert "present syncs: 1 node\n" in typed("drain", "node-1").ends(0).out
        process = nodes.nodes[0].process
        assert process is not None
        assert process.wait(30) == 0
        assert rows.status(database).nodes == ()
    assert fleet.is_delivered(fleet.repositories[0])
