"""Merge two versions of a briefing.md: each section has the lines of both sides."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from unlatch.errors import StoreError
from unlatch.increments.documents.seal import sealed, unsealed
from unlatch.increments.files.metadata_file import conflict_in
from unlatch.increments.files.paths import BRIEFING
from unlatch.worklog.disk.file_check import check_size
from unlatch_merge.outcome import MergedText, UnmergeableError, united

# The line with the day when the file was written; the later one is kept.
_DATE = "Written on "


def merge_briefings(base: bytes, ours: bytes, theirs: bytes) -> MergedText:
    """Merge two versions, never with a clash, because no line of either side is dropped.

    `base` only shows which side changed.

    Raises:
        UnmergeableError: a version is no UTF-8 text or has git's markers, or the result would be
            too large.
    """
    if theirs in (ours, base):
        return MergedText(ours)
    if ours == base:
        return MergedText(theirs)
    (own, is_ours), (other, is_theirs) = (_decoded(side) for side in (ours, theirs))
    first, second = _sections(own), _sections(other)
    parts = []
    for heading in united([*first], [*second]):
        both = united(first[heading], second[heading])
        earlier = sorted({line for line in both if line.startswith(_DATE)})[:-1]
        lines = "\n".join(line for line in both if line not in earlier).strip("\n")
        parts += [part for part in (heading, lines) if part]
    text = "\n\n".join(parts) + "\n"
    content = (sealed(text) if is_ours and is_theirs else text).encode()
    try:
        check_size(len(content), Path(BRIEFING), BRIEFING)
    except StoreError as error:
        raise UnmergeableError(error.message) from error
    return MergedText(content)


def _decoded(content: bytes) -> tuple[str, bool]:
    """The text without its seal, and whether it is as unlatch wrote it."""
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise UnmergeableError("a side is not UTF-8 text") from error
    if conflict_in(text):
        raise UnmergeableError("a side has git's conflict markers")
    return unsealed(text)


def _sections(text: str) -> defaultdict[str, list[str]]:
    """The lines below each heading; those above the first are below an empty one."""
    sections: defaultdict[str, list[str]] = defaultdict(list)
    lines = sections[""]
    for line in map(str.rstrip, text.split("\n")):
        if line.startswith("## "):
            lines = sections[line]
        else:
            lines.append(line)
    return sections
