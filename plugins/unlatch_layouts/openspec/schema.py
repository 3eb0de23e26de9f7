"""The files with the tasks of a change, as its schema names them."""

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from unlatch.increments.layouts.folders import files_below, has, text_of
from unlatch.worklog.text.parsing import BadYaml, load_yaml

TASKS = "tasks.md"
_DEFAULT = "spec-driven"
_NULLS = ("", "~", "null", "Null", "NULL", None)
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*\Z")


def task_files(root: Path, change: Path) -> Sequence[str]:
    """The files that exist and match what the schema tracks, else `tasks.md`.

    Schemas of the project are read; those of the user and of the tool track `tasks.md`.
    """
    schemas = root / "openspec" / "schemas"
    if not has(schemas):
        return (TASKS,)
    name = _schema_name(root, change)
    tracked = _tracked(_yaml(schemas / name / "schema.yaml")) if _NAME.match(name) else None
    if tracked is None or tracked == TASKS:
        return (TASKS,)
    paths = [path for path in files_below(change, ".md") if _matches(path, tracked)]
    return paths or (TASKS,)


def _schema_name(root: Path, change: Path) -> str:
    own, shared = change / ".openspec.yaml", root / "openspec" / "config.yaml"
    name = _yaml(own if has(own) else shared).get("schema")
    return _DEFAULT if name in _NULLS else str(name)


def _tracked(schema: dict[str, Any]) -> str | None:
    """The pattern of the artifact that `apply.tracks` selects, else of the one called `tasks`."""
    listed = schema.get("artifacts")
    artifacts = (
        [artifact for artifact in listed if isinstance(artifact, dict)]
        if isinstance(listed, list)
        else []
    )
    apply = schema.get("apply")
    tracks = apply.get("tracks") if isinstance(apply, dict) else ""
    key, wanted = ("id", "tasks") if tracks in _NULLS else ("generates", tracks)
    patterns = (artifact.get("generates") for artifact in artifacts if artifact.get(key) == wanted)
    pattern = next(patterns, None)
    return pattern if isinstance(pattern, str) else None


def _yaml(place: Path) -> dict[str, Any]:
    """The mapping in a YAML file; empty if it cannot be read."""
    try:
        value = load_yaml(text_of(place))
    except BadYaml:
        return {}
    return value if isinstance(value, dict) else {}


def _matches(path: str, pattern: str) -> bool:
    """Whether a pattern with `*`, `?`, `[a]` and `**` matches; hidden files match none."""
    steps = path.split("/")
    if any(step.startswith(".") for step in steps):
        return False
    parts = pattern.removeprefix("./").split("/")
    # The numbers of parts that match the first steps of the path.
    reached = _over_any(parts, {0})
    for step in steps:
        stayed = {at for at in reached if at < len(parts) and parts[at] == "**"}
        passed = {
            at + 1 for at in reached - stayed if at < len(parts) and fnmatchcase(step, parts[at])
        }
        reached = _over_any(parts, stayed | passed)
    return len(parts) in reached


def _over_any(parts: Sequence[str], reached: set[int]) -> set[int]:
    """Add the places behind `**`, which may match no folder."""
    for at, part in enumerate(parts[:-1]):
        if at in reached and part == "**":
            reached.add(at + 1)
    return reached
