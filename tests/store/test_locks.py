from __future__ import annotations

import errno
import fcntl
import json
import os
import platform
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.store.making import NOW, Project, github, metadata, tree, ulid

from unlatch.domain.operation import Kind, Operation
from unlatch.errors import StoreError
from unlatch.store import locks
from unlatch.store.linking import link
from unlatch.store.locks import delivery_lock, store_lock
from unlatch.store.outbox import owe

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NAME = "0013-v0.8.0-search"

_HOLDER = """
import sys
from pathlib import Path
from unlatch.store.layout import layout_at
from unlatch.store.locks import store_lock

with store_lock(layout_at(Path(sys.argv[1])), sys.argv[2]):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(project: Project) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the store lock until its input ends."""
    command = [sys.executable, "-c", _HOLDER, str(project.root), NAME]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        if process.poll() is None:
            process.communicate("")


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "STORE_PATIENCE", 0.05)


@pytest.mark.usefixtures("impatient")
def test_a_second_process_is_told_who_holds_the_lock(
    project: Project, holder: subprocess.Popen[str]
) -> None:
    project.add(metadata(), name=NAME)
    before = project.text(NAME)
    with pytest.raises(StoreError) as caught:
        project.manager.reopen("13", "why", "ada")
    assert caught.value.id == "locked"
    assert f"{NAME} is being changed by process {holder.pid} on " in caught.value.message
    assert project.text(NAME) == before


@pytest.mark.usefixtures("impatient", "holder")
def test_reading_and_other_increments_need_no_lock(project: Project) -> None:
    project.add(metadata(), name=NAME)
    project.add(metadata())
    assert project.manager.read("13").id == NAME
    assert len(project.manager.list()) == 2
    assert project.manager.reopen("7", "why", "ada")[0].id == "0007-search"


@pytest.mark.usefixtures("impatient")
def test_a_lock_dies_with_its_process(project: Project, holder: subprocess.Popen[str]) -> None:
    project.add(metadata(), name=NAME)
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    assert project.manager.reopen("13", "why", "ada")[0].id == NAME


def test_a_lock_is_free_once_its_holder_is_done(
    project: Project, holder: subprocess.Popen[str]
) -> None:
    project.add(metadata(), name=NAME)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(project.manager.reopen, "13", "why", "ada")
        holder.communicate("")
        assert waiting.result(timeout=20)[0].id == NAME


def test_delivering_keeps_no_local_command_waiting(project: Project) -> None:
    project.add(metadata())
    with delivery_lock(project.manager.layout, "0007-search", patience=0):
        project.manager.reopen("7", "why", "ada")
        with (
            pytest.raises(StoreError) as caught,
            delivery_lock(project.manager.layout, "0007-search", patience=0),
        ):
            pass
    assert caught.value.id == "locked"
    assert f"process {os.getpid()} on " in caught.value.message


def test_a_lock_is_given_back_when_its_body_fails(project: Project) -> None:
    layout = project.manager.layout
    with pytest.raises(KeyError), store_lock(layout, "x"):
        raise KeyError
    with store_lock(layout, "x"):
        assert (layout.local / "locks" / "x.store.holder").exists()
    assert not (layout.local / "locks" / "x.store.holder").exists()


def test_a_holder_that_cannot_be_read_is_another_process(project: Project) -> None:
    layout = project.manager.layout
    with delivery_lock(layout, "x", patience=0):
        (layout.local / "locks" / "x.delivery.holder").write_text("[]")
        with pytest.raises(StoreError) as caught, delivery_lock(layout, "x", patience=0):
            pass
    assert caught.value.message == "x is being changed by another process"


@pytest.mark.usefixtures("impatient")
def test_the_holders_command_is_named(project: Project) -> None:
    project.add(metadata())
    layout = replace(project.manager.layout, command="unlatch resume")
    with (
        delivery_lock(layout, "0007-search", patience=0),
        pytest.raises(StoreError) as caught,
        delivery_lock(project.manager.layout, "0007-search", patience=0),
    ):
        pass
    holder = f"unlatch resume (process {os.getpid()} on {platform.node()})"
    assert f"0007-search is being changed by {holder}" == caught.value.message
    assert caught.value.hint == "wait for it to finish, then run the command again"


@pytest.mark.parametrize("number", ["ENOSYS", "ENOTSUP", "EOPNOTSUPP", "ENOLCK"])
def test_a_file_system_without_locks_is_refused(
    project: Project, monkeypatch: pytest.MonkeyPatch, number: str
) -> None:
    def flock(_file: object, _operation: int) -> None:
        raise OSError(getattr(errno, number), "no locks here")

    folder = project.add(metadata())
    before = tree(folder)
    monkeypatch.setattr(fcntl, "flock", flock)
    with pytest.raises(StoreError) as caught:
        project.manager.reopen("7", "why", "ada")
    assert caught.value.id == "lock-unsupported"
    assert caught.value.hint == "move the repository to a local disk"
    assert before == tree(folder)


def test_a_lock_that_cannot_be_taken_for_another_reason_is_told_with_it(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def flock(_file: object, _operation: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    project.add(metadata())
    monkeypatch.setattr(fcntl, "flock", flock)
    with pytest.raises(StoreError) as caught:
        project.manager.reopen("7", "why", "ada")
    assert caught.value.id == "not-writable"
    assert os.strerror(errno.EIO) in caught.value.message


def test_threads_that_write_at_once_lose_nothing(project: Project) -> None:
    project.add(metadata(status="active"))

    def write(number: int) -> None:
        if number % 2:
            link(project.manager, "7", [github(number)], by="ada")
        else:
            operation = Operation(ulid(900 + number), Kind.UPDATE, "jira", f"A-{number}", NOW, "b")
            owe(project.manager, "7", operation)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(24)))
    found = project.manager.read("7")
    assert sorted(int(known.item) for known in found.links) == list(range(1, 24, 2))
    assert sorted(o.item for o in found.pending) == sorted(f"A-{n}" for n in range(0, 24, 2))
    assert len(project.events()) == 12


_WRITER = """
import sys
from pathlib import Path
from tests.store.making import github, manager_at
from unlatch.store.linking import link

manager = manager_at(Path(sys.argv[1]))
first = int(sys.argv[2])
for number in range(first, first + 5):
    manager.new_id = lambda: f"01KA{number:022d}"
    link(manager, "7", [github(number)], by="ada")
    manager.create("made", kind="bug", by="ada")
"""


def test_processes_that_write_at_once_lose_nothing(project: Project, tmp_path: Path) -> None:
    project.add(metadata(status="active"))
    writers = [
        subprocess.Popen([sys.executable, "-c", _WRITER, str(tmp_path), str(first)])
        for first in (100, 200, 300)
    ]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    expected = {first + n for first in (100, 200, 300) for n in range(5)}
    assert {int(known.item) for known in project.manager.read("7").links} == expected
    lines = (tmp_path / ".unlatch/increments/0007-search/events.jsonl").read_text().splitlines()
    assert {int(json.loads(line)["id"][4:]) for line in lines} == expected
    made = [found.id for found in project.manager.list() if found.id.endswith("made")]
    assert made == [f"{number:04}-made" for number in range(8, 23)]
