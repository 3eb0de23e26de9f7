"""The current feature of spec-kit: since 1.2 `.specify/feature.json` alone names it.

Its scripts write one object with one key (scripts/bash/common.sh, `_persist_feature_json`), and so
do the agents that run its commands.
"""

import json
import re
from pathlib import Path

from unlatch.increments.layouts.folders import text_of

FILE = ".specify/feature.json"
_KEY = "feature_directory"
_USUAL = re.compile(rf'\s*\{{\s*"{_KEY}"\s*:\s*(?P<value>"(?:[^"\\]|\\.)*")\s*\}}\s*')


def current_feature(root: Path) -> Path | None:
    """The folder of the current feature, which need not be in specs/, nor be there."""
    try:
        found = json.loads(text_of(root / FILE))[_KEY]
        parts = Path(found).relative_to(root if Path(found).is_absolute() else ".").parts
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
    return root.joinpath(*parts) if parts and ".." not in parts else None


def naming(root: Path, place: Path) -> tuple[Path, str] | None:
    """The file with the name of this folder; None unless it is as spec-kit writes it."""
    text = text_of(root / FILE)
    usual = _USUAL.fullmatch(text)
    if usual is None:
        return None
    value = json.dumps(place.relative_to(root).as_posix(), ensure_ascii=False)
    start, end = usual.span("value")
    return root / FILE, text[:start] + value + text[end:]
