import os
import sys
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest
import zstandard
from tests.unlatch_agents.transcripts.examples import EXAMPLES, aider
from tests.unlatch_agents.transcripts.lines import Session, said, write
from tests.unlatch_agents.transcripts.test_opencode import Database

from unlatch.errors import StoreError
from unlatch.worklog.installer import install_command
from unlatch_agents.transcripts import Listed, find_transcripts, read_transcripts

CLAUDE = ".claude/projects/-home-dev-demo/s1.jsonl"
CODEX = ".codex/sessions/2026/11/22/rollout-2026-11-22T05-45-45-t1.jsonl"
GEMINI = ".gemini/tmp/demo/chats/session-2026-11-22T05-46-g1.jsonl"


def put(path: Path, content: bytes, *, at: int) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    os.utime(path, (at, at))
    return path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with a transcript of each agent, and with files that are none."""
    home = tmp_path / "home"
    put(home / CLAUDE, EXAMPLES["claude-code"](), at=400)
    put(home / CODEX, EXAMPLES["codex"](), at=300)
    put(home / GEMINI, EXAMPLES["gemini-cli"](), at=200)
    put(home / ".gemini/tmp/demo/.project_root", b"/home/dev/demo", at=1)
    data = home / ".local/share/opencode"
    data.mkdir(parents=True)
    database = Database(data / "opencode.db")
    database.session("o1", time_updated=500_000)
    database.session("o2", parent_id="o1")
    database.close()
    for name in (".claude/.credentials.json", ".codex/auth.json", ".codex/history.jsonl"):
        put(home / name, b"secret", at=900)
    return home


def found(home: Path, **environ: str) -> list[Listed]:
    return list(find_transcripts(environ=environ, home=home))


def test_transcripts_of_all_agents_are_listed_newest_first(home: Path) -> None:
    put(home / "demo/.aider.chat.history.md", aider().encode(), at=100)
    listed = list(find_transcripts(environ={}, home=home, projects=[home / "demo", home]))
    assert [(it.agent, it.id, it.title, it.cwd, it.branch) for it in listed] == [
        ("opencode", "o1", "Fixing", "/home/dev/demo", ""),
        ("claude-code", "s1", "Adding", "/home/dev/demo", "main"),
        ("codex", "t1", "Fix add", "/home/dev/demo", "main"),
        ("gemini-cli", "g1", "Fix add", "/home/dev/demo", ""),
        ("aider", "", "hi", str(home / "demo"), ""),
    ]
    assert [it.modified for it in listed] == [
        datetime.fromtimestamp(at, UTC) for at in (500, 400, 300, 200, 100)
    ]
    for it in listed:
        assert all(read.agent == it.agent for read in read_transcripts(it.path, id=it.id))


def test_the_folder_of_a_session_is_that_of_its_lines(tmp_path: Path) -> None:
    """Claude Code 2.1.332 names a folder by 200 characters of a path and a digest."""
    cwd = "/home/dev" + "/a-folder-of-a-large-tree" * 9
    session = Session(cwd=cwd, entrypoint="sdk-cli")
    session.ask("Fix add")
    session.reply("m1", said("Done."))
    folder = tmp_path / ".claude/projects" / f"{cwd.replace('/', '-')[:200]}-iarlhk"
    folder.mkdir(parents=True)
    write(folder / "s1.jsonl", session.lines)
    assert [cwd] == [it.cwd for it in found(tmp_path)]


def test_agents_own_files_are_not_listed(home: Path) -> None:
    folder = (home / CLAUDE).parent
    agent = Session(isSidechain=True, agentId="a1")
    agent.reply("m1", said("I see."))
    for name in ("agent-a1.jsonl", "s1/subagents/agent-a1.jsonl", "copied.jsonl"):
        write(folder / name, agent.lines)
    (home / GEMINI).with_suffix(".json").write_bytes(EXAMPLES["gemini-cli"]())
    assert [it.id for it in found(home)] == ["o1", "s1", "t1", "g1"]


def compressed(path: Path) -> Path:
    """Compress a file as Codex does once it is idle."""
    there = path.with_name(f"{path.name}.zst")
    there.write_bytes(zstandard.ZstdCompressor().compress(path.read_bytes()))
    os.utime(there, (path.stat().st_mtime,) * 2)
    path.unlink()
    return there


def test_compressed_threads_are_found_and_read(home: Path) -> None:
    (expected,) = read_transcripts(home / CODEX)
    path = compressed(home / CODEX)
    (listed,) = (it for it in found(home) if it.agent == "codex")
    assert (listed.path, listed.id, listed.title) == (path, "t1", "Fix add")
    for named in (path, home / CODEX):  # before and after it was compressed
        assert read_transcripts(named) == [expected]
    put(home / CODEX, EXAMPLES["codex"](), at=300)
    assert [it.path for it in found(home) if it.agent == "codex"] == [home / CODEX]
    (home / CODEX).unlink()
    whole = path.read_bytes()
    path.write_bytes(whole + zstandard.ZstdCompressor().compress(b"\n"))  # a frame more
    assert read_transcripts(path) == [expected]
    for broken in (b"no Zstandard", whole[:-9], b""):
        path.write_bytes(broken)
        with pytest.raises(StoreError, match="cannot be decompressed"):
            read_transcripts(path)


def test_compressed_thread_without_a_library_names_it(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = compressed(home / CODEX)
    for name in ("compression", "zstandard"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(StoreError, match="compressed with Zstandard") as failed:
        read_transcripts(path)
    assert (failed.value.id, failed.value.hint) == (
        "transcript-compressed",
        install_command("unlatch[zstd]"),
    )


def test_chats_in_folders_named_by_a_hash_belong_to_their_project(home: Path) -> None:
    root = home / "demo"
    name = sha256(str(root).encode()).hexdigest()
    (home / ".gemini/tmp/demo").rename(home / ".gemini/tmp" / name)
    (home / ".gemini/tmp" / name / ".project_root").unlink()
    listed = find_transcripts(environ={}, home=home, projects=[home, root])
    assert [it.cwd for it in listed if it.agent == "gemini-cli"] == [str(root)]


def test_links_below_an_agents_folder_are_not_followed(home: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (home / ".claude").rename(outside)
    (home / ".claude").symlink_to(outside)
    assert "s1" in [it.id for it in found(home)], "the folder itself may be a link"
    elsewhere = tmp_path / "elsewhere"
    (outside / "projects/-home-dev-demo").rename(elsewhere)
    (outside / "projects/-home-dev-demo").symlink_to(elsewhere)
    assert "s1" not in [it.id for it in found(home)]
    (outside / "projects/-home-dev-demo").unlink()
    (outside / "projects/-home-dev-demo").mkdir()
    (outside / "projects/-home-dev-demo/s1.jsonl").symlink_to(elsewhere / "s1.jsonl")
    assert "s1" not in [it.id for it in found(home)]


def test_unreadable_files_are_listed_without_a_title(home: Path) -> None:
    put(home / CLAUDE, b"{broken", at=400)
    put(home / ".local/share/opencode/opencode.db", b"SQLite format 3\0broken", at=500)
    assert [(it.agent, it.id) for it in found(home)] == [
        ("opencode", ""),
        ("claude-code", ""),
        ("codex", "t1"),
        ("gemini-cli", "g1"),
    ]


def test_long_files_are_listed_by_their_ends(home: Path) -> None:
    session = Session(cwd="/home/dev/demo")
    session.ask("Fix add")
    for _ in range(2000):
        session.reply("m1", said("x" * 200))
    session.lines.append({"type": "custom-title", "customTitle": "Long", "sessionId": "s1"})
    write(home / CLAUDE, session.lines)
    (listed,) = (it for it in found(home) if it.agent == "claude-code")
    assert (listed.id, listed.title, listed.cwd) == ("s1", "Long", "/home/dev/demo")
