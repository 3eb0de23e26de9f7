"""Files and folders that the user may not read."""

import os
import sys

import pytest
from tests.cli.project import NAME, Done, Project
from tests.cli.setup.own_config import own_config
from tests.cli.setup.unprivileged import unprivileged

SESSION = ".unlatch/sessions/2026-01-02-fix.md"

pytestmark = pytest.mark.skipif(
    os.geteuid() == 0 and sys.platform != "linux", reason="root reads any file"
)


def denied(project: Project, place: str, *arguments: str, cold: bool = False) -> Done:
    """Run a command while nobody may open a file or folder, also if the user is root."""
    path = project.root / place
    mode = path.stat().st_mode
    path.chmod(0)
    try:
        with unprivileged():
            return project.process(*arguments, cold=True) if cold else project.run(*arguments)
    finally:
        path.chmod(mode)


@pytest.fixture
def with_session(single: Project) -> Project:
    assert single.run("session", "start", "Fix").code == 0
    (found,) = (single.root / ".unlatch/sessions").glob("*.md")
    found.rename(single.root / SESSION)
    return single


def test_a_session_that_cannot_be_read_stops_no_command(with_session: Project) -> None:
    for line, code in (
        ("show 7", 0),
        ("resume 7 --reason More --yes", 0),
        ("status", 0),
        ("search smart", 0),
        ("session list", 0),
        ("doctor", 1),
    ):
        done = denied(with_session, SESSION, *line.split()).ends(code, lacks="unexpected")
    assert "[session-unreadable]" in done.out


def test_efforts_of_another_user_stop_no_command(single: Project) -> None:
    assert single.run("effort", "open", "Fix").code == 0
    for line in ("show 7", "status", "search smart", "resume 7 --reason More --yes"):
        denied(single, ".unlatch/efforts", *line.split()).ends(
            0,
            err=("note: ", "the folder cannot be listed: Permission denied [folder-unreadable]\n"),
        )
    denied(single, ".unlatch/efforts", "effort", "list").ends(1, err="error[folder-unreadable]")


def test_doctor_names_what_cannot_be_read(with_session: Project) -> None:
    for place, id_ in (
        (".unlatch", "folder-unreadable"),
        (".unlatch/increments", "folder-unreadable"),
        (f".unlatch/increments/{NAME}", "metadata-unreadable"),
        (".unlatch/sessions", "folder-unreadable"),
    ):
        done = denied(with_session, place, "doctor", "--json").ends(1)
        assert id_ in [one["id"] for one in done.document["findings"]], place


def test_init_refuses_what_it_cannot_read(single: Project) -> None:
    for place in (".unlatch", ".unlatch/config.toml"):
        denied(single, place, "init").ends(1, err="error[not-writable]")


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("list", 0),
        pytest.param("resume 7 --reason More --yes", 0, marks=pytest.mark.sweep),
        ("agents install", 2),
        *(
            pytest.param(line, 0, marks=pytest.mark.sweep)
            for line in (
                *("status", "sync --check", "search smart", "config list", "doctor"),
                *("effort open Fix", "agents list"),
            )
        ),
    ],
)
def test_the_home_of_another_user_stops_no_command(single: Project, line: str, code: int) -> None:
    own_config(single, "mistake = 1\n")
    del single.extra["XDG_CONFIG_HOME"]  # its place follows from the home
    # In a process: the fixtures of these tests read the user's files, too.
    denied(single, str(single.home), *line.split(), cold=True).ends(code, lacks="denied")


def test_a_configuration_that_cannot_be_read_is_not_ignored(single: Project) -> None:
    own = own_config(single, "")
    denied(single, str(own), "resume", "7", "--reason", "More", "--yes").ends(
        1,
        err=(
            "the file cannot be read: Permission denied\n",
            "next: check the file and its permissions\n",
        ),
    )
