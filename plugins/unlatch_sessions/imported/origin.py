"""The front matter of an imported session: its source, and what was masked."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from unlatch.errors import StoreError
from unlatch_sessions import front_matter

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from unlatch_sessions.store import SessionStore

SOURCE, MASKED = "import_source", "import_masked"
# As `front_matter.written` writes a text with a colon.
_SOURCE_LINES = re.compile(rf'^{SOURCE}: ("(?:[^"\\\n]|\\.)*+")', re.MULTILINE)
# Where the transcript was, and there: a file of the checkout, which anybody may have written.
PLACE, IN_PROJECT = "import_place", "project"
# The file of aider is always there; earlier imports do not say so.
_ALWAYS_IN_PROJECT = "aider:"


def sources(
    store: SessionStore, paths: Iterable[Path], in_conflict: dict[str, Path] | None = None
) -> dict[str, Path]:
    """Those files that are imported sessions, by their sources.

    Args:
        in_conflict: gets those with git's conflict markers, which nothing is written to.
    """
    by_source: dict[str, Path] = {}
    for path in paths:
        try:
            if source := front_matter.read(store.read(path).text).get(SOURCE):
                by_source[source] = path
        except StoreError as error:
            if in_conflict is not None and error.id == front_matter.IN_CONFLICT:
                in_conflict.update(dict.fromkeys(_named_in(store.text(path)), path))
        except OSError:
            continue
    return by_source


def _named_in(text: str) -> list[str]:
    """The sources in a front matter that a conflict may have torn."""
    return [json.loads(line[1]) for line in _SOURCE_LINES.finditer(text)]


def is_of_checkout(store: SessionStore, path: Path) -> bool:
    """Whether a session was made from a transcript in the project; also if it cannot be read."""
    try:
        values = front_matter.read(store.read(path).text)
    except (StoreError, OSError):
        return True
    source = str(values.get(SOURCE) or "")
    return values.get(PLACE) == IN_PROJECT or source.startswith(_ALWAYS_IN_PROJECT)


def masked_before(values: Mapping[str, object]) -> int:
    """The places that earlier imports masked, by the front matter."""
    count = str(values.get(MASKED))
    return int(count) if count.isdecimal() else 0
