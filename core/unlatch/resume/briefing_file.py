"""briefing.md in unlatch's folder of an increment, for other people, agents and clones."""

from __future__ import annotations

from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING

from unlatch.increments.files.paths import BRIEFING
from unlatch.resume.briefing import briefing_of, own_name
from unlatch.resume.briefing_text import read_briefing, render
from unlatch.resume.points import clean_text
from unlatch.transport.redact import Masking
from unlatch.worklog.disk.atomic import replace_file

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from unlatch.increments.model.increment import Increment
    from unlatch.project.workspace import Workspace
    from unlatch.resume.points import Briefing
    from unlatch.resume.related import Related

# Bytes.
LARGEST = 8 << 10


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
        failed = tuple(one for one in filed.failed if not one.source.startswith("session:"))
        filed = replace(filed, failed=failed)
    return briefing_of(workspace, increment, related, with_tool_output=with_tool_output) + filed


def file_text(increment: Increment, briefing: Briefing, *, at: datetime) -> str:
    """The text for the file, of at most 8 KB; `at` is today."""
    briefing = replace(briefing, origin=f"Written on {at:%Y-%m-%d}.")
    return render(title_of(increment), briefing, more=command_for(increment), limit=LARGEST)


def command_for(increment: Increment) -> str:
    """The command that shows what was left out."""
    return f"unlatch show {quote(own_name(increment))} --briefing"


def write_briefing(increment: Increment, text: str) -> Path:
    """Write the file; StoreError `not-writable`."""
    path = increment.folder / BRIEFING
    replace_file(path, text.encode())
    return path
