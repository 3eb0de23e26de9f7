"""Create the folder of a new increment."""

import re
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from unlatch.errors import UsageError
from unlatch.increments.files.paths import METADATA, SPEC, SPECWEAVE, TASKS, ProjectPaths
from unlatch.increments.model.link import Link
from unlatch.increments.model.status import Status
from unlatch.increments.records.link_edits import add_link
from unlatch.increments.records.shapes import Shapes
from unlatch.increments.records.status_events import LOG, Created
from unlatch.worklog.collection import Collection
from unlatch.worklog.disk.atomic import replace_file, writing
from unlatch.worklog.disk.own_texts import own_texts
from unlatch.worklog.disk.safe_open import make_folders, open_folder
from unlatch.worklog.ids import LAST_NUMBER, number_of
from unlatch.worklog.json_text.document import render_new
from unlatch.worklog.text.neutral import without_controls
from unlatch.worklog.text.secrets import without_secrets
from unlatch.worklog.times import stamp

_LONGEST_SLUG = 60
# As GitHub's, the longest of the trackers.
_LONGEST_TITLE = 256
_NEUTRAL_SLUG = "increment"
# Those after it are in no list of its own, and it counts from 1 again
# (findings/specweave-last-number.sh).
_LAST_OF_SPECWEAVE = 9999
_SPEC = "\n## User stories\n\n## Acceptance criteria\n"


def slug_of(title: str) -> str:
    """The folder name for a title: lower-case ASCII words joined by hyphens.

    Probable secrets are left out, because nothing recognises one that is in small letters.
    The name of a title in another script is neutral: SpecWeave, git and file systems do not spell
    letters outside of ASCII alike.

    Raises:
        UsageError: `title-unusable` or `increment-title-too-long`.
    """
    if not any(map(str.isalnum, title)):
        problem, hint = "the title has no letter or digit", "unlatch new TITLE"
        raise UsageError("title-unusable", problem, hint=hint)
    if len(title) > _LONGEST_TITLE:
        message = f"the title has {len(title):,} characters; at most {_LONGEST_TITLE} are allowed"
        hint = "use some words of it, and put the rest into spec.md"
        raise UsageError("increment-title-too-long", message, hint=hint)
    plain = unicodedata.normalize("NFKD", without_secrets(title))
    ascii_only = plain.encode("ascii", "ignore").decode()
    words = re.sub(r"[^a-z0-9]+", "-", ascii_only.lower()).strip("-")
    return words[:_LONGEST_SLUG].rstrip("-") or _NEUTRAL_SLUG


def make_increment(
    paths: ProjectPaths,
    shapes: Shapes,
    title: str,
    *,
    kind: str,
    links: Iterable[Link],
    taken: Iterable[str],
    facts: dict[str, Any],
) -> str:
    """Make an increment in planning, with the next number; returns the name of its folder."""
    name = f"{_next_number(paths, taken):04d}-{slug_of(title)}"
    times = dict.fromkeys(("created", "lastActivity"), stamp(facts["at"]))
    data = {"id": name, "status": Status.PLANNING.value, "type": kind, **times}
    for link in links:
        add_link(data, link, shapes.links[link.tracker])
    folder = paths.increments / name
    with own_texts(*(folder / document for document in (SPEC, TASKS, METADATA))):
        _make_folder(folder, title, data, Created(to=Status.PLANNING, **facts))
    return name


def _next_number(paths: ProjectPaths, taken: Iterable[str]) -> int:
    names = (*taken, *(folder.name for folder in Collection(paths.increments).folders()))
    numbers = {number_of(name) or 0: name for name in names}
    last = max(numbers, default=0)
    if last >= (_LAST_OF_SPECWEAVE if paths.increments.parent.name == SPECWEAVE else LAST_NUMBER):
        raise UsageError(
            "number-too-high",
            f"{numbers[last]} has the highest possible number",
            where=str(paths.increments),
            hint=f"rename {numbers[last]}, so that it begins with a lower number",
        )
    return last + 1


def _make_folder(folder: Path, title: str, data: dict[str, Any], event: Created) -> None:
    """Make the folder of a new increment with its files; metadata.json comes last."""
    with writing(folder):
        make_folders(folder)
    try:
        spec = f"# {' '.join(without_controls(title).split())}\n{_SPEC}"
        replace_file(folder / SPEC, spec.encode(errors="replace"))
        replace_file(folder / TASKS, b"# Tasks\n")
        LOG.append(folder, event)
        # An increment without metadata.json is broken, so a crash before this line is seen.
        replace_file(folder / METADATA, render_new(data))
    except BaseException:
        with open_folder(folder.parent) as increments:
            increments.remove_tree(folder.name)
        raise
    with writing(folder), open_folder(folder.parent) as increments:
        increments.sync()
