"""Merging the bytes of three versions of an increment's files."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from unlatch.increments.files.reading import newer_version
from unlatch.increments.merge.metadata import Merged, merge
from unlatch.worklog.json_text.document import JsonText, JsonTextError
from unlatch.worklog.json_text.three_way import Clash, Side
from unlatch.worklog.record import BadRecord

if TYPE_CHECKING:
    from unlatch.increments.files.snapshots import Shapes


class UnmergeableError(ValueError):
    """A version cannot be merged by the meaning of its fields; the message says which, and why."""


@dataclass(frozen=True, slots=True)
class MergedText:
    """The result of a merge.

    Args:
        content: the file, with conflict markers around both values where the two clash.
        clashes: the fields that both sides changed, differently, whatever side was taken.
    """

    content: bytes
    clashes: tuple[Clash, ...]


def merge_metadata(
    base: bytes | None, ours: bytes, theirs: bytes, *, shapes: Shapes, take: Side | None = None
) -> MergedText:
    """Merge two versions of a metadata.json; unchanged parts keep the text of our side.

    Args:
        base: their common ancestor; None or empty if there is none.
        take: the side to take where the two clash; None to write conflict markers.

    Raises:
        UnmergeableError: a version is not a JSON object, or would lose something.
    """
    ancestor = _read(base, "the common ancestor").value if base else None
    source, other = _read(ours, "our side"), _read(theirs, "their side")

    def taking(side: Side) -> Merged:
        return merge(ancestor, source.value, other.value, shapes=shapes, take=side)

    try:
        merged = taking(take or Side.OURS)
        content = source.with_value(merged.value)
        if merged.clashes and take is None:
            content = _marked(content, source.with_value(taking(Side.THEIRS).value))
    except BadRecord as error:
        raise UnmergeableError(str(error)) from error
    except ValueError as error:  # the united value is nested too deep
        raise UnmergeableError(f"the merged file could not be written: {error}") from error
    return MergedText(content, merged.clashes)


def merge_events(ours: bytes, theirs: bytes) -> bytes:
    """Merge two versions of an events.jsonl: all lines of both, each once."""
    lines = ours.splitlines(keepends=True)
    if lines and not lines[-1].endswith(b"\n"):
        lines[-1] += b"\n"
    known = {line.strip() for line in lines}
    return b"".join([*lines, *(n for n in theirs.splitlines(True) if n.strip() not in known)])


def _read(raw: bytes, whose: str) -> JsonText:
    try:
        text = JsonText.parse(raw)
    except JsonTextError as error:
        raise UnmergeableError(f"{whose} is not valid JSON: {error}") from error
    if not isinstance(text.value, dict):
        raise UnmergeableError(f"{whose} holds no JSON object")
    if text.duplicates:
        raise UnmergeableError(f"{whose} has {', '.join(text.duplicates)} twice")
    if newer := newer_version(text.value):
        raise UnmergeableError(f"{whose} has {newer}")
    return text


def _marked(ours: bytes, theirs: bytes) -> bytes:
    """Our text with git's conflict markers where theirs differs."""
    # Not splitlines: JSON texts may hold characters that Python takes for the end of a line.
    our_lines, their_lines = (side.decode().split("\n") for side in (ours, theirs))
    end = "\r" if our_lines[0].endswith("\r") else ""
    marked: list[str] = []
    matcher = SequenceMatcher(None, our_lines, their_lines, autojunk=False)
    for tag, our_from, our_to, their_from, their_to in matcher.get_opcodes():
        if tag == "equal":
            marked += our_lines[our_from:our_to]
            continue
        marked += [f"<<<<<<< ours{end}", *our_lines[our_from:our_to]]
        marked += [f"======={end}", *their_lines[their_from:their_to], f">>>>>>> theirs{end}"]
    return "\n".join(marked).encode()
