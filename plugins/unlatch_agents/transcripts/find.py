"""Find transcripts: where each agent keeps them, the newest first.

Of a file only the first and last lines are read, and only once its entry is needed.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from glob import escape
from hashlib import sha256
from operator import attrgetter
from os import walk
from pathlib import Path
from typing import TYPE_CHECKING

from unlatch.errors import StoreError
from unlatch.values import dataclass
from unlatch_agents.transcripts.agents import (
    aider,
    claude_code,
    codex,
    gemini_cli,
    opencode,
    opencode_files,
)
from unlatch_agents.transcripts.agents.sqlite_file import database
from unlatch_agents.transcripts.compressed import SUFFIX
from unlatch_agents.transcripts.files import matching, opened
from unlatch_agents.transcripts.jsonl import ends, raw_lines
from unlatch_agents.transcripts.read import read_ends
from unlatch_agents.transcripts.values import moment, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from unlatch_agents.transcripts.conversation import Transcript

_AIDER_FILE = ".aider.chat.history.md"


@dataclass(frozen=True, slots=True)
class Listed:
    """A transcript that `read_transcripts(path, id=id)` reads.

    Args:
        id: empty for a file with all chats of a project (aider), or one that cannot be read.
        modified: when the agent last wrote it.
        origin: the id of the transcript that it is a fork of, as far as it says so itself.
    """

    agent: str
    path: Path
    modified: datetime
    id: str = ""
    title: str = ""
    cwd: str = ""
    branch: str = ""
    origin: str = ""


def find_transcripts(
    *, environ: Mapping[str, str], home: Path, projects: Sequence[Path] = ()
) -> Iterator[Listed]:
    """The transcripts of a user, the newest first; subagents are part of theirs.

    Args:
        environ: names the agents' folders where the user moved them.
        projects: folders of projects; aider keeps its chats there.
    """
    transcripts = [*_files(environ, home), *_sessions(environ, home), *_chats(environ, projects)]
    for listed in sorted(transcripts, key=attrgetter("modified"), reverse=True):
        if listed.id or listed.agent == aider.AGENT:
            yield listed
        else:
            yield from (_of_project(entry, projects) for entry in _described(listed))


def transcripts_in(folder: Path) -> list[Listed]:
    """The transcripts in a folder and those below it, the newest first."""
    transcripts = [
        listed for names in walk(folder) for path in _files_in(*names) for listed in _any(path)
    ]
    return sorted(transcripts, key=attrgetter("modified"), reverse=True)


def _files_in(folder: str, _: list[str], names: list[str]) -> Iterator[Path]:
    for name in sorted(names):
        path = Path(folder, name)
        is_twice = path.suffix == SUFFIX and path.with_suffix("").exists()
        if not name.startswith("agent-") and not is_twice and path.is_file():
            yield path


def _any(path: Path) -> Iterator[Listed]:
    """The transcripts in a file; none in one that is no transcript."""
    changed = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    if path.suffix == ".db":
        yield from _of_database(path, changed)
    elif path.name == _AIDER_FILE:
        yield from _chats({}, [path.parent])
    elif path.suffix in (".jsonl", ".json", SUFFIX) and not path.is_symlink():
        try:
            listed = _described(Listed("", path, changed))
            yield from (entry for entry in listed if entry.agent or path.suffix == SUFFIX)
        except StoreError:
            return


def _of_project(listed: Listed, projects: Sequence[Path]) -> Listed:
    """With the project's folder, of which older versions of Gemini CLI have only the hash."""
    if listed.agent == gemini_cli.AGENT and not listed.cwd:
        name = listed.path.parent.parent.name
        for root in (folder for project in projects for folder in (project, project.resolve())):
            if sha256(str(root).encode()).hexdigest() == name:
                return replace(listed, cwd=str(root))
    return listed


def is_transcript(path: Path, *, environ: Mapping[str, str], home: Path) -> bool:
    """Whether a path, without links, is where an agent keeps its transcripts as files."""
    for _, folder, patterns in _places(environ, home):
        root = folder.resolve()
        if path.is_relative_to(root):
            steps = path.relative_to(root).parts
            if len(steps) == len(patterns) and all(map(fnmatchcase, steps, patterns)):
                return True
    return False


def _files(environ: Mapping[str, str], home: Path) -> Iterator[Listed]:
    for agent, folder, patterns in _places(environ, home):
        yield from _listed(agent, folder, patterns)


def _places(environ: Mapping[str, str], home: Path) -> Iterator[tuple[str, Path, tuple[str, ...]]]:
    """The agents, their folders, and the patterns of the names below, one for each level."""
    for folder in _claude_folders(environ, home):
        # Not by the project's path, of which the name can lack the end
        # (findings/claude-long-folder.sh).
        yield claude_code.AGENT, folder, ("projects", "*", "*.jsonl")
    folder = _folder(environ, "CODEX_HOME", home / ".codex")
    for name in ("rollout-*.jsonl", "rollout-*.jsonl.zst"):
        yield codex.AGENT, folder, ("sessions", "*", "*", "*", name)
        yield codex.AGENT, folder, ("archived_sessions", name)
    yield codex.AGENT, folder, ("sessions", "rollout-*.json*")
    folder = _folder(environ, "GEMINI_CLI_HOME", home) / ".gemini"
    yield gemini_cli.AGENT, folder, ("tmp", "*", "chats", "session-*.json*")


def _claude_folders(environ: Mapping[str, str], home: Path) -> list[Path]:
    named = [folder.strip() for folder in environ.get("CLAUDE_CONFIG_DIR", "").split(",")]
    folders = [Path(folder) for folder in named if folder] or [
        home / ".claude",
        home / ".config" / "claude",
    ]
    return list(dict.fromkeys(folders))


def _folder(environ: Mapping[str, str], name: str, usual: Path) -> Path:
    return Path(environ[name]) if environ.get(name) else usual


def _listed(agent: str, folder: Path, patterns: Sequence[str]) -> Iterator[Listed]:
    for path, stat in matching(folder, patterns):
        is_agent = agent == claude_code.AGENT and path.name.startswith("agent-")
        is_migrated = path.suffix == ".json" and path.with_suffix(".jsonl").exists()
        is_twice = path.suffix == SUFFIX and path.with_suffix("").exists()
        if not is_agent and not is_migrated and not is_twice:
            yield Listed(agent, path, datetime.fromtimestamp(stat.st_mtime, UTC))


def _described(listed: Listed) -> Iterator[Listed]:
    """The entry with its title; none for an agent's own transcript, which belongs to another."""
    try:
        transcript = read_ends(listed.path)
    except StoreError:
        yield listed
        return
    is_part = transcript.agent == gemini_cli.AGENT and _is_part_of_chat(transcript, listed.path)
    if not transcript.parent and not is_part:
        fields = (
            transcript.id,
            transcript.title,
            transcript.cwd,
            transcript.branch,
            transcript.origin,
        )
        yield Listed(transcript.agent, listed.path, listed.modified, *fields)


def _is_part_of_chat(chat: Transcript, path: Path) -> bool:
    """Whether a chat of Gemini CLI is a subagent's, or the beginning that a resumed one repeats."""
    folder = path.absolute().parent
    if any(matching(folder.parent, [f"session-*-{escape(folder.name[:8])}.json*"])):
        return True
    name = f"session-*-{escape(path.stem.rpartition('-')[2])}.jsonl"
    repeated = (file for file, _ in matching(folder, [name]) if file.name < path.name)
    return not chat.events and next(repeated, None) is not None


def _sessions(environ: Mapping[str, str], home: Path) -> Iterator[Listed]:
    data = _folder(environ, "XDG_DATA_HOME", home / ".local" / "share")
    ids: set[str] = set()
    for path, stat in matching(data, ["opencode", "opencode*.db"]):
        for listed in _of_database(path, datetime.fromtimestamp(stat.st_mtime, UTC)):
            ids.add(listed.id)
            yield listed
    for path, stat in matching(data, ["opencode", "storage", "session", "*", "*.json"]):
        row = opencode_files.read_session(path)
        if row and not row["parent_id"] and row["id"] not in ids:  # most are in the database too
            changed = datetime.fromtimestamp(stat.st_mtime, UTC)
            at = moment(row["time_updated"]) or changed
            yield Listed(opencode.AGENT, path, at, row["id"], row["title"], row["directory"])


def _of_database(path: Path, changed: datetime) -> Iterator[Listed]:
    try:
        with database(path) as connection:
            rows = opencode.sessions(connection)
    except StoreError:
        yield Listed(opencode.AGENT, path, changed)
        return
    for row in rows:
        words = (text(row.get(key)) for key in ("id", "title", "directory"))
        yield Listed(opencode.AGENT, path, moment(row.get("time_updated")) or changed, *words)


def _chats(environ: Mapping[str, str], projects: Sequence[Path]) -> Iterator[Listed]:
    name = environ.get("AIDER_CHAT_HISTORY_FILE") or _AIDER_FILE
    for project in projects:
        path = project / name
        try:
            with opened(path) as file:
                at = datetime.fromtimestamp(path.stat().st_mtime, UTC)
                lines = (line.decode("utf-8", "replace").rstrip() for line in raw_lines(ends(file)))
                chats = aider.read(lines, cwd=str(project))
        except StoreError:
            continue
        title = next((chat.title for chat in reversed(chats) if chat.title), "")
        yield Listed(aider.AGENT, path, at, title=title, cwd=str(project))
