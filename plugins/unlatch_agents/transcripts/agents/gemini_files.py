"""The chat that another one of Gemini CLI was copied from, by `--session-file`.

A copy names that file, and its messages keep their ids.
"""

from __future__ import annotations

from collections import Counter
from glob import escape
from typing import TYPE_CHECKING

from unlatch.errors import StoreError
from unlatch_agents.transcripts.agents import gemini_cli
from unlatch_agents.transcripts.files import matching, opened
from unlatch_agents.transcripts.jsonl import ends, read_lines, whole

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from unlatch_agents.transcripts.agents.gemini_cli import Messages
    from unlatch_agents.transcripts.conversation import Transcript


def origin_of(copy: Transcript, path: Path) -> Messages | None:
    """The chat that has what a copy begins with: the named one, else an older copy of it."""
    keys = {event.key.partition(":")[0] for event in copy.events}
    scored = ((candidate, len(keys & candidate.ids)) for candidate in _named(copy.origin, path))
    if chat := next(
        (candidate for candidate, alike in scored if alike and candidate.id != copy.id), None
    ):
        return chat
    first = next(iter(copy.events), None)
    begun = _read(path)
    if first is None or begun is None:
        return None
    others = [*_alike(path, first.key.partition(":")[0])]
    older = [other for other in others if other.id != copy.id and other.begun < begun.begun]
    return max(older, key=lambda other: len(keys & other.ids), default=None)


def id_of(name: str, path: Path) -> str:
    """The id of the chat in a file of this name."""
    return next((chat.id for chat in _named(name, path, is_head=True)), "")


def path_of(id: str, path: Path) -> Path | None:
    """The file of a chat; a resumed one can have a second file without messages."""
    return min(_places(f"session-*-{escape(id[:8])}.json*", path), default=None)


def _named(name: str, path: Path, *, is_head: bool = False) -> Iterator[Messages]:
    for file in _places(escape(name), path):
        if file != path.absolute() and (chat := _read(file, is_head=is_head)):
            yield chat


def _places(pattern: str, path: Path) -> Iterator[Path]:
    """Such files beside a chat, then those of other projects."""
    folder = path.absolute().parent
    yield from (file for file, _ in matching(folder, [pattern]))
    if folder.name == "chats":
        for file, _ in matching(folder.parent.parent, ["*", "chats", pattern]):
            if file.parent != folder:
                yield file


def _alike(path: Path, key: str) -> Iterator[Messages]:
    for file, _ in matching(path.absolute().parent, ["session-*.json*"]):
        try:
            with opened(file) as content:
                has_key = key.encode() in ends(content).read()
        except StoreError:
            continue
        if has_key and (chat := _read(file)):
            yield chat


def _read(path: Path, *, is_head: bool = False) -> Messages | None:
    try:
        with opened(path) as content:
            lines = read_lines(ends(content) if is_head else content, Counter())
            if chat := gemini_cli.messages_of(lines):
                return chat
            content.seek(0)
            return gemini_cli.messages_of([(1, whole(content))])
    except StoreError:
        return None
