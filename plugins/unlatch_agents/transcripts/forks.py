"""Forks: a conversation that a person continued from a copy of another one, its origin.

What both have counts once. Claude Code and Gemini CLI copy lines with their ids; Codex refers to
the lines of the origin, which older versions copied, and goes on with its total of tokens.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import replace
from glob import escape
from itertools import takewhile
from typing import TYPE_CHECKING

from unlatch.errors import StoreError
from unlatch_agents.transcripts.agents import (
    claude_code,
    codex,
    codex_lines,
    gemini_cli,
    gemini_files,
)
from unlatch_agents.transcripts.conversation import Prompt, Reply, ToolCall, Usage, title_of
from unlatch_agents.transcripts.files import matching, opened
from unlatch_agents.transcripts.jsonl import ends, read_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from unlatch_agents.transcripts.conversation import Event, Json, Transcript
    from unlatch_agents.transcripts.jsonl import Lines

    Again = Callable[[], tuple[Lines, Counter[str]]]


def origin_path(transcript: Transcript, path: Path) -> Path | None:
    """The file of a transcript's origin, beside its own or in another folder of the agent."""
    path = path.absolute()
    if not transcript.origin:
        return None
    if transcript.agent == gemini_cli.AGENT:
        return gemini_files.path_of(transcript.origin, path)
    if transcript.agent == claude_code.AGENT:
        places = [(path.parent, []), (path.parent.parent, ["*"])]
        name = f"{escape(transcript.origin)}.jsonl"
    elif transcript.agent == codex.AGENT:
        places = [(path.parent, [])]
        if path.parent.name.isdigit():
            places = [(path.parents[3], ["*"] * 3), (path.parents[4] / "archived_sessions", [])]
        name = f"rollout-*-{escape(transcript.origin)}.jsonl*"
    else:
        return path
    files = (file for root, levels in places for file, _ in matching(root, [*levels, name]))
    return next(files, None)


def marked(transcript: Transcript, path: Path, again: Again) -> Transcript:
    """The transcript with its copies, if it is a fork.

    Args:
        again: its lines from the first one on, and where to count those not understood.
    """
    if transcript.agent == claude_code.AGENT and not transcript.parent:
        return titled(_of_claude_code(transcript, path, again))
    if transcript.agent == codex.AGENT and transcript.origin:
        return titled(_of_codex(transcript, path))
    if transcript.agent == gemini_cli.AGENT and transcript.origin:
        origin = gemini_files.origin_of(transcript, path)
        if origin is None:
            usage = transcript.usage + transcript.copied
            return replace(transcript, origin="", copies=frozenset(), usage=usage, copied=Usage())
        return titled(gemini_cli.read(*again(), origin=origin))
    return transcript


def with_origin(transcript: Transcript, path: Path) -> Transcript:
    """The transcript with the id of its origin, of which Gemini CLI names the file."""
    if transcript.agent != gemini_cli.AGENT or not transcript.origin:
        return transcript
    return replace(transcript, origin=gemini_files.id_of(transcript.origin, path))


def titled(transcript: Transcript) -> Transcript:
    """The fork with the title of its own beginning, where the agent gives none."""
    own = [event for event in transcript.events if event.key not in transcript.copies]
    if not transcript.copies or transcript.title != title_of(transcript.events):
        return transcript
    return replace(transcript, title=title_of(own) or transcript.title)


def _of_claude_code(transcript: Transcript, path: Path, again: Again) -> Transcript:
    origin = None
    with suppress(StoreError):
        file = origin_path(transcript, path)
        origin = _read_claude_code(file) if file else None
    # Older versions name no origin; and of a lost one there can be another fork.
    origin = origin or next(_alike(transcript, path), None)
    return claude_code.read(*again(), origin=origin) if origin else transcript


def _alike(transcript: Transcript, path: Path) -> Iterator[Transcript]:
    """The sessions beside a transcript that begin with the same lines, and are older."""
    first = next((event.key for event in transcript.events), "").encode()
    for file, _ in matching(path.absolute().parent, ["*.jsonl"]) if first else ():
        if file.name != path.name and not file.name.startswith("agent-"):
            try:
                with opened(file) as content:
                    is_alike = first in ends(content).read()
                if is_alike and _is_origin(other := _read_claude_code(file), transcript):
                    yield other
            except StoreError:
                continue


def _is_origin(other: Transcript, transcript: Transcript) -> bool:
    """Whether `other` is the origin of the two: what only it has begins earlier."""
    if other.origin and other.origin != transcript.origin:
        return False
    theirs, ours = ({event.key for event in session.events} for session in (other, transcript))
    begun = [
        min(
            (event.at for event in session.events if event.at and event.key not in shared),
            default=None,
        )
        for session, shared in ((other, ours), (transcript, theirs))
    ]
    return begun[1] is not None and (begun[0] is None or begun[0] < begun[1])


def _read_claude_code(path: Path) -> Transcript:
    unknown: Counter[str] = Counter()
    with opened(path) as file:
        return claude_code.read(read_lines(file, unknown), unknown)


def _of_codex(fork: Transcript, path: Path) -> Transcript:
    file = origin_path(fork, path)
    if file is None:
        return fork
    unknown: Counter[str] = Counter()
    with opened(path, may_be_link=True) as content:
        end, is_copied = codex_lines.fork_point(next(read_lines(content, unknown), (0, {}))[1])
    with opened(file) as content:
        origin = codex.read(_before(read_lines(content, unknown), end), unknown)
    used = origin.usage + origin.copied
    copies = common(fork.events, origin.events) if is_copied else ()
    whole = fork.usage + fork.copied
    return replace(fork, copies=frozenset(copies), usage=whole - used, copied=used)


def _before(lines: Lines, end: int | None) -> Iterator[tuple[int, Json]]:
    return takewhile(lambda line: end is None or line[1].get("ordinal", 0) < end, lines)


def common(fork: tuple[Event, ...], origin: tuple[Event, ...]) -> list[str]:
    """The keys of the events at the beginning of a fork that its origin has too."""
    pairs = takewhile(
        lambda pair: _content(pair[0]) == _content(pair[1]), zip(fork, origin, strict=False)
    )
    return [event.key for event, _ in pairs]


def _content(event: Event) -> object:
    match event:
        case ToolCall(id=id, name=name, arguments=arguments):
            return ToolCall, id, name, arguments
        case Prompt(text=text) | Reply(text=text):
            return type(event), text
    return type(event)
