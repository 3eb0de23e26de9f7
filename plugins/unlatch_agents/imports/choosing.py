"""Choosing the transcripts to import: those of a project, or one by its path or id."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from unlatch.errors import UsageError
from unlatch_agents.transcripts import Listed, find_transcripts, transcripts_in
from unlatch_agents.transcripts.find import is_transcript

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_LISTED = 5


def of_project(
    root: Path,
    *,
    environ: Mapping[str, str],
    home: Path,
    agent: str | None = None,
    since: datetime | None = None,
) -> Iterator[Listed]:
    """The transcripts of work in a project, the newest first.

    Args:
        agent: the beginning of the agent's name.
        since: only those that changed at this time or later.
    """
    places = (root, root.resolve())
    for listed in find_transcripts(environ=environ, home=home, projects=[root]):
        is_here = any(listed.cwd and Path(listed.cwd).is_relative_to(place) for place in places)
        is_new = since is None or listed.modified >= since
        if is_here and is_new and listed.agent.startswith(agent or ""):
            yield listed


def named(wanted: str, *, root: Path, environ: Mapping[str, str], home: Path) -> list[Listed]:
    """The transcript at a path, those in a folder, or the one with an id, which can be shortened.

    Raises:
        UsageError: `transcript-unknown` or `transcript-ambiguous`.
    """
    path = Path(wanted)
    is_path = os.sep in wanted or wanted in (os.curdir, os.pardir)
    if path.is_dir() and is_path:
        return _inside(path)
    if (is_there := path.is_file()) or is_path:
        changed = path.stat().st_mtime if is_there else 0
        return [Listed("", path, datetime.fromtimestamp(changed, UTC))]
    transcripts = list(find_transcripts(environ=environ, home=home, projects=[root]))
    starting = [listed for listed in transcripts if wanted and listed.id.startswith(wanted)]
    exact = [listed for listed in starting if listed.id == wanted]
    if len(exact or starting) == 1:
        return (exact or starting)[:1]
    if starting:
        ids = tuple(listed.id for listed in starting)
        hint = f"use one of the ids: {', '.join(ids[:_LISTED])}"
        message = f"'{wanted}' matches several transcripts"
        raise UsageError("transcript-ambiguous", message, hint=hint, problems=ids)
    if path.is_dir():  # the folder of a session's subagents has its id
        return _inside(path)
    message = f"there is no transcript '{wanted}', neither a file nor an id"
    raise UsageError("transcript-unknown", message, hint="unlatch session import")


def is_in_project(path: Path, *, root: Path, environ: Mapping[str, str], home: Path) -> bool:
    """Whether a transcript is a file of the project, and not where an agent keeps its own."""
    real = path.resolve()
    is_kept = is_transcript(real, environ=environ, home=home)
    return real.is_relative_to(root.resolve()) and not is_kept


def _inside(folder: Path) -> list[Listed]:
    if transcripts := transcripts_in(folder):
        return transcripts
    message = f"there is no transcript in the folder '{folder}', or below it"
    raise UsageError("transcript-unknown", message, hint="unlatch session import")
