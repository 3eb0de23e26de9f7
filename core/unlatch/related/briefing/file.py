"""briefing.md in unlatch's folder of an increment, for other people, agents and clones."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING

from unlatch.errors import PluginBroken
from unlatch.increments.documents.seal import sealed, unsealed
from unlatch.increments.files.paths import BRIEFING, METADATA
from unlatch.increments.files.work.files import files_of
from unlatch.related.briefing.compose import briefing_of, own_name
from unlatch.related.briefing.text import read_briefing, render
from unlatch.related.kinds import kind_named
from unlatch.related.places import installed_kinds
from unlatch.related.points import Briefing, clean_text
from unlatch.transport.trace import Masking
from unlatch.worklog.disk.atomic import replace_file
from unlatch.worklog.disk.safe_open import exists, read_file

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from unlatch.increments.model.increment import Increment
    from unlatch.project.workspace import Workspace
    from unlatch.related.belonging import Related

# Bytes.
LARGEST = 8 << 10
_SEAL = 64


def title_of(increment: Increment) -> str:
    return clean_text(f"{increment.id} - {increment.title}", Masking().text)


def known_briefing(
    workspace: Workspace, increment: Increment, related: Related, *, with_tool_output: bool = True
) -> Briefing | None:
    """The briefing with the entries of its file whose originals are missing; None without both.

    Args:
        with_tool_output: as in `Sources`.
    """
    if not related and related.filed is None:
        return None
    filed = read_briefing(related.filed or "", is_wanted=related.is_missing)
    if not with_tool_output:
        named = {
            point.source.partition(":")[0] for point in filed.failed
        } & installed_kinds().keys()
        left_out = {kind for kind in named if _may_be_output(kind)}
        failed = tuple(
            point for point in filed.failed if point.source.partition(":")[0] not in left_out
        )
        filed = replace(filed, failed=failed)
    return briefing_of(workspace, increment, related, with_tool_output=with_tool_output) + filed


def _may_be_output(kind: str) -> bool:
    """Whether failures of a kind of work can be the output of tools."""
    try:
        return kind_named(kind).has_tool_output
    except PluginBroken:
        return True


def file_text(increment: Increment, briefing: Briefing, *, at: datetime) -> str:
    """The text for the file, of at most 8 KB; `at` is today."""
    briefing = replace(briefing, origin=f"Written on {at:%Y-%m-%d}.")
    more, limit = command_for(increment), LARGEST - _SEAL
    return render(title_of(increment), briefing, more=more, limit=limit)


def command_for(increment: Increment) -> str:
    """The command that shows what was left out."""
    return f"unlatch show {quote(own_name(increment))} --briefing"


def is_edited(increment: Increment) -> bool:
    """Whether a person changed the file that is there; StoreError: it cannot be read."""
    path = increment.folder / BRIEFING
    return exists(path) and not unsealed(read_file(path).decode(errors="replace"))[1]


def quotes_own_texts(
    workspace: Workspace, increment: Increment, related: Related, briefing: Briefing
) -> bool:
    """Whether all that a briefing quotes is this user's, and no output of tools."""
    from unlatch.worklog.disk.own_texts import OwnTexts  # noqa: PLC0415  (for `complete`)

    own, files = OwnTexts(workspace.paths.root), files_of(increment)
    texts = (increment.folder / METADATA, *(files.place / name for name in files.names))
    for other in related.others:
        work = other.work
        if work.files and not any(map(own.has_name, work.files)):
            return False
        if work.limited(own.has_file) != work:
            return False
        texts += work.files
    return (
        all(map(own.has_file, texts))
        and known_briefing(workspace, increment, related, with_tool_output=False) == briefing
    )


def write_briefing(increment: Increment, text: str, *, is_own: bool) -> Path | None:
    """Write the file; one that a person changed is kept under another name.

    Args:
        is_own: whether the text counts as this user's, unless the file before was another's.

    Returns:
        The path of the kept file.

    Raises:
        StoreError: it cannot be read or written.
    """
    from unlatch.worklog.disk.own_texts import own_texts  # noqa: PLC0415  (for `complete`)

    path, kept = increment.folder / BRIEFING, None
    if is_edited(increment):
        names = (f"{BRIEFING}.old{number}" for number in ("", *range(2, 1000)))
        kept = next(free for name in names if not exists(free := path.with_name(name)))
        replace_file(kept, read_file(path))
    with own_texts(path) if is_own else nullcontext():
        replace_file(path, sealed(text).encode())
    return kept
