import os
from pathlib import Path

import pytest
from tests.unlatch_agents.transcripts.examples import EXAMPLES
from tests.unlatch_agents.transcripts.lines import write

from unlatch.errors import StoreError
from unlatch_agents.transcripts import read_transcripts


@pytest.mark.parametrize("agent", EXAMPLES)
def test_content_says_whose_transcript_it_is(tmp_path: Path, agent: str) -> None:
    for name in ("transcript", "session.json", "rollout.jsonl", "opencode.db"):
        path = tmp_path / name
        path.write_bytes(EXAMPLES[agent]())
        assert {it.agent for it in read_transcripts(path)} == {agent}


# The first lines of Qwen Code 0.24.4.
QWEN = b"""\
{"uuid": "a9", "parentUuid": null, "sessionId": "cb", "timestamp": "2026-11-28T17:15:46.063Z",\
 "type": "user", "cwd": "/home/dev/demo", "version": "0.24.4", "gitBranch": "main",\
 "message": {"role": "user", "parts": [{"text": "say hi"}]}}
{"uuid": "ff", "parentUuid": "a9", "sessionId": "cb", "timestamp": "2026-11-28T17:15:46.082Z",\
 "type": "system", "cwd": "/home/dev/demo", "version": "0.24.4", "subtype": "ui_telemetry"}
"""


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n\n",
        b"hello",
        b"{}",
        b"[]",
        b'{"a": 1}\n{"type": "user"}\n',
        b'{"session_id": "s", "hook_event_name": "Stop", "cwd": "/home/dev"}\n',
        b"\x00\xff\xfe",
        b"{\n" * 10_000,
        QWEN,
    ],
)
def test_other_files_are_not_recognised(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file.jsonl"
    path.write_bytes(content)
    with pytest.raises(StoreError) as caught:
        read_transcripts(path)
    assert caught.value.id == "transcript-not-recognised"
    assert caught.value.where == str(path)


@pytest.mark.parametrize(
    "name",
    ["auth.json", "mcp-auth.json", ".credentials.json", "oauth_creds.json", "google_accounts.json"],
)
def test_credentials_are_never_opened(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(EXAMPLES["claude-code"]())
    link = tmp_path / "session.jsonl"
    link.symlink_to(path)
    for it in (path, link):
        with pytest.raises(StoreError, match="credentials"):
            read_transcripts(it)


def test_link_that_a_person_names_is_read(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(EXAMPLES["codex"]())
    link = tmp_path / "link"
    link.symlink_to(path)
    assert [it.id for it in read_transcripts(link)] == ["t1"]


@pytest.mark.parametrize("what", ["missing", "folder", "pipe", "forbidden", "loop"])
def test_unreadable_file_is_an_error(tmp_path: Path, what: str) -> None:
    path = tmp_path / what
    if what == "folder":
        path.mkdir()
    elif what == "pipe":
        os.mkfifo(path)
    elif what == "loop":
        path.symlink_to(path)
    elif what == "forbidden":
        path.touch(mode=0o000)
        if os.access(path, os.R_OK):
            pytest.skip("this user reads everything")
    with pytest.raises(StoreError) as caught:
        read_transcripts(path)
    assert caught.value.id == "transcript-unreadable"
    assert caught.value.where == str(path)


def test_reading_writes_nothing(tmp_path: Path) -> None:
    for agent, make in EXAMPLES.items():
        (tmp_path / agent).write_bytes(make())
    write(tmp_path / "s1" / "subagents" / "agent-a1.jsonl", [])
    before = {it: it.stat().st_mtime_ns for it in tmp_path.rglob("*")}
    for agent in EXAMPLES:
        read_transcripts(tmp_path / agent)
    assert {it: it.stat().st_mtime_ns for it in tmp_path.rglob("*")} == before
