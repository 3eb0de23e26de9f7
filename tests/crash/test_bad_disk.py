"""Disks that are really full or read-only, folders that go away, clocks that jump."""

import json
import os
import re
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial

import pytest
from tests.changes import reopen, undo
from tests.cli.project import ALL, CLOSED, NAME, OPEN, REASON, Done, Project
from tests.cli.refusing import assert_refused

from unlatch.errors import StoreError
from unlatch.increments.files.paths import paths_at
from unlatch.project.workspace import Workspace, utc_now
from unlatch_sandbox import Fault

RESUME = ("resume", "7", "--reason", REASON, "--yes")
# Mounts a file system that nobody else sees, fills it or makes it read-only, and runs the command.
_MOUNTED = """
set -e
mount -t tmpfs -o size=256k none "$1"
cp -R "$2/." "$1"
eval "$3"
cd "$1"
set +e
shift 3
"$@"
code=$?
mount -o remount,rw,size=1m none "$OLDPWD" 2>/dev/null || mount -o remount,rw,size=1m "$PWD"
rm -f filler
cp -R . "$BACK"
exit $code
"""
FULL = 'dd if=/dev/zero of="$1/filler" bs=1k 2>/dev/null || true'
READ_ONLY = 'mount -o remount,ro "$1"'


def told_counts(project: Project) -> dict[str, int]:
    return {name: len(said) for name, said in project.comments().items()}


def assert_finished(project: Project) -> None:
    """After any failure, one more command restores everything."""
    done = project.run(*RESUME)
    assert done.code == 0, done.said
    assert OPEN == project.states()
    assert dict.fromkeys(ALL, 1) == told_counts(project)
    assert len(project.metadata()["reopenHistory"]) == 1
    assert "pending" not in project.metadata()


def may_mount() -> bool:
    command = ["unshare", "-rm", "sh", "-c", "mount -t tmpfs none /mnt"]
    if shutil.which("unshare") is None:
        return False
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.mark.sweep
@pytest.mark.parametrize(("state", "system"), [(FULL, "No space left"), (READ_ONLY, "Read-only")])
def test_a_file_system_that_takes_nothing(completed: Project, state: str, system: str) -> None:
    if not may_mount():
        pytest.skip("mounting a file system of one's own is not allowed here")
    place, back = completed.home / "mounted", completed.home / "back"
    place.mkdir()
    done = subprocess.run(
        [
            *("unshare", "-rm", "sh", "-c", _MOUNTED, "sh"),
            *(place, completed.root, state),
            *(sys.executable, "-m", "unlatch.cli", *RESUME),
        ],
        env={**completed.environ, "PATH": os.environ["PATH"], "BACK": str(back)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1, done.stderr
    assert "error[not-writable]: cannot write " in done.stderr
    assert system in done.stderr
    assert re.search("^  next: make the folder writable", done.stderr, re.MULTILINE)
    assert (CLOSED, []) == (completed.states(), completed.wrote())
    left = json.loads((back / ".unlatch/increments" / NAME / "metadata.json").read_text())
    assert left == completed.metadata()
    assert_finished(completed)


def limited(project: Project, size: int) -> Callable[..., Done]:
    """Run a command under a quota, as the system enforces it: no file may become longer."""

    def run(*words: str) -> Done:
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        with pytest.MonkeyPatch.context() as patch:
            # Python would cut its own bytecode files short, too.
            patch.setattr(sys, "dont_write_bytecode", True)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
            try:
                return project.run(*words)
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, before)

    return run


def fill_events(project: Project) -> Callable[..., Done]:
    """The same where events.jsonl cannot grow, and metadata.json can."""
    size, path = 100_000, project.folder() / "events.jsonl"
    filler = {"id": "filler", "at": "2020-01-01T00:00:00Z", "event": "note", "by": "x" * size}
    path.write_text(json.dumps(filler) + "\n" + (path.read_text() if path.exists() else ""))
    return limited(project, size)


def test_a_file_that_may_not_grow(completed: Project) -> None:
    # So little that the files of this process would not fit either.
    size = (completed.folder() / "metadata.json").stat().st_size
    before = completed.tree()
    completed.extra["PYTHONDONTWRITEBYTECODE"] = "1"

    done = completed.process(
        *RESUME, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    )

    assert_refused(done, 1, "not-writable")
    assert "File too large" in done.err
    assert (before, []) == (completed.tree(), completed.wrote())
    assert_finished(completed)


def test_events_that_found_no_room_are_written_by_the_next_change(single: Project) -> None:
    full = fill_events(single)

    done = full(*RESUME, "--offline")
    undone = full("undo", "7", "--yes", "--offline", "--by", "Grace")

    for one in (done, undone):
        assert (0, True) == (one.code, "cannot write events.jsonl: File too large; " in one.err)
    shown = single.run("history", "7", "--json").document["events"]
    assert single.run("history", "verify", "7").code == 5
    assert ["filler"] == [one["id"] for one in single.events()]

    assert single.run(*RESUME, "--offline").code == 0

    words = [one["event"] for one in single.events()]
    assert ["note", "reopened", "undone", "reopened"] == words
    assert "Grace" == single.events()[2]["by"]
    again = single.run("history", "7", "--json").document["events"]
    assert shown == [one for one in again if one["id"] != single.events()[3]["id"]]
    assert single.run("sync", "7", "--yes").code == 0
    assert single.run("history", "verify", "7").code == 0


@pytest.fixture
def full(single: Project) -> Callable[..., Done]:
    """Run a command on active work whose events.jsonl cannot grow."""
    single.run(*RESUME)
    return fill_events(single)


def test_a_move_that_found_no_room_is_written_by_doctor(
    single: Project, full: Callable[..., Done]
) -> None:
    full("pause", "7", "--reason", "Holiday")

    assert single.run("doctor", "--fix", "--yes").code == 0

    assert ("paused", "Holiday") == (single.events()[-1]["to"], single.events()[-1]["reason"])
    assert "event-missing" not in single.run("doctor").said


def test_events_that_found_no_room_are_written_by_doctor(single: Project) -> None:
    path = single.folder() / "events.jsonl"
    single.run(*RESUME)
    single.run("undo", "7", "--yes", "--reason", "Wrong one")
    whole = single.events()
    kept = [one for one in whole if one["event"] not in ("reopened", "undone")]
    path.write_text("".join(json.dumps(one) + "\n" for one in kept))

    assert "; unlatch doctor --fix adds it" in single.run("history", "verify", "7").out
    assert single.run("doctor", "--fix", "--yes").code == 0

    assert {one["id"] for one in whole} == {one["id"] for one in single.events()}
    assert single.run("history", "verify", "7").code == 0


@pytest.mark.parametrize("folder", [".unlatch", f".unlatch/increments/{NAME}"])
def test_a_folder_that_vanishes_while_its_items_are_served(completed: Project, folder: str) -> None:
    gone = completed.home / "gone"
    act = partial((completed.root / folder).rename, gone)
    completed.box.faults.add(Fault("github", "human", method="PATCH", action=act))

    done = completed.run(*RESUME)

    assert done.code == 3, done.said
    assert "[folder-vanished]" in done.said
    assert "move it back" in done.said
    assert "Traceback" not in done.said
    shutil.rmtree(completed.root / folder, ignore_errors=True)
    gone.rename(completed.root / folder)
    assert len(completed.metadata()["pending"]) > 0
    assert_finished(completed)


def test_a_project_that_has_vanished_does_not_come_back_empty(single: Project) -> None:
    workspace = workspace_of(single, utc_now)
    workspace.manager.read("7")
    single.root.rename(single.home / "gone")

    with pytest.raises(StoreError) as caught:
        workspace.manager.change(NAME, lambda before, data: [])  # noqa: ARG005

    assert caught.value.id == "folder-vanished"
    assert not single.root.exists()


class Jumping:
    """A clock that is set by hand."""

    def __init__(self, now: datetime) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now


def workspace_of(project: Project, clock: Callable[[], datetime]) -> Workspace:
    return Workspace(
        paths_at(project.root),
        environ=project.environ,
        user_config=project.home / "none.toml",
        clock=clock,
    )


def test_a_history_whose_clock_went_back_is_kept_in_its_order(single: Project) -> None:
    clock = Jumping(datetime(2030, 1, 1, tzinfo=UTC))
    manager = workspace_of(single, clock).manager
    first = reopen(manager, "7", "first", "ada")[1]
    undo(manager, "7", by="ada")
    clock.now = datetime(2020, 1, 1, tzinfo=UTC)
    second = reopen(manager, "7", "second", "ada")[1]

    after, undone = undo(manager, "7", by="ada")

    assert (second.id, [first.id, second.id]) == (undone.id, [entry.id for entry in after.reopens])
    assert after.effective_reopens == 0
    for command in ("show", "history", "status", "list"):
        done = single.run(command, *(["7"] if command in ("show", "history") else []))
        assert done.code == 0, done.said
