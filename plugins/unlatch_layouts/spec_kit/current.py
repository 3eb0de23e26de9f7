"""Folders of features that files name. Since 1.2 `.specify/feature.json` names the current one.

Its scripts write one object with one key (scripts/bash/common.sh, `_persist_feature_json`), and so
do the agents that run its commands.
"""

import json
import re
from pathlib import Path
from typing import Any

from unlatch.increments.layouts.folders import text_of
from unlatch.increments.layouts.native import UNLATCH
from unlatch.worklog.json_text import json_object

FILE = ".specify/feature.json"
_KEY = "feature_directory"
_USUAL = re.compile(rf'\s*\{{\s*"{_KEY}"\s*:\s*(?P<value>"(?:[^"\\]|\\.)*")\s*\}}\s*')


def current_feature(root: Path) -> Path | None:
    """The folder of the current feature, which need not be in specs/, nor be there."""
    return _folder(root, _value(root / FILE, _KEY))


def recorded_place(root: Path, key: str, *, layout: str) -> Path | None:
    """Where the feature was when unlatch last wrote its records; None if they are not of one."""
    unit = _value(root / UNLATCH.increments / key / "metadata.json", "unit")
    if not isinstance(unit, dict) or unit.get("layout") != layout:
        return None
    return _folder(root, unit.get("path"))


def _value(file: Path, key: str) -> Any:
    return json_object(text_of(file)).get(key)


def _folder(root: Path, name: Any) -> Path | None:
    """The folder of this name, if it is one inside of the project."""
    try:
        parts = Path(name).relative_to(root if Path(name).is_absolute() else ".").parts
    except (ValueError, TypeError):
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
