"""Locks between real processes, and between threads."""

import errno
import fcntl
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import pytest
from tests.changes import reopen
from tests.increments.files.making import NOW, Project, github, metadata, tree, ulid

from unlatch.errors import StoreError, UsageError
from unlatch.increments.files import locks
from unlatch.increments.files.linking import link
from unlatch.increments.files.locks import ACTIVE, MIGRATE, NEW, SYNC, delivery_lock, store_lock
from unlatch.increments.files.outbox import enqueue
from unlatch.spi.operation import Kind, Operation
from unlatch.worklog.disk import flock
from unlatch.worklog.disk.atomic import replace_file

NAME = "0013-v0.8.0-search"
OTHER = "0007-search"

STORE, DELIVERY = ("store", OTHER), ("delivery", OTHER)

_HOLDER = """
import sys
from contextlib import ExitStack
from pathlib import Path
from unlatch.worklog.disk.atomic import replace_file
from unlatch.increments.files.paths import paths_at
from unlatch.increments.files.locks import delivery_lock, store_lock

paths, name = paths_at(Path(sys.argv[1])), sys.argv[2]
with store_lock(paths, name), delivery_lock(paths, name, patience=0):
    print("held", flush=True)
    for line in sys.stdin:
        path = Path(line.rstrip())
        replace_file(path, path.read_bytes())
        print("replaced", flush=True)
"""


@dataclass(frozen=True)
class Holder:
    """Another process that holds locks until its input ends."""

    process: subprocess.Popen[str]
    said: IO[str]

    def replace(self, path: Path) -> None:
        """Let it replace a file by an equal one."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{path}\n")
        self.process.stdin.flush()
        assert self.said.readline() == "replaced\n"

    def end(self) -> None:
        self.process.communicate("")

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


@contextmanager
def holding(project: Project, name: str) -> Iterator[Holder]:
    """Let another process hold both locks of an increment."""
    command = [sys.executable, "-c", _HOLDER, str(project.root), name]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield Holder(process, process.stdout)
        if process.poll() is None:
            process.communicate("")


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "STORE_PATIENCE", 0.05)


def lock(project: Project, kind: str, name: str) -> AbstractContextManager[None]:
    paths = project.manager.paths
    return store_lock(paths, name) if kind == "store" else delivery_lock(paths, name, patience=0)


@contextmanager
def held(project: Project, *wanted: tuple[str, str]) -> Iterator[None]:
    """Hold locks here, which exclude this process like any other."""
    with ExitStack() as stack:
        for kind, name in wanted:
            stack.enter_context(lock(project, kind, name))
        yield


def is_free(project: Project, kind: str, name: str) -> bool:
    try:
        with lock(project, kind, name):
            return True
    except StoreError as error:
        if error.id != "locked":
            raise
        return False


# ---- exclusion ----------------------------------------------------------------------------------


@pytest.mark.usefixtures("impatient")
def test_a_second_process_does_not_change_the_increment(project: Project) -> None:
    folder = project.add(metadata(), name=NAME)
    before = project.text(NAME)
    with holding(project, NAME), pytest.raises(StoreError) as caught:
        reopen(project.manager, "13", "why", "ada")
    assert ("locked", str(folder)) == (caught.value.id, caught.value.where)
    assert f"another process is changing {NAME}" == caught.value.message
    assert "wait for it to finish, then run the command again" == caught.value.hint
    assert before == project.text(NAME)


@pytest.mark.usefixtures("impatient")
def test_a_lock_dies_with_its_process(project: Project) -> None:
    project.add(metadata(), name=NAME)
    with holding(project, NAME) as holder:
        holder.kill()
        assert reopen(project.manager, "13", "why", "ada")[0].id == NAME
        assert is_free(project, "delivery", NAME)


def test_delivering_keeps_no_local_command_waiting(project: Project) -> None:
    project.add(metadata())
    with delivery_lock(project.manager.paths, OTHER, patience=0):
        reopen(project.manager, "7", "why", "ada")
        assert not is_free(project, "delivery", OTHER)
    assert is_free(project, "delivery", OTHER)


def test_a_lock_is_given_back_when_its_body_fails(project: Project) -> None:
    project.add(metadata())
    with pytest.raises(KeyError), store_lock(project.manager.paths, OTHER):
        raise KeyError
    assert is_free(project, "store", OTHER)


_FORKED = """
import os, sys
from pathlib import Path
from unlatch.increments.files.paths import paths_at
from unlatch.increments.files.locks import delivery_lock

paths = paths_at(Path(sys.argv[1]))
reading, writing = os.pipe()
with delivery_lock(paths, sys.argv[2], patience=0):
    child = os.fork()
    if child == 0:
        os.read(reading, 1)
        os._exit(0)
with delivery_lock(paths, sys.argv[2], patience=0):
    os.write(writing, b"x")
os.waitpid(child, 0)
"""


def test_a_process_that_was_started_meanwhile_does_not_keep_the_lock(project: Project) -> None:
    project.add(metadata())
    subprocess.run([sys.executable, "-c", _FORKED, str(project.root), OTHER], check=True)


# ---- one lock does not block another ------------------------------------------------------------

# Outer ones first, as commands nest them.
NESTED = [
    ("delivery", SYNC),
    ("store", ACTIVE),
    ("delivery", OTHER),
    ("delivery", NAME),
    ("store", OTHER),
]


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("outer", [[], [("store", MIGRATE)], NESTED[:1], NESTED[:2], NESTED[:4]])
def test_locks_nest(project: Project, outer: list[tuple[str, str]]) -> None:
    project.add(metadata(), name=NAME)
    project.add(metadata())
    with held(project, *outer):
        free = [one for one in (*NESTED, ("store", NAME), ("store", NEW)) if is_free(project, *one)]
    expected = [one for one in (*NESTED, ("store", NAME), ("store", NEW)) if one not in outer]
    if ("store", MIGRATE) in outer:  # one moves the files that the other commits
        expected.remove(("delivery", SYNC))
    assert expected == free


def test_making_an_increment_in_vain_leaves_no_folder(project: Project) -> None:
    project.increments.rmdir()
    project.increments.parent.rmdir()
    with pytest.raises(UsageError):
        project.manager.create("!?", kind="bug", by="ada")
    assert [] == list(project.root.iterdir())


def test_a_waiting_process_locks_the_new_file(project: Project) -> None:
    path = project.add(metadata()) / "metadata.json"
    paths = project.manager.paths
    with ThreadPoolExecutor(1) as pool:
        with store_lock(paths, OTHER):
            waiting = pool.submit(lambda: reopen(project.manager, "7", "why", "ada"))
            replace_file(path, path.read_bytes().replace(b"feature", b"bugfix "))
        waiting.result(timeout=20)
    assert ("active", "bugfix ") == (project.data()["status"], project.data()["type"])


# ---- what is locked may move --------------------------------------------------------------------


def test_a_folder_that_went_away_is_an_error(project: Project) -> None:
    with (
        pytest.raises(StoreError) as caught,
        delivery_lock(project.manager.paths, OTHER, patience=0),
    ):
        pass
    assert ("folder-vanished", str(project.increments / OTHER)) == (
        caught.value.id,
        caught.value.where,
    )


# ---- what a clone brings along ------------------------------------------------------------------


@pytest.mark.usefixtures("impatient")
def test_locking_writes_nothing(project: Project) -> None:
    folder = project.add(metadata())
    before = {path: path.lstat().st_mtime_ns for path in project.root.rglob("*")}
    with held(project, *(("store", name) for name in (MIGRATE, ACTIVE, NEW)), DELIVERY, STORE):
        during = {path: path.lstat().st_mtime_ns for path in project.root.rglob("*")}
    assert before == during
    assert ["metadata.json"] == sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("kind", ["store", "delivery"])
def test_a_link_in_the_place_of_an_increment_is_not_followed(
    project: Project, kind: str, tmp_path: Path
) -> None:
    folder = project.add(metadata())
    folder.rename(tmp_path / "outside")
    folder.symlink_to(tmp_path / "outside")
    with pytest.raises(StoreError) as caught:
        is_free(project, kind, OTHER)
    assert ("unsafe-path", str(folder)) == (caught.value.id, caught.value.where)


@pytest.mark.parametrize(("kind", "id"), [("link", "unsafe-path"), ("pipe", "not-a-file")])
def test_what_is_no_file_in_the_place_of_metadata_is_refused(
    project: Project, tmp_path: Path, kind: str, id: str
) -> None:
    path, outside = project.add(metadata()) / "metadata.json", tmp_path / "outside.json"
    path.rename(outside)
    if kind == "link":
        path.symlink_to(outside)
    else:
        os.mkfifo(path)
    with pytest.raises(StoreError) as caught:
        reopen(project.manager, "7", "why", "ada")
    assert (id, str(path)) == (caught.value.id, caught.value.where)
    assert metadata() == json.loads(outside.read_bytes())


# ---- systems ------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", ["ENOSYS", "ENOTSUP", "EOPNOTSUPP", "ENOLCK", "EBADF", "EIO"])
def test_a_file_system_without_locks_is_refused(
    project: Project, monkeypatch: pytest.MonkeyPatch, number: str
) -> None:
    failure = OSError(getattr(errno, number), "no locks here")

    def flock(_file: object, _operation: int) -> None:
        raise failure

    folder = project.add(metadata())
    before = tree(folder)
    monkeypatch.setattr(fcntl, "flock", flock)
    with pytest.raises(StoreError) as caught:
        reopen(project.manager, "7", "why", "ada")
    assert before == tree(folder)
    if number == "EIO":  # the lock failed for another reason
        assert caught.value.id == "not-writable"
        assert "no locks here" in caught.value.message
    else:
        assert caught.value.id == "lock-unsupported"
        assert caught.value.hint == "move the repository to a local disk"


def test_a_system_that_cannot_lock_folders_locks_by_a_file(tmp_path: Path) -> None:
    path = tmp_path / "locks" / "0007-search.store"
    with (
        flock.hold_file(path, patience=0),
        pytest.raises(TimeoutError),
        flock.hold_file(path, patience=0),
    ):
        pass
    with flock.hold_file(path, patience=0):
        pass


# ---- many at once -------------------------------------------------------------------------------


def test_threads_that_write_at_once_lose_nothing(project: Project) -> None:
    project.add(metadata(status="active"))

    def write(number: int) -> None:
        if number % 2:
            link(project.manager, "7", [github(number)], by="ada")
        else:
            operation = Operation(ulid(900 + number), Kind.UPDATE, "jira", f"A-{number}", NOW, "b")
            enqueue(project.manager, "7", operation)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(24)))
    found = project.manager.read("7")
    assert sorted(int(known.item) for known in found.links) == list(range(1, 24, 2))
    assert sorted(o.item for o in found.pending) == sorted(f"A-{n}" for n in range(0, 24, 2))
    assert len(project.events()) == 12
