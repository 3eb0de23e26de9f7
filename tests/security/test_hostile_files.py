"""No file of a repository leads a command out of it, keeps it waiting, or stops it for the rest."""

import contextlib
import hashlib
import itertools
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest
from tests.cli.project import NAME, WORKER, Done, Project
from tests.pairs import sampled
from tests.security import hostile_files as hostile
from tests.security.hostile_files import REPOSITORIES, SECRET, Outside
from tests.security.programs import Program
from tests.security.test_programs import DECLARED, EXAMPLES, RESUME, lay_files

from unlatch.worklog.disk.file_check import UnsafePath
from unlatch.worklog.disk.safe_open import read_file

# They work in folders of their own, or in none.
WITHOUT_PROJECT = {"demo", "effort demo", "run demo", "sandbox", "completion"}
# It reads a protocol from a real stdin, and starts the other commands.
SERVES = {"mcp"}
# The trackers' groups are one implementation, so one of them stands for all.
COMMANDS = [
    name
    for name in DECLARED
    if name not in WITHOUT_PROJECT | SERVES and name.split()[0] not in {"ado", "jira"}
]
SECONDS = 60


@pytest.fixture
def outside(tmp_path: Path) -> Outside:
    made = Outside(tmp_path / "outside")
    made.build()
    return made


@contextlib.contextmanager
def in_time(what: str) -> Iterator[None]:
    """End the processes that wait for a pipe's writer."""

    def stop(*_: object) -> NoReturn:
        raise AssertionError(f"{what} did not end")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def run(project: Project, name: str) -> Done:
    """Run a command as its example has it; it starts no programs but those that it declares."""
    example = EXAMPLES[name]
    event = project.home / "event.json"
    event.write_text("{}")
    version = project.home / "version.json"
    version.write_text("{}")
    words = {"github": project.urls["github"], "event": event, "version": version, "worker": WORKER}
    arguments = [one.format_map(words) if one[:1] == "{" else one for one in example.arguments]
    with in_time(name), observed() as started:
        done = project.run(*name.split(), *arguments, stdin=example.stdin)
    known = {"git": {Program.GIT}, Path(sys.executable).name: {Program.UNLATCH, Program.WORKER}}
    assert [] == [one for one in started if not known.get(one, set()) & DECLARED[name]]
    return done


@contextlib.contextmanager
def observed() -> Iterator[list[str]]:
    """The names of the programs that this process starts."""
    started: list[str] = []
    real = subprocess.Popen.__init__

    def observe(process: Any, argv: Any, *args: Any, **kwargs: Any) -> None:
        started.append(Path(argv[0]).name)
        real(process, argv, *args, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subprocess.Popen, "__init__", observe)
        yield started


def start(project: Project, name: str) -> None:
    hostile.prepare(project)
    lay_files(project)
    for arguments in EXAMPLES[name].before:
        project.run(*arguments)


def inside(project: Project) -> str:
    """All that is in the project itself."""
    paths = (path for path in project.root.rglob("*") if not path.is_symlink() and path.is_file())
    small = (path for path in paths if path.stat().st_size < hostile.TOO_LARGE)
    return b"\n".join(path.read_bytes() for path in small).decode(errors="replace")


# How those that look at every increment say that they could not: the doctor finds errors, the
# migration begins only when it can move all, and sync leaves something unchecked.
INCOMPLETE = {"doctor": 1, "migrate": 1, "sync": 5}


# One module reads the increments for all commands, and one module writes.
BY_INCREMENTS = sampled(COMMANDS, {*COMMANDS[3::16], *INCOMPLETE, "list"})
WRITING = sampled(COMMANDS, {*COMMANDS[7::16], "resume"})
# Each kind for a command, and links everywhere for those that write or look at everything.
CHOSEN = {*zip(COMMANDS[1::4], REPOSITORIES, strict=False)} | {
    (name, "all links") for name in ("complete", "merge", "resume", "session publish", *INCOMPLETE)
}
PAIRS = [
    pytest.param(*pair, marks=() if pair in CHOSEN else pytest.mark.sweep)
    for pair in itertools.product(COMMANDS, REPOSITORIES)
]


@pytest.mark.parametrize(("name", "kind"), PAIRS)
def test_no_command_leaves_the_project(
    project: Project, outside: Outside, name: str, kind: str
) -> None:
    start(project, name)
    REPOSITORIES[kind](project, outside)
    before = outside.state()

    done = run(project, name)

    assert "Traceback" not in done.said
    assert "[unexpected]" not in done.said
    assert SECRET not in done.said.replace(str(outside.root), "")
    assert before == outside.state()
    assert SECRET not in inside(project)
    assert SECRET not in json.dumps(project.comments())


@pytest.mark.parametrize("name", WRITING)
def test_a_hard_link_is_not_written_through(project: Project, outside: Outside, name: str) -> None:
    start(project, name)
    hostile.HARD_LINKED(project, outside)
    before = {path: path.read_bytes() for path in outside.root.rglob(hostile.EVENTS)}

    done = run(project, name)

    assert "Traceback" not in done.said
    assert before == {path: path.read_bytes() for path in outside.root.rglob(hostile.EVENTS)}


@pytest.mark.parametrize("name", BY_INCREMENTS)
def test_broken_neighbours_cost_themselves_alone(
    project: Project, outside: Outside, name: str
) -> None:
    start(project, name)
    hostile.lay_neighbours(project, outside)
    before = outside.state()

    done = run(project, name)

    assert done.code in EXAMPLES[name].codes | {INCOMPLETE.get(name, 0)}, done.said
    assert SECRET not in done.said.replace(str(outside.root), "")
    assert before == outside.state()


def test_list_says_what_is_wrong_with_each(project: Project, outside: Outside) -> None:
    hostile.prepare(project)
    names = hostile.lay_neighbours(project, outside)

    listed = project.run("list", "--all", "--json").document

    broken = {one["id"]: one["broken"]["id"] for one in listed if one["broken"]}
    expected = ["unsafe-path", "unsafe-path", "not-a-file", "not-a-file", "not-a-file"]
    expected += ["file-too-large", "metadata-invalid", "unsafe-path", "unsafe-path"]
    assert dict(zip(names, expected, strict=True)) == broken
    assert set(hostile.NAMES) == {one["id"] for one in listed} - broken.keys()


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        ("metadata links", "unsafe-path"),
        ("metadata pipes", "not-a-file"),
        ("metadata sockets", "not-a-file"),
        ("large metadata", "file-too-large"),
        ("linked increments", "unsafe-path"),
        ("linked folder", "unsafe-path"),
        ("increments pipe", "folder-unreadable"),
        ("dangling folder", "unsafe-path"),
        ("linked home", "unsafe-path"),
        ("dangling home", "unsafe-path"),
        ("linked config", "unsafe-path"),
        ("config pipe", "not-a-file"),
    ],
)
def test_an_error_names_the_place(
    project: Project, outside: Outside, kind: str, error: str
) -> None:
    hostile.prepare(project)
    REPOSITORIES[kind](project, outside)

    done = project.run(*RESUME)

    assert (1, True) == (done.code, f"error[{error}]" in done.err), done.said
    assert str(project.root / ".unlatch") in done.err


@pytest.mark.parametrize("command", ["list", "status", "sync", "doctor"])
def test_a_file_in_place_of_all_increments_is_no_empty_project(
    project: Project, outside: Outside, command: str
) -> None:
    hostile.prepare(project)
    REPOSITORIES["increments pipe"](project, outside)

    done = project.run(command)

    assert (1, True) == (done.code, "folder-unreadable" in done.said), done.said


def test_an_event_is_not_appended_through_a_hard_link(project: Project, outside: Outside) -> None:
    hostile.prepare(project)
    hostile.HARD_LINKED(project, outside)

    done = project.run(*RESUME)

    assert (1, True) == (done.code, "error[unsafe-path]" in done.err)
    assert "hard link" in done.err
    assert "completed" == project.metadata()["status"]


@pytest.mark.parametrize("wanted", ["../0007-x", "0007-x/../../..", "_archive/../0007-x", ".."])
def test_an_id_leads_nowhere(project: Project, outside: Outside, wanted: str) -> None:
    hostile.prepare(project)
    (project.increments.parent / "0007-x").mkdir()
    before = outside.state()

    done = project.run("resume", wanted, *RESUME[2:])

    assert (2, "unknown-increment") == (done.code, done.err.partition("[")[2].partition("]")[0])
    assert before == outside.state()


def another_project(project: Project, tmp_path: Path) -> tuple[Path, Path]:
    """A project elsewhere, behind a link among the increments; also its way through the link."""
    theirs = tmp_path / "theirs"
    metadata = theirs / ".unlatch/increments" / NAME / "metadata.json"
    metadata.parent.mkdir(parents=True)
    metadata.write_text('{"of": "another project"}\n')
    (project.increments / "x").symlink_to(theirs)
    return metadata, project.increments / "x" / metadata.relative_to(theirs)


def test_a_project_behind_a_link_is_no_root_of_its_own(project: Project, tmp_path: Path) -> None:
    hostile.prepare(project)
    _, through = another_project(project, tmp_path)

    with pytest.raises(UnsafePath):
        read_file(through)


def test_a_journal_that_came_with_the_clone_undoes_nothing_elsewhere(
    project: Project, tmp_path: Path
) -> None:
    hostile.prepare(project)
    metadata, through = another_project(project, tmp_path)
    before = metadata.read_bytes()
    edit = {
        "path": through.relative_to(project.root).as_posix(),
        "before": "{}\n",
        "after": hashlib.sha256(before).hexdigest(),
    }
    name = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
    journal = {"formatVersion": 1, "id": name, "at": "2025-01-01T00:00:00Z", "by": "a"}
    journals = project.root / ".unlatch/migrations"
    journals.mkdir()
    (journals / f"{name}.json").write_text(
        json.dumps({**journal, "state": "done", "moves": [], "files": [edit]})
    )

    done = project.run("migrate", "--undo", "--yes")

    assert "a migration does not change" in done.err, done.said
    assert before == metadata.read_bytes()


def test_names_that_differ_in_case_are_told_apart(project: Project) -> None:
    hostile.prepare(project)
    twin = NAME.upper()
    if project.folder(twin).exists():
        pytest.skip("this file system does not tell cases apart")
    project.increment(twin)

    by_number, by_name = project.run("show", "7"), project.run("resume", twin, *RESUME[2:])

    assert "ambiguous-increment" in by_number.err
    assert 0 == by_name.code
    assert ("completed", "active") == (
        project.metadata()["status"],
        project.metadata(twin)["status"],
    )


@pytest.mark.parametrize(
    "place", [".unlatch", ".unlatch/increments", f".unlatch/increments/{NAME}"]
)
def test_the_user_allows_a_link(project: Project, tmp_path: Path, place: str) -> None:
    hostile.prepare(project)
    elsewhere = tmp_path / "elsewhere" / "theirs"
    elsewhere.parent.mkdir()
    (project.root / place).rename(elsewhere)
    (project.root / place).symlink_to(elsewhere)
    refused = project.run(*RESUME)
    config = project.home / ".config" / "unlatch" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(f"allowed_links = [{json.dumps(str(tmp_path / 'elsewhere'))}]\n")

    allowed = project.run(*RESUME)

    assert (1, True) == (refused.code, "error[unsafe-path]" in refused.err)
    assert (0, "active") == (allowed.code, project.metadata()["status"]), allowed.said
    assert (project.root / place).is_symlink()


def test_an_allowed_folder_does_not_allow_what_it_links_to(
    project: Project, outside: Outside, tmp_path: Path
) -> None:
    hostile.prepare(project)
    allowed = tmp_path / "elsewhere"
    project.increments.rename(allowed)
    project.increments.symlink_to(allowed)
    config = project.home / ".config" / "unlatch" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(f"allowed_links = [{json.dumps(str(allowed))}]\n")
    (allowed / "0010-x").symlink_to(outside.root / "increments" / NAME)
    before = outside.state()

    done = project.run("resume", "10", *RESUME[2:])

    assert (1, True) == (done.code, "error[unsafe-path]" in done.err)
    assert before == outside.state()


def test_a_folder_that_is_swapped_for_a_link_while_commands_run_is_not_followed(
    project: Project, outside: Outside
) -> None:
    hostile.prepare(project)
    folder, real = project.folder(), project.increments / "real"
    target, before = outside.root / "increments" / NAME, outside.state()
    over = threading.Event()

    def swap() -> None:
        for turn in itertools.count():
            if over.is_set() and turn % 2 == 0:
                return
            if turn % 2:
                folder.unlink()
                real.rename(folder)
            else:
                folder.rename(real)
                folder.symlink_to(target)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        said = [project.run(*("show", "7") if turn % 2 else RESUME).said for turn in range(30)]
    finally:
        over.set()
        thread.join()

    assert SECRET not in "".join(said)
    assert before == outside.state()


LINES = (
    "[" * 100_000,
    '{"id": ' + "[" * 500 + "]" * 500 + "}",
    '{"id": ' + "9" * 10_000 + "}",
    json.dumps({"id": "x", "at": "y", "event": "z", "reason": "w" * (2 << 20)}),
)


def test_an_event_that_cannot_be_read_costs_itself_alone(project: Project) -> None:
    hostile.prepare(project)
    assert 0 == project.run(*RESUME).code
    path = project.folder() / hostile.EVENTS
    path.write_text("\n".join([*LINES, path.read_text()]))

    history, synced = project.run("history", "7", "--json"), project.run("sync", "--yes")
    checked = project.run("doctor", "--json")

    assert (0, 0) == (history.code, synced.code), synced.said
    assert "reopened" in {one["event"] for one in history.document["events"]}
    found = [
        one["where"] for one in checked.document["findings"] if one["id"] == "event-unreadable"
    ]
    events = f".unlatch/increments/{NAME}/events.jsonl"
    assert [f"{events}:{number}" for number in range(1, len(LINES) + 1)] == found


def test_the_canary_is_seen_where_nothing_is_in_its_way(
    project: Project, outside: Outside, tmp_path: Path
) -> None:
    hostile.prepare(project)
    REPOSITORIES["all links"](project, outside)
    hidden = os.fspath(outside.root / "increments" / NAME / hostile.SPEC)

    assert SECRET in (project.folder() / hostile.SPEC).read_text()
    assert str(tmp_path) in hidden
