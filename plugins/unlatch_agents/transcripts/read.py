"""Read the transcripts in a file; the agent follows from its content, not its name."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from glob import escape
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO

from unlatch.errors import StoreError
from unlatch_agents.transcripts.agents import (
    aider,
    claude_code,
    claude_files,
    codex,
    codex_files,
    codex_lines,
    gemini_cli,
    opencode,
    opencode_files,
)
from unlatch_agents.transcripts.agents.sqlite_file import HEADER, database
from unlatch_agents.transcripts.conversation import UNREADABLE_AGENT, Json, Transcript
from unlatch_agents.transcripts.files import matching, opened
from unlatch_agents.transcripts.forks import marked, titled, with_origin
from unlatch_agents.transcripts.jsonl import END, ends, raw_lines, read_lines, whole
from unlatch_agents.transcripts.values import mapping

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from unlatch_agents.transcripts.jsonl import Lines


# Bytes and lines at the beginning of a file that are enough to recognise it.
_START = 1 << 12
_FIRST = 50
_MAX_PATH = 1 << 12
_READERS: dict[str, Callable[[Lines, Counter[str]], Transcript]] = {
    claude_code.AGENT: claude_code.read,
    codex.AGENT: codex.read,
    gemini_cli.AGENT: gemini_cli.read,
}


def read_transcripts(path: Path, *, id: str = "") -> list[Transcript]:
    """The transcripts in a file with their subagents: several in those of OpenCode and aider.

    Args:
        id: only the transcript with this id, where a file may have several.

    Raises:
        StoreError: `transcript-unreadable` or `transcript-not-recognised`.
    """
    with opened(path, may_be_link=True) as file:
        start = file.read(_START)
        file.seek(0)
        if start.startswith(HEADER):
            with database(path) as connection:
                rows = [row for row in opencode.sessions(connection) if id in ("", row["id"])]
                beginnings = opencode.beginnings(connection)
                return [opencode.read(connection, row, beginnings) for row in rows]
        if any(line.startswith(aider.START.encode()) for line in start.splitlines()):
            lines = (line.decode("utf-8", "replace").rstrip("\r\n") for line in raw_lines(file))
            chats = aider.read(lines, cwd=str(path.absolute().parent))
            return [chat for chat in chats if id in ("", chat.id)]
        if b'"projectID"' in start and opencode_files.is_session(whole(file)):
            return _read_storage(path, id)
        file.seek(0)
        transcript = _read_json(file, path)

        def again() -> tuple[Lines, Counter[str]]:
            file.seek(0)
            unknown: Counter[str] = Counter()
            return read_lines(file, unknown), unknown

        return [_with_subagents(marked(transcript, path, again), path)]


def _read_storage(path: Path, id: str) -> list[Transcript]:
    """The session of an older OpenCode, whose messages are in files beside its own."""
    with opencode_files.database(path) as connection:
        rows = [row for row in opencode.all_sessions(connection) if row["id"] == path.stem]
        beginnings = opencode.beginnings(connection)
        return [opencode.read(connection, row, beginnings) for row in rows if id in ("", row["id"])]


def read_ends(path: Path) -> Transcript:
    """A transcript of JSON lines as far as its first and last lines show it."""
    with opened(path, most=END) as file:
        return titled(_located(with_origin(_read_json(ends(file), path), path), path))


def _read_json(file: BinaryIO, path: Path) -> Transcript:
    first = [line for _, line in islice(read_lines(file, Counter()), _FIRST)]
    file.seek(0)
    unknown: Counter[str] = Counter()
    lines: Lines = read_lines(file, unknown)
    if not first:  # older forms are one object, perhaps over many lines
        first = codex_lines.lines_of(whole(file))
        lines = enumerate(first, 1)
    agent = next(filter(None, map(_agent, first)), "")
    if not agent or any(map(_is_of_qwen, first)):
        raise StoreError(
            "transcript-not-recognised",
            "the file is not a transcript of a known agent",
            where=str(path),
            hint="pass a transcript of Claude Code, Codex, Gemini CLI, OpenCode or aider",
        )
    return _READERS[agent](lines, unknown)


def _agent(line: Json) -> str:
    """The agent that writes such lines, if that is certain."""
    if isinstance(line.get("payload"), dict) or {"id", "timestamp", "instructions"} <= line.keys():
        return codex.AGENT
    if "$set" in line or {"sessionId", "startTime"} <= line.keys():
        return gemini_cli.AGENT
    if "type" in line and not {"sessionId", "uuid", "leafUuid", "messageId"}.isdisjoint(line):
        return claude_code.AGENT
    return ""


def _is_of_qwen(line: Json) -> bool:
    """Qwen Code puts messages of Gemini in lines of Claude Code (findings/qwen-claude-lines.sh)."""
    return "uuid" in line and "parts" in mapping(line.get("message"))


def _with_subagents(transcript: Transcript, path: Path) -> Transcript:
    if transcript.agent == claude_code.AGENT and not transcript.parent:
        return claude_files.with_agents(transcript, path)
    if transcript.agent == codex.AGENT:
        return codex_files.with_agents(transcript, path)
    if transcript.agent == gemini_cli.AGENT:
        return replace(_located(transcript, path), subagents=tuple(_chats(transcript, path)))
    return transcript


def _chats(parent: Transcript, path: Path) -> list[Transcript]:
    """The chats of the agents that a chat of Gemini CLI started, in a folder with its id."""
    chats = []
    for file, _ in matching(path.parent, [escape(parent.id), "*.json*"]):
        try:
            with opened(file) as content:
                chats.append(replace(_read_json(content, file), parent=parent.id))
        except StoreError:
            parent.unknown[UNREADABLE_AGENT] += 1
    return chats


def _located(transcript: Transcript, path: Path) -> Transcript:
    """With the project's folder, which Gemini CLI notes in a file of its own."""
    if transcript.cwd or transcript.agent != gemini_cli.AGENT:
        return transcript
    try:
        with opened(path.absolute().parent.parent / ".project_root") as file:
            root = file.read(_MAX_PATH).decode("utf-8", "replace").strip()
    except StoreError:
        return transcript
    return replace(transcript, cwd=root)
