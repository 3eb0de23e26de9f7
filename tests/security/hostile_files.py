"""Repositories with deceptive files, and a place outside that must stay unchanged."""

import json
import os
import shutil
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.cli import scoped
from tests.cli.project import Project

SECRET = "canary-3f9a"
METADATA, SPEC, TASKS, EVENTS = FILES = ("metadata.json", "spec.md", "tasks.md", "events.jsonl")
COMPLETED, ACTIVE, PLANNED = NAMES = ("0007-smart-discipline", "0008-active", "0009-planned")
# A little more than the largest that is read.
TOO_LARGE = (64 << 20) + 1


@dataclass(frozen=True)
class Outside:
    """Another project, to which nothing may happen and of which nothing may be said."""

    root: Path

    def build(self) -> None:
        """Files that every command would understand."""
        for name in NAMES:
            folder = self.root / "increments" / name
            folder.mkdir(parents=True)
            status = {COMPLETED: "completed", ACTIVE: "active", PLANNED: "planning"}[name]
            metadata = {"id": name, "status": status, "type": SECRET, "created": "2025-10-01"}
            event = {"id": "01K8N4BR6MZBWDF47X3NXF1PZM", "at": "2025-10-01T00:00:00Z"}
            event |= {"event": "created", "by": SECRET, "to": "planning"}
            (folder / METADATA).write_text(json.dumps(metadata))
            (folder / SPEC).write_text(
                f"---\ntitle: {SECRET}\nstatus: {status}x\n---\n\n# {SECRET}\n"
            )
            (folder / TASKS).write_text(f"# Tasks\n\n### T-001: {SECRET}\n\n- [ ] {SECRET}\n")
            (folder / EVENTS).write_text(json.dumps(event) + "\n")
            (folder / f".{SECRET}.unlatch.tmp").write_text(SECRET)
        (self.root / "config.toml").write_text(f"{SECRET} = 1\n")
        (self.root / "config.json").write_text(
            json.dumps({"limits": {"maxActiveIncrements": SECRET}})
        )
        (self.root / "migrations").mkdir()
        (self.root / "migrations" / "01K8N4BR6MZBWDF47X3NXF1PZM.json").write_text(SECRET)

    def state(self) -> dict[str, tuple[object, ...]]:
        """Everything about it that a command could change."""
        found: dict[str, tuple[object, ...]] = {}
        for path in sorted(self.root.rglob("*")):
            about = path.lstat()
            content = path.read_bytes() if path.is_file() else None
            found[str(path)] = (content, about.st_mode, about.st_mtime_ns, about.st_ino)
        return found


def prepare(project: Project) -> None:
    """Three increments to work on, in a git repository."""
    project.increment(links=project.items())
    scoped.write(project)
    project.increment(ACTIVE, status="active")
    project.increment(PLANNED, status="planning")
    project.commit()


def _link(path: Path, target: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)


def _each(*files: str) -> Callable[[Callable[[Path, Path], None]], Callable[..., None]]:
    """Do something to these files of every increment."""

    def of(spoil: Callable[[Path, Path], None]) -> Callable[[Project, Outside], None]:
        def lay(project: Project, outside: Outside) -> None:
            for name in NAMES:
                for file in files:
                    spoil(project.folder(name) / file, outside.root / "increments" / name / file)

        return lay

    return of


def _dangling(path: Path, target: Path) -> None:
    _link(path, target.parent / f"new-{target.name}")


def _pipe(path: Path, _: Path) -> None:
    path.unlink(missing_ok=True)
    os.mkfifo(path)


def _folder(path: Path, _: Path) -> None:
    path.unlink(missing_ok=True)
    path.mkdir()


def _socket(path: Path, _: Path) -> None:
    path.unlink(missing_ok=True)
    here = os.open(".", os.O_RDONLY)
    try:
        os.chdir(path.parent)  # a socket's path is short
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.fchdir(here)
        os.close(here)


def _oversize(path: Path, _: Path) -> None:
    with path.open("ab") as file:
        file.truncate(TOO_LARGE)


def _hard_link(path: Path, target: Path) -> None:
    path.unlink(missing_ok=True)
    path.hardlink_to(target)


def _whole_folders(project: Project, outside: Outside) -> None:
    for name in NAMES:
        _link(project.folder(name), outside.root / "increments" / name)


def _leads(place: str, target: str, *, alone: bool = False) -> Callable[..., None]:
    """A link at a place of the project; with `alone`, its increments are gone."""

    def lay(project: Project, outside: Outside) -> None:
        if alone:
            shutil.rmtree(project.increments)
        _link(project.root / place, outside.root / target)

    return lay


def _piped(place: str) -> Callable[..., None]:
    """A pipe at a place of the project."""

    def lay(project: Project, _: Outside) -> None:
        path = project.root / place
        if path.is_dir():
            shutil.rmtree(path)
        _pipe(path, path)

    return lay


DOCUMENTS = (SPEC, TASKS, EVENTS)
# Of each increment that the examples name; `hard links` may be read, but not written through.
REPOSITORIES = {
    "metadata links": _each(METADATA)(_link),
    "document links": _each(*DOCUMENTS)(_link),
    "all links": _each(*FILES)(_link),
    "dangling metadata": _each(METADATA)(_dangling),
    "dangling documents": _each(*DOCUMENTS)(_dangling),
    "metadata pipes": _each(METADATA)(_pipe),
    "document pipes": _each(*DOCUMENTS)(_pipe),
    "document folders": _each(*DOCUMENTS)(_folder),
    "metadata sockets": _each(METADATA)(_socket),
    "document sockets": _each(*DOCUMENTS)(_socket),
    "large metadata": _each(METADATA)(_oversize),
    "large documents": _each(*DOCUMENTS)(_oversize),
    "linked increments": _whole_folders,
    "linked folder": _leads(".unlatch/increments", "increments"),
    "dangling folder": _leads(".unlatch/increments", "nothing-yet"),
    "increments pipe": _piped(".unlatch/increments"),
    "linked home": _leads(".unlatch", ""),
    "dangling home": _leads(".unlatch", "nothing-yet"),
    "linked .specweave": _leads(".specweave", "", alone=True),
    "linked archive": _leads(".unlatch/increments/_archive", "increments", alone=True),
    "linked config": _leads(".unlatch/config.toml", "config.toml"),
    "config pipe": _piped(".unlatch/config.toml"),
    "linked config.json": _leads(".specweave/config.json", "config.json"),
    "linked migrations": _leads(".unlatch/migrations", "migrations"),
    "linked attributes": _leads(".gitattributes", "config.toml"),
}
HARD_LINKED = _each(EVENTS)(_hard_link)


def lay_neighbours(project: Project, outside: Outside) -> list[str]:
    """Broken increments beside sound ones; their names."""
    spoilers = {"link": _link, "dangling": _dangling, "pipe": _pipe, "folder": _folder}
    spoilers |= {"socket": _socket, "oversize": _oversize, "deep": _deep}
    target = outside.root / "increments" / COMPLETED / METADATA
    names = []
    for number, (kind, spoil) in enumerate(spoilers.items(), start=20):
        names.append(project.increment(f"{number:04d}-{kind}"))
        spoil(project.folder(names[-1]) / METADATA, target)
    names.append("0030-linked")
    _link(project.folder(names[-1]), outside.root / "increments" / COMPLETED)
    _link(project.increments / "_other", outside.root / "increments")
    return [*names, "_other"]


def _deep(path: Path, _: Path) -> None:
    path.write_text("[" * 100_000 + "]" * 100_000)
