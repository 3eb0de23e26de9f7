"""Create the folder of a new increment."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Any

from unlatch.errors import UsageError
from unlatch.increments.files.layout import METADATA, SPEC, TASKS, Folder, Layout
from unlatch.increments.records.events import LOG
from unlatch.spi.text import without_controls
from unlatch.worklog.atomic import replace_file, writing
from unlatch.worklog.json_text.document import render_new
from unlatch.worklog.safe_open import make_folders, open_folder

if TYPE_CHECKING:
    from unlatch.worklog.event_log import Event

_LONGEST_SLUG = 60


def slug_of(title: str) -> str:
    """A folder's name for a title: lower-case ASCII words joined by hyphens."""
    ascii_only = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
    slug = re.sub(r"[^a-z0-9]+", "-", ascii_only.lower()).strip("-")[:_LONGEST_SLUG].rstrip("-")
    if not slug:
        raise UsageError(
            "title-unusable",
            "the title has no letter or digit to name a folder by",
            hint="put a word in Latin letters, or a number, into the title",
        )
    return slug


def make_increment(
    layout: Layout, number: int, title: str, data: dict[str, Any], event: Event
) -> Folder:
    """Make the folder of a new increment with its files; metadata.json comes last."""
    name = f"{number:04d}-{slug_of(title)}"
    folder = Folder(name, layout.increments / name, archived=False)
    with writing(folder.path):
        make_folders(folder.path)
    try:
        replace_file(folder.path / SPEC, _spec(title).encode(errors="replace"))
        replace_file(folder.path / TASKS, b"# Tasks\n")
        LOG.append(folder.path, event)
        # An increment without metadata.json is broken, so a crash before this line is seen.
        replace_file(folder.path / METADATA, render_new({**data, "id": name}))
    except BaseException:
        with open_folder(layout.increments) as increments:
            increments.remove_tree(name)
        raise
    with writing(folder.path), open_folder(layout.increments) as increments:
        increments.sync()
    return folder


def _spec(title: str) -> str:
    heading = " ".join(without_controls(title).split())
    return f"# {heading}\n\n## User stories\n\n## Acceptance criteria\n"
