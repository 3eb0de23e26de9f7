"""Files and folders that the user may not read."""

from __future__ import annotations

import ctypes
import os
import sys
from typing import TYPE_CHECKING

import pytest
from tests.cli.project import NAME

if TYPE_CHECKING:
    from tests.cli.project import Done, Project

SESSION = ".unlatch/sessions/2026-01-02-fix.md"
# linux/prctl.h and linux/capability.h: with these, root reads and writes any file.
_DROP, _OVERRIDE, _READ = 24, 1, 2

pytestmark = pytest.mark.skipif(
    os.geteuid() == 0 and sys.platform != "linux", reason="root reads any file"
)


def denied(project: Project, place: str, *arguments: str) -> Done:
    """Run a command while nobody may open a file or folder, also if the user is root."""
    path = project.root / place
    mode = path.stat().st_mode
    path.chmod(0)
    system = ctypes.CDLL(None)

    def drop() -> None:
        for one in (_OVERRIDE, _READ) if os.geteuid() == 0 else ():
            system.prctl(_DROP, one, 0, 0, 0)

    try:
        return project.process(*arguments, preexec_fn=drop)
    finally:
        path.chmod(mode)


@pytest.fixture
def with_session(single: Project) -> Project:
    assert single.run("session", "start", "Fix").code == 0
    (found,) = (single.root / ".unlatch/sessions").glob("*.md")
    found.rename(single.root / SESSION)
    return single


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (("show", "7"), 0),
        (("resume", "7", "--reason", "More", "--yes"), 0),
        (("status",), 0),
        (("search", "smart"), 0),
        (("session", "list"), 0),
        (("doctor",), 1),
    ],
)
def test_a_session_that_cannot_be_read_stops_no_command(
    with_session: Project, command: tuple[str, ...], code: int
) -> None:
    done = denied(with_session, SESSION, *command)

    assert (code, False) == (done.code, "unexpected" in done.said), done.said
    if command[0] == "doctor":
        assert "[session-unreadable]" in done.out


@pytest.mark.parametrize(
    "command",
    [("show", "7"), ("status",), ("search", "smart"), ("resume", "7", "--reason", "More", "--yes")],
)
def test_efforts_of_another_user_stop_no_command(single: Project, command: tuple[str, ...]) -> None:
    assert single.run("effort", "open", "Fix").code == 0

    done = denied(single, ".unlatch/efforts", *command)
    listed = denied(single, ".unlatch/efforts", "effort", "list")

    assert done.code == 0, done.said
    assert "note: " in done.err
    assert "the folder cannot be listed: Permission denied [folder-unreadable]\n" in done.err
    assert (1, True) == (listed.code, "error[folder-unreadable]" in listed.err)


@pytest.mark.parametrize(
    ("place", "id"),
    [
        (".unlatch", "folder-unreadable"),
        (".unlatch/increments", "folder-unreadable"),
        (f".unlatch/increments/{NAME}", "metadata-unreadable"),
        (".unlatch/sessions", "folder-unreadable"),
    ],
)
def test_doctor_names_what_cannot_be_read(with_session: Project, place: str, id: str) -> None:
    done = denied(with_session, place, "doctor", "--json")

    assert done.code == 1, done.said
    assert id in [one["id"] for one in done.document["findings"]]


@pytest.mark.parametrize("place", [".unlatch", ".unlatch/config.toml"])
def test_init_refuses_what_it_cannot_read(single: Project, place: str) -> None:
    done = denied(single, place, "init")

    assert (1, True) == (done.code, "error[not-writable]" in done.err), done.said


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (("list",), 0),
        (("status",), 0),
        (("sync", "--check"), 0),
        (("resume", "7", "--reason", "More", "--yes"), 0),
        (("search", "smart"), 0),
        (("config", "list"), 0),
        (("doctor",), 0),
        (("effort", "open", "Fix"), 0),
        (("agents", "list"), 0),
        (("agents", "install"), 2),
    ],
)
def test_the_home_of_another_user_stops_no_command(
    single: Project, command: tuple[str, ...], code: int
) -> None:
    (single.home / ".config/unlatch").mkdir(parents=True)
    (single.home / ".config/unlatch/config.toml").write_text("mistake = 1\n")

    done = denied(single, str(single.home), *command)

    assert (code, False) == (done.code, "denied" in done.said), done.said


def test_a_configuration_that_cannot_be_read_is_not_ignored(single: Project) -> None:
    own = single.home / ".config/unlatch/config.toml"
    own.parent.mkdir(parents=True)
    own.write_text("")

    done = denied(single, str(own), "resume", "7", "--reason", "More", "--yes")

    assert (1, True) == (done.code, "the file cannot be read: Permission denied\n" in done.err)
    assert "next: check the file and its permissions\n" in done.err
