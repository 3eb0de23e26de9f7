"""The folder of Backlog.md in a project, its statuses, and the files that are its tasks."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from unlatch.increments.documents import front_matter
from unlatch.increments.layouts.folders import files_below, has, subfolders, text_of
from unlatch.increments.layouts.native import UNLATCH
from unlatch.increments.model.unit import Unit
from unlatch.values import dataclass
from unlatch_layouts.backlog_md.task_file import with_newlines

NAME = "backlog-md"
DRAFTS, COMPLETED = "drafts", "completed"
_TASKS = "tasks"
# The folders with tasks, and whether those in them are finished.
_PLACES = ((_TASKS, False), (DRAFTS, False), (COMPLETED, True), (f"archive/{_TASKS}", True))
_ROOT_CONFIG = "backlog.config.yml"
_FOLDERS = ("backlog", ".backlog")
_CONFIGS = ("config.yml", "config.yaml")
_DEFAULT_STATUSES = ("To Do", "In Progress", "Done")
_DEFAULT_PREFIX = "task"
_STATUSES = re.compile(r"statuses[ \t]*:")
_KEY = re.compile(r"(?!-[ \t])[^\s#][^:]*:")
_ID = re.compile(r"(?P<prefix>[A-Za-z]+)-(?P<body>[A-Za-z0-9]+(?:[._-][A-Za-z0-9]+)*)")
_NUMBERS = re.compile(r"[0-9]+(?:\.[0-9]+)*")


@dataclass(frozen=True, slots=True)
class Project:
    """A project's folder and settings.

    Args:
        prefix: what the names of tasks begin with, in lower case.
        statuses: from the first to the last, which means done; empty if nobody can read them.
    """

    folder: Path
    prefix: str
    statuses: tuple[str, ...]


def find_project(root: Path) -> Project | None:
    """The project in `root`, by its configuration in the root or in the tool's folder."""
    config = text_of(root / _ROOT_CONFIG)
    settings = _settings(config)
    if settings.get("project_name") or settings.get("projectName"):
        named = settings.get("backlog_directory") or settings.get("backlogDirectory") or ""
        folder = _inside(root, named) or _usual_folder(root)
    else:
        folder = next((root / name for name in _FOLDERS if _config_in(root / name)), None)
        config = text_of(_config_in(folder) or folder) if folder else ""
        settings = _settings(config)
    if folder is None:
        return None
    prefix = settings.get("task_prefix") or _DEFAULT_PREFIX
    return Project(folder, prefix.lower(), _statuses(config))


def _config_in(folder: Path) -> Path | None:
    return next((folder / name for name in _CONFIGS if has(folder / name)), None)


def _usual_folder(root: Path) -> Path | None:
    """The folder of a project with its configuration in the root."""
    folders = [root / name for name in _FOLDERS]
    configured = [folder for folder in folders if _config_in(folder)]
    return next((folder for folder in (*configured, *folders) if has(folder)), None)


def _inside(root: Path, named: str) -> Path | None:
    """The folder of this name, if it is one inside of the project."""
    parts = [part for part in PurePosixPath(named.replace("\\", "/")).parts if part != "."]
    is_inside = bool(parts) and parts[0] != "/" and ".." not in parts and ":" not in parts[0]
    return root.joinpath(*parts) if is_inside else None


def _settings(config: str) -> Mapping[str, str]:
    """The values on single lines, without quotes: the tool reads them without a YAML parser."""
    pairs = (line.strip().partition(":") for line in config.splitlines())
    raw = {key.strip(): value for key, colon, value in pairs if colon and key[:1] != "#"}
    return {key: value.replace('"', "").replace("'", "").strip() for key, value in raw.items()}


def _statuses(config: str) -> tuple[str, ...]:
    lines = config.splitlines()
    starts = [number for number, line in enumerate(lines) if _STATUSES.match(line)]
    if not starts:
        return _DEFAULT_STATUSES
    start = starts[-1]
    ends = (number for number in range(start + 1, len(lines)) if _KEY.match(lines[number]))
    block = "\n".join(lines[start : next(ends, len(lines))])
    listed = front_matter.values(f"---\n{block}\n---\n").get("statuses")
    if listed == "":
        return _DEFAULT_STATUSES
    if not isinstance(listed, list):
        return ()
    words = (word.strip() for word in listed if isinstance(word, str))
    return tuple(filter(None, words)) or _DEFAULT_STATUSES


def tasks(root: Path) -> Iterator[Unit]:
    """The tasks and drafts; files with one id have one key, so that none of them is meant."""
    if (project := find_project(root)) is None:
        return
    listed = [(place, archived, _id_of(place)) for place, archived in _files(project)]
    spelled: dict[str, set[str]] = {}
    for _, _, id_ in listed:
        spelled.setdefault(_compared(id_), set()).add(id_)
    recorded = frozenset(subfolders(root / UNLATCH.increments))
    for place, archived, id_ in listed:
        # Of several spellings that of unlatch's records counts.
        key = min(
            spelled[_compared(id_)], key=lambda spelling: (spelling not in recorded, spelling)
        )
        yield Unit(NAME, key, place, archived, is_file=True, statuses=project.statuses)


def _files(project: Project) -> Iterator[tuple[Path, bool]]:
    for within, archived in _PLACES:
        folder = project.folder / within
        beginning = "draft-" if within == DRAFTS else f"{project.prefix}-"
        for name in files_below(folder, ".md", deep=0):
            if name.startswith(beginning):
                yield folder / name, archived


def _id_of(place: Path) -> str:
    """The id in a file's front matter, else in its name."""
    id_ = front_matter.id_in(with_newlines(text_of(place))) or ""
    if _ID.fullmatch(id_):
        return id_.upper()
    if _NUMBERS.fullmatch(id_):
        return f"{_DEFAULT_PREFIX}-{id_}".upper()
    named = _ID.fullmatch(place.stem.partition(" - ")[0])
    return named[0].upper() if named else place.stem


def _compared(id_: str) -> str:
    """An id as the tool compares it: TASK-007 is TASK-7."""
    prefix, _, body = id_.rpartition("-")
    if not _NUMBERS.fullmatch(body):
        return id_
    return f"{prefix}-{'.'.join(part.lstrip('0') or '0' for part in body.split('.'))}"


def home(unit: Unit) -> Path:
    """The file of a task while it is worked on."""
    if not unit.archived:
        return unit.place
    depth = 1 if unit.place.parent.name == COMPLETED else 2
    return unit.place.parents[depth] / _TASKS / unit.place.name


def archive_command(unit: Unit) -> tuple[str, ...]:
    """The program and its arguments that move a finished task to the completed ones.

    `task archive` would write other tasks, too (findings/backlog-archive-dependency.sh).
    """
    is_draft = unit.place.parent.name == DRAFTS
    return () if unit.archived or is_draft else ("backlog", "task", "complete", unit.key)
