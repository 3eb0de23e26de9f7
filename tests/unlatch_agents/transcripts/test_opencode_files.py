"""OpenCode before 1.2, which had a JSON file for each session, message and part."""

import json
from pathlib import Path

import pytest
from tests.unlatch_agents.transcripts.lines import Json, outline, read_one
from tests.unlatch_agents.transcripts.test_opencode import Database, said, tool

from unlatch_agents.transcripts import find_transcripts

STORAGE = ".local/share/opencode/storage"
TOKENS = {"input": 7, "output": 2, "reasoning": 1, "cache": {"read": 4, "write": 3}}


def put(path: Path, value: Json) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2), encoding="utf-8")
    return path


def session(storage: Path, id: str, **values: object) -> Path:
    common: Json = {"version": "1.1.9", "projectID": "p1", "directory": "/home/dev/demo"}
    common |= {"title": "Fixing", "time": {"created": 1000, "updated": 2000}}
    return put(storage / "session/p1" / f"{id}.json", {"id": id, **common, **values})


def message(storage: Path, owner: str, id: str, role: str, *parts: Json) -> None:
    at = 1795326373100 + int(id[-1])
    value = {"id": id, "sessionID": owner, "role": role, "modelID": "big", "time": {"created": at}}
    put(storage / "message" / owner / f"{id}.json", value)
    for number, part in enumerate(parts):
        name = f"prt_{number}"
        own = {"id": name, "messageID": id, "sessionID": owner}
        put(storage / "part" / id / f"{name}.json", {**own, **part})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A session with an agent's own, and another one of the same project."""
    storage = tmp_path / STORAGE
    path = session(storage, "ses_1")
    message(storage, "ses_1", "msg_1", "user", said("Fix add"))
    done = tool(status="completed", output="1 failed", metadata={"exit": 1})
    step = {"type": "step-finish", "tokens": TOKENS}
    message(storage, "ses_1", "msg_2", "assistant", said("Looking."), done, step)
    session(storage, "ses_2", parentID="ses_1", title="Review")
    message(storage, "ses_2", "msg_3", "user", said("Review it"))
    message(storage, "ses_2", "msg_4", "assistant", said("Fine."))
    session(storage, "ses_3", title="Other")
    return path


def test_files_and_database_say_the_same(path: Path, tmp_path: Path) -> None:
    database = Database(tmp_path / "opencode.db")
    for name in ("1", "2"):
        parent = "ses_1" if name == "2" else None
        title = "Review" if name == "2" else "Fixing"
        database.session(f"ses_{name}", parent_id=parent, title=title, version="1.1.9")
    storage = tmp_path / STORAGE
    for kind, owners in (("message", ("ses_1", "ses_2")), ("part", ("msg_1", "msg_2", "msg_4"))):
        for file in (it for owner in owners for it in sorted((storage / kind / owner).iterdir())):
            value = json.loads(file.read_text(encoding="utf-8"))
            at = 1795326373100 + int((value.get("messageID") or value["id"])[-1])
            own = {"message_id": value["messageID"]} if kind == "part" else {}
            database.insert(
                kind,
                id=value["id"],
                session_id=value["sessionID"],
                time_created=at,
                data=json.dumps(value),
                **own,
            )
    assert read_one(database.close()) == read_one(path)


def test_sessions_are_listed_once(path: Path, tmp_path: Path) -> None:
    def listed() -> list[tuple[str, str, Path]]:
        found = find_transcripts(environ={}, home=tmp_path)
        return [(it.id, it.title, it.path) for it in found]

    other = path.with_name("ses_3.json")
    assert listed() == [("ses_1", "Fixing", path), ("ses_3", "Other", other)]
    database = Database(tmp_path / STORAGE / "../opencode.db")
    database.session("ses_1", time_updated=9000)
    assert [it[:1] for it in listed()] == [("ses_1",), ("ses_3",)]
    assert listed()[0][2].name == "opencode.db"


def test_files_of_parts_that_are_broken_are_counted(path: Path, tmp_path: Path) -> None:
    session(tmp_path / STORAGE, "ses_1", time={"created": 1 << 63, "updated": -(1 << 64)})
    part = tmp_path / STORAGE / "part/msg_2/prt_0.json"
    part.write_text("{", encoding="utf-8")
    found = read_one(path)
    assert outline(found.events) == ["> Fix add", "bash: 1 failed"]
    assert found.unknown["data that is not JSON"] == 1


@pytest.mark.parametrize("values", [{"role": [[]]}, {"time": {"created": [1]}}])
def test_a_message_with_values_of_another_kind_does_not_hide_the_others(
    path: Path, values: Json
) -> None:
    first = path.parents[2] / "message/ses_1/msg_1.json"
    put(first, {**json.loads(first.read_text(encoding="utf-8")), **values})

    assert "Looking." in str(read_one(path).events)


def test_links_are_not_followed(path: Path, tmp_path: Path) -> None:
    outside = put(tmp_path / "outside/msg_9.json", {"role": "user"})
    (tmp_path / STORAGE / "message/ses_3").symlink_to(outside.parent)
    assert read_one(path.with_name("ses_3.json")).events == ()
