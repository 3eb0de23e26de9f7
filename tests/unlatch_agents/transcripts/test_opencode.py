import json
import sqlite3
import weakref
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.unlatch_agents.transcripts.lines import Json, outline, read_one

from unlatch.errors import StoreError
from unlatch_agents.transcripts import Result, ToolCall, Usage, findings, read_transcripts

TOKENS = ("input", "output", "reasoning", "cache_read", "cache_write")
NEW = "".join(f", tokens_{it} INTEGER" for it in TOKENS)


class Database:
    """A database of OpenCode with the columns that are read."""

    def __init__(self, path: Path, *, columns: str = NEW, wal: bool = False) -> None:
        self.path = path
        self.connection = sqlite3.connect(path)
        # Python 3.13 complains of a connection that is forgotten open.
        weakref.finalize(self, self.connection.close)
        if wal:
            self.connection.execute("PRAGMA journal_mode=WAL")
        session = (
            "id, parent_id, directory, title, version, revert, agent, permission, time_created"
        )
        self.create("session", f"{session}, time_updated{columns}")
        self.create("message", "id, session_id, time_created, data")
        self.create("part", "id, message_id, session_id, time_created, data")
        self.count = 0

    def create(self, table: str, columns: str) -> None:
        self.connection.execute(f"CREATE TABLE {table} ({columns})")

    def insert(self, table: str, **values: Any) -> None:
        marks = ", ".join("?" * len(values))
        names = ", ".join(values)
        self.connection.execute(
            f"INSERT INTO {table} ({names}) VALUES ({marks})", tuple(values.values())
        )
        self.connection.commit()

    def session(self, id: str = "s1", **values: Any) -> None:
        common = {"directory": "/home/dev/demo", "title": "Fixing", "version": "1.18.33"}
        self.insert("session", id=id, time_created=1, **{"time_updated": 2, **common, **values})

    def message(
        self, role: str, parts: Sequence[Json], *, session: str = "s1", **data: Any
    ) -> None:
        self.count += 1
        own, at = f"m{self.count}", 1795326373100 + self.count
        text = json.dumps({"role": role, "modelID": "big", **data})
        self.insert("message", id=own, session_id=session, time_created=at, data=text)
        for index, part in enumerate(parts):
            place = {"message_id": own, "session_id": session, "time_created": at}
            self.insert("part", id=f"{own}-p{index}", data=json.dumps(part), **place)

    def close(self) -> Path:
        self.connection.close()
        return self.path


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return Database(tmp_path / "opencode.db")


def said(text: str, **fields: Any) -> Json:
    return {"type": "text", "text": text, **fields}


def tool(**state: Any) -> Json:
    return {"type": "tool", "tool": "bash", "callID": "c1", "state": {"input": {"a": 1}, **state}}


def test_session_is_read_from_messages_and_parts(database: Database) -> None:
    tokens: Json = {f"tokens_{it}": 10 + at for at, it in enumerate(TOKENS)}
    database.session(**tokens)
    database.message("user", [said("Fix add"), said("[file]", synthetic=True)])
    done = tool(status="completed", output="1 failed", metadata={"exit": 1})
    parts = [{"type": "step-start"}, {"type": "reasoning", "text": "Look."}, said("Looking."), done]
    database.message("assistant", parts)
    found = read_one(database.close())
    assert outline(found.events) == ["> Fix add", "thought", "Looking.", "bash: 1 failed"]
    assert found.usage == Usage(10, 23, 13, 14)
    assert (found.id, found.title, found.cwd) == ("s1", "Fixing", "/home/dev/demo")
    assert (found.version, found.model) == ("1.18.33", "big")
    call = found.events[3]
    assert isinstance(call, ToolCall)
    assert call.result is not None
    assert (call.id, call.arguments, call.key) == ("c1", {"a": 1}, "m2-p3")
    assert (call.result.failed, call.result.exit_code) == (True, 1)
    assert not found.unknown


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ({"status": "error", "error": "no such file"}, (True, False)),
        ({"status": "error", "error": "The user rejected permission to use this"}, (True, True)),
        ({"status": "completed", "output": "x", "metadata": {"exit": 0}}, (False, False)),
        ({"status": "error", "error": "Tool execution aborted"}, (False, False)),
        ({"status": "error", "error": "Task cancelled"}, (False, False)),
        ({"status": "error", "error": "x", "metadata": {"interrupted": True}}, (False, False)),
    ],
)
def test_state_says_whether_a_call_failed(
    database: Database, state: Json, expected: tuple[bool, bool]
) -> None:
    database.session()
    database.message("assistant", [tool(**state)])
    (call,) = read_one(database.close()).events
    assert isinstance(call, ToolCall)
    assert call.result is not None
    assert (call.result.failed, call.result.rejected) == expected


@pytest.mark.parametrize(("cut", "code"), [(True, 3), (True, 0), (False, 0)])
def test_long_output_is_that_of_the_command_and_not_the_path_of_a_file(
    database: Database, cut: bool, code: int
) -> None:
    """As 1.18.33 records it: what came last, below the path of a file with all of it."""
    place = "/home/dev/.local/share/opencode/tool-output/tool_0001"
    output = f"...output truncated...\n\nFull output saved to: {place}\n\nthe end\n"
    shown = "...\n\n9999\n20000\nthe end\n"
    database.session()
    details: Json = {"exit": code, "output": shown if cut else output, "truncated": cut}
    details |= {"outputPath": place} if cut else {}
    database.message("assistant", [tool(status="completed", output=output, metadata=details)])
    (call,) = read_one(database.close()).events
    assert isinstance(call, ToolCall)
    # A command can print such words itself.
    assert call.result == Result(details["output"], failed=code != 0, exit_code=code)


UNAVAILABLE = "Model tried to call unavailable tool 'bash'. Available tools: edit, invalid, read."


def test_call_that_a_rule_denied_is_no_success_and_no_refusal(database: Database) -> None:
    """As 1.18.33 records them: a denied tool, and one that `opencode run` would ask about."""
    output = f"The arguments provided to the tool are invalid: {UNAVAILABLE}"
    given = {"tool": "bash", "error": UNAVAILABLE}
    rules = [{"permission": "question", "pattern": "*", "action": "deny"}]
    refusal = "The user rejected permission to use this specific tool call."
    database.session(permission=json.dumps(rules))
    invalid = tool(status="completed", input=given, output=output) | {"tool": "invalid"}
    database.message("assistant", [invalid, tool(status="error", error=refusal)])
    found = read_one(database.close())
    results = [event.result for event in found.events if isinstance(event, ToolCall)]
    assert results == [Result(one, failed=True, denied=True) for one in (output, refusal)]
    assert outline(found.events) == [f"bash: {output}", f"bash: {refusal}"]
    assert [] == findings(found.events)


def test_running_call_has_no_result(database: Database) -> None:
    database.session()
    database.message("assistant", [tool(status="running")])
    assert outline(read_one(database.close()).events) == ["bash"]


def test_reverted_messages_are_a_branch(database: Database) -> None:
    database.session(revert=json.dumps({"messageID": "m2"}))
    database.message("user", [said("one")])
    database.message("user", [said("two")])
    database.message("assistant", [said("wrong")])
    assert outline(read_one(database.close()).events) == ["> one", "-2"]


def test_compaction_and_interruption(database: Database) -> None:
    database.session()
    database.message("user", [{"type": "compaction", "auto": True}])
    database.message("assistant", [said("All is well.")], summary=True)
    database.message("assistant", [said("Worki")], error={"name": "MessageAbortedError"})
    found = read_one(database.close())
    assert outline(found.events) == ["compaction", "Worki", "interruption"]


def test_unknown_parts_are_counted(database: Database) -> None:
    database.session()
    database.message("narrator", [said("x")])
    database.message("assistant", [{"type": "hologram"}])
    database.insert("message", id="m9", session_id="s1", time_created=9, data="{broken")
    unknown = read_one(database.close()).unknown
    assert unknown == {
        "message: narrator": 1,
        "part: hologram": 1,
        "data that is not JSON": 1,
        "message: NoneType": 1,
    }


def test_database_of_another_program_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t (x)")
    with pytest.raises(StoreError) as caught:
        read_transcripts(path)
    assert caught.value.id == "transcript-unreadable"


_SESSION = (
    "id, parent_id, directory, title, version, revert, permission, time_created, time_updated"
)
_VIEW = "CREATE VIEW session AS SELECT {}, NULL AS parent_id, 1 AS time_created, 1 AS time_updated"
_ALL = "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {})"
# Harmless sizes: some megabytes where a file of the same size could have gigabytes.
_TITLES = "n AS id, hex(zeroblob(20000)) AS title"
_LONG = f"{_VIEW.format(_TITLES)} FROM ({_ALL.format(50)} SELECT * FROM numbers)"
_SLOW = f"{_VIEW.format('n AS id')} FROM ({_ALL.format(4000000)} SELECT * FROM numbers) WHERE n < 0"
_LARGE = _VIEW.format("'s1' AS id, zeroblob(3000000) AS title")
_COMPUTED = f"CREATE TABLE session ({_SESSION}, more AS (hex(zeroblob(2000000))))"
_PLAIN = f"CREATE TABLE session ({_SESSION})"


@pytest.mark.parametrize(
    ("made", "why"),
    [
        (_LONG, "its tables are larger than the file"),
        (_SLOW, "interrupted"),
        (_LARGE, "too big"),
        (_COMPUTED, "too big"),
        (_PLAIN, "its tables are larger than the file"),
    ],
    ids=["long view", "slow view", "large value", "computed column", "default of old rows"],
)
def test_a_small_database_is_not_read_as_a_large_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: str, why: str
) -> None:
    monkeypatch.setattr("unlatch_agents.transcripts.agents.sqlite_file._LEAST_STEPS", 2_000_000)
    path = tmp_path / "opencode.db"
    with closing(sqlite3.connect(path)) as connection:
        for table in ("message", "part"):
            columns = "id, message_id, session_id, time_created, data"
            connection.execute(f"CREATE TABLE {table} ({columns})")
        connection.execute(made)
        if made == _PLAIN:
            connection.executemany("INSERT INTO session (id) VALUES (?)", [("s",)] * 500)
            connection.execute(f"ALTER TABLE session ADD COLUMN more DEFAULT '{'x' * 5000}'")
        elif made == _COMPUTED:
            connection.execute("INSERT INTO session (id) VALUES ('s1')")
        connection.commit()
    with pytest.raises(StoreError, match=why) as caught:
        read_transcripts(path)
    assert caught.value.id == "transcript-unreadable"


def test_a_session_is_read_once_however_often_it_is_its_own_parent(database: Database) -> None:
    database.session()
    for _ in range(5):
        database.session(parent_id="s1")
    database.session("s2", parent_id="s1")
    database.message("user", [{"type": "text", "text": "Fix add"}])
    found = read_one(database.close())
    assert outline(found.events) == ["> Fix add"]
    assert [one.id for one in found.subagents] == ["s2"]


@pytest.mark.parametrize("state", ["closed", "open", "crashed"])
def test_nothing_is_written_beside_the_database(tmp_path: Path, state: str) -> None:
    folder = tmp_path / "opencode"
    folder.mkdir()
    database = Database(folder / "opencode.db", wal=True)
    database.session()
    database.message("user", [said("last words")])
    if state == "closed":
        database.close()
    if state == "crashed":
        place = tmp_path / "copy"
        place.mkdir()
        for name in ("opencode.db", "opencode.db-wal"):
            (place / name).write_bytes((folder / name).read_bytes())
        folder = place
    before = {it.name: it.read_bytes() for it in folder.iterdir() if it.suffix != ".db-shm"}
    names = {it.name for it in folder.iterdir()}
    assert outline(read_one(folder / "opencode.db").events) == ["> last words"]
    assert {it.name for it in folder.iterdir()} == names
    assert {it.name: it.read_bytes() for it in folder.iterdir() if it.suffix != ".db-shm"} == before
    database.close()
