"""The commands that machines run all day, each with its floor and the peers that are installed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from shlex import join
from typing import TYPE_CHECKING

from benchmarks import items, many, runs, sessions
from benchmarks.places import DAY, UNLATCH, with_many_increments, write_increment
from unlatch_runs.journal import LOG
from unlatch_sandbox import Sandbox

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from benchmarks.items import Project

    Command = Sequence[str]
    Prepared = Iterator[tuple[Path, list["Row"]]]

LARGE, MANY, LINKED = 20_000, 5000, 7
# Megabytes.
LONG, SHORT = 1000, 10
_BARE = (sys.executable, "-c", "pass")
# Reads one increment after the other, and keeps none.
_READ = """
import json, os, sys
for folder, _, names in os.walk(sys.argv[1]):
    for name in names:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            (json.load if name.endswith(".json") else type(file).read)(file)
"""
_PARSE = """
import json, sys
with open(sys.argv[1], "rb") as file:
    for line in file:
        json.loads(line)
"""
_STATE = """
import sys
from pathlib import Path
from unlatch_runs.journal import read_state
read_state(Path(sys.argv[1]))
"""
# 0: nothing to fix; 5: findings.
_CHECKED = (0, 5)
# git's own remote is a folder here, which the user has to allow.
_GIT = """
[user]
    name = Bench
    email = bench@example.com
[protocol "file"]
    allow = always
"""


@dataclass(frozen=True, slots=True)
class Row:
    """A command of unlatch, and what it is compared with.

    Args:
        command: by the path of the unlatch to run.
        floor: another process that does the least, or the same command with less to do.
        peers: the same work by other programs, by their names.
        cpu_at_most: the maximum ratio of the CPU times; None if time is no matter.
        memory_at_most: the maximum ratio of the peaks of memory; None if memory is no matter.
        before: called before each run, and not measured.
        environ: variables beside those of this process.
        afresh: whether each run begins without what an earlier one cached.
        expected: the exit codes of a command that did not fail.
    """

    what: str
    command: Callable[[str], Sequence[str]]
    floor: Sequence[str]
    floor_name: str
    peers: Mapping[str, Sequence[str]] = field(default_factory=dict)
    cpu_at_most: float | None = None
    memory_at_most: float | None = None
    before: Callable[[], object] = lambda: None
    environ: Mapping[str, str] = field(default_factory=dict)
    afresh: bool = False
    expected: tuple[int, ...] = (0,)


def _line(words: str) -> Callable[[str], Sequence[str]]:
    return lambda program: (program, *words.split())


def _with_python(*arguments: str) -> Callable[[str], Sequence[str]]:
    """A program for the Python of the unlatch to measure."""
    return lambda program: (str(Path(program).with_name("python")), "-c", *arguments)


@contextmanager
def _without_links(_size: float) -> Prepared:
    with tempfile.TemporaryDirectory(prefix="unlatch-bench-") as folder:
        root = Path(folder)
        for number in range(1, 6):
            name = f"{number:04d}-unlinked"
            content = {"id": name, "status": "active", "created": DAY}
            write_increment(root / ".unlatch" / "increments" / name, content, "# Unlinked\n")
        what = "`sync --yes` of 5 increments without links"
        yield root, [Row(what, _line("sync --yes"), _BARE, "python -c pass", cpu_at_most=8)]


@contextmanager
def _linked(_size: float) -> Prepared:
    """A clone and a sync of linked increments, as a CI job does it."""
    with tempfile.TemporaryDirectory(prefix="unlatch-bench-") as folder, Sandbox() as box:
        root = Path(folder)
        (root / ".gitconfig").write_text(_GIT, encoding="utf-8")
        with items.project(box) as quiet, items.project(box) as busy:
            units = [_Unit(quiet, root, pending=False), _Unit(busy, root, pending=True)]
            limits = {"nothing to do": 16, f"{LINKED} comments and a push": 30}
            rows = [
                Row(
                    f"clone and `sync --yes --commit push` of {LINKED} increments, {what}",
                    unit.command,
                    _BARE,
                    "python -c pass",
                    cpu_at_most=at_most,
                    before=unit.renew,
                    environ=unit.environ,
                    afresh=True,
                )
                for unit, (what, at_most) in zip(units, limits.items(), strict=True)
            ]
            yield root, rows


class _Unit:
    """A repository whose increments are linked to issues, pushed anew before each run.

    Args:
        pending: whether it has recorded reopens that nobody has delivered.
    """

    def __init__(self, project: Project, root: Path, *, pending: bool) -> None:
        self._project, self._pending = project, pending
        self._remote, self._clone = root / f"remote-{pending}", root / f"clone-{pending}"
        hosts = project.environ["UNLATCH_TRUSTED_HOSTS"].split(",")
        # Earlier versions named hosts without their trackers.
        hosts += [host.partition("=")[2] for host in hosts]
        self.environ = {**project.environ, "HOME": str(root)}
        self.environ["UNLATCH_TRUSTED_HOSTS"] = ",".join(hosts)
        self._numbers = count(1_000_000 if pending else 1)

    def command(self, program: str) -> Sequence[str]:
        clone = join(["git", "clone", "--quiet", str(self._remote), str(self._clone)])
        return (
            "sh",
            "-c",
            f"{clone} && cd {self._clone} && exec {program} sync --yes --commit push",
        )

    def renew(self) -> None:
        """Make the repository anew with issues of its own."""
        project, git = self._project, self._project.root / ".git"
        for folder in (self._remote, self._clone, git, project.root / ".unlatch" / "increments"):
            shutil.rmtree(folder, ignore_errors=True)
        numbers = [next(self._numbers) for _ in range(LINKED)]
        for number in numbers:
            block = items.github(project.box, number)
            block["base"] = {"local": "completed", "remote": "done", "state": "closed"}
            project.complete(number, github=block)
        if self._pending:
            self._run(*project.resume(numbers[0]), *map(str, numbers[1:]), "--offline")
        self._run("git", "init", "--quiet", "--initial-branch", "main")
        self._run("git", "add", "--all")
        self._run("git", "commit", "--quiet", "--message", "Begin")
        self._run("git", "clone", "--quiet", "--bare", ".", str(self._remote))

    def _run(self, *command: str) -> None:
        environ = {**os.environ, **self.environ}
        subprocess.run(
            command, cwd=self._project.root, env=environ, check=True, capture_output=True
        )


@contextmanager
def _many(size: float) -> Prepared:
    number = max(100, int(MANY * size))
    with with_many_increments(number) as (root, increments):
        names = sorted(path for path in increments.iterdir() if path.name[0].isdigit())
        metadata = names[len(names) // 2] / "metadata.json"
        content, name = metadata.read_bytes(), metadata.parent.name
        read = (sys.executable, "-c", many.LIST, str(increments))
        changed = (sys.executable, "-c", many.CHANGE, str(increments), name)
        with _peers(root, number) as peers:
            yield (
                root,
                [
                    Row(
                        f"`{words}` of {number:,} increments",
                        _line(words),
                        read,
                        "reading every metadata.json",
                        cpu_at_most=at_most,
                    )
                    for words, at_most in (("list --all --json", 2.0), ("status", 1.5))
                ]
                + [
                    Row(
                        f"`pause` of one of {number:,} increments",
                        _line(f"pause {name} --by me"),
                        changed,
                        "reading and replacing its file",
                        peers=peers,
                        cpu_at_most=1.9,
                        before=lambda: metadata.write_bytes(content),
                    )
                ],
            )


@contextmanager
def _peers(root: Path, number: int) -> Iterator[dict[str, Sequence[str]]]:
    """A change of one of as many pieces of work by other programs, as far as they are installed."""
    peers: dict[str, Sequence[str]] = {}
    if task := shutil.which("task"):
        options = [f"rc.data.location={root / 'task'}", "rc.confirmation=off", "rc.gc=off"]
        works = [{"description": f"work {n}", "status": "pending"} for n in range(number)]
        file = root / "tasks.json"
        file.write_text(json.dumps(works), encoding="utf-8")
        (root / "task").mkdir()
        line = ("env", "TASKRC=/dev/null", task, *options)
        subprocess.run([*line, "import", str(file)], check=True, capture_output=True)
        peers["taskwarrior"] = (*line, "5", "modify", "priority:H")
    yield peers


@contextmanager
def _large_tree(size: float) -> Prepared:
    number = max(5, int(LARGE * size))
    with with_many_increments(number) as (root, increments):
        floor, name = (sys.executable, "-c", _READ, str(increments)), "reading their files"
        checked = Row(
            f"`doctor` of {number:,} increments",
            _line("doctor --json"),
            floor,
            name,
            cpu_at_most=25,
            memory_at_most=4,
            expected=_CHECKED,
        )
        what = f"`search`, first index of {number:,} increments"
        command = _line("search something")
        yield root, [checked, Row(what, command, floor, name, cpu_at_most=12, afresh=True)]


@contextmanager
def _long_run(size: float) -> Prepared:
    with tempfile.TemporaryDirectory(prefix="unlatch-bench-") as folder:
        root = Path(folder)
        short, long = root / "short", root / "long"
        for place, number in (
            (long, int(runs.EVENTS * size)),
            (short, int(runs.EVENTS * size) // 10),
        ):
            place.mkdir()
            runs.write_log(place, number)
        what = f"the state of a run from {int(runs.EVENTS * size):,} events"
        state, parse = _with_python(_STATE, str(long)), (sys.executable, "-c", _PARSE)
        lines = (*parse, str(long / LOG))
        less = _with_python(_STATE, str(short))(UNLATCH)
        yield (
            root,
            [
                Row(what, state, lines, "parsing each line", cpu_at_most=1.6),
                Row(what, state, less, "that from a tenth", memory_at_most=1.2),
            ],
        )


@contextmanager
def _sessions(size: float) -> Prepared:
    with tempfile.TemporaryDirectory(prefix="unlatch-bench-") as folder:
        root = Path(folder)
        number = int(sessions.COUNT * size)
        floor = (sys.executable, "-c", sessions.FLOOR, str(sessions.write_sessions(root, number)))
        query, stats = (f"session {words}" for words in sessions.COMMANDS[1:])
        yield (
            root,
            [
                Row(
                    f"`{words}` over {number:,} sessions{when}",
                    _line(words),
                    floor,
                    "reading the files",
                    cpu_at_most=at_most,
                    afresh=bool(when),
                )
                for words, when, at_most in (
                    (query, ", the first", 12),
                    (query, "", 1.5),
                    (stats, "", 1.5),
                )
            ],
        )


@contextmanager
def _long_transcript(size: float) -> Prepared:
    with tempfile.TemporaryDirectory(prefix="unlatch-bench-") as folder:
        root = Path(folder)
        (root / ".unlatch" / "increments").mkdir(parents=True)
        for megabytes in (LONG, SHORT):
            _write_transcript(root / f"{megabytes}.jsonl", int(megabytes * size * 1_000_000), root)
        long, short = (_line(f"session import {n}.jsonl --json") for n in (LONG, SHORT))
        what, than = (f"`session import` of {n * size:g} MB" for n in (LONG, SHORT))
        yield root, [Row(what, long, short(UNLATCH), than, memory_at_most=1.2, afresh=True)]


def _write_transcript(path: Path, size: int, root: Path) -> None:
    """A session of Claude Code in which a person and the model take turns."""
    common = {"sessionId": path.stem, "version": "2.1.197", "isSidechain": False, "cwd": str(root)}
    parent, number = None, 0
    with path.open("w", encoding="utf-8") as file:
        while file.tell() < size:
            role = ("user", "assistant")[number % 2]
            content = [{"type": "text", "text": f"{number}: {'as it was before ' * 50}"}]
            line = {
                "parentUuid": parent,
                "type": role,
                "uuid": f"u{number}",
                "timestamp": "2026-01-01T09:00:00.000Z",
                "message": {"role": role, "id": f"m{number}", "content": content},
            }
            file.write(json.dumps({**common, **line}) + "\n")
            parent, number = line["uuid"], number + 1


# In the order of the table in docs/benchmarks.md.
PREPARATIONS = (
    _without_links,
    _linked,
    _many,
    _large_tree,
    _long_run,
    _sessions,
    _long_transcript,
)
