"""A standard stream that was closed is as one that is empty, or that nobody reads."""

import subprocess
from pathlib import Path

import pytest
from tests.cli.project import REASON, Project
from tests.warm.client import COLD

RESUME = ("resume", "7", "--reason", REASON, "--yes", "--offline")
FULL = Path("/dev/full")


@pytest.fixture
def local(project: Project) -> Project:
    project.increment(links=project.items("github"))
    return project


def run_with(project: Project, streams: str, *arguments: str) -> tuple[int, str]:
    """Run unlatch with streams that a shell opens or closes."""
    done = subprocess.run(
        ["/bin/sh", "-c", f'exec "$@" {streams}', "sh", *COLD, *arguments],
        env=project.environ,
        cwd=project.root,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    "streams",
    [
        "<&- >&- 2>&-",
        *(pytest.param(one, marks=pytest.mark.sweep) for one in ("2>&-", "<&-", ">&-", "<&- >&-")),
    ],
)
def test_a_change_is_made_and_reported_as_made(local: Project, streams: str) -> None:
    code, said = run_with(local, streams, *RESUME)
    assert code == 0, said
    assert ("active", [REASON]) == (
        local.metadata()["status"],
        [one["reason"] for one in local.metadata()["reopenHistory"]],
    )
    # Each line is an event: nothing else was written to an open file.
    assert "reopened" in {one["event"] for one in local.events()}


@pytest.mark.parametrize(
    ("streams", "arguments", "code", "words"),
    [
        pytest.param("<&-", ("start",), 2, "Missing argument", marks=pytest.mark.sweep),
        pytest.param(*("<&-", ("list",), 0, "0007-smart-discipline"), marks=pytest.mark.sweep),
        pytest.param(*("2>&-", ("list",), 0, "0007-smart-discipline"), marks=pytest.mark.sweep),
        (">&-", ("list",), 0, ""),
        pytest.param("<&-", ("link", "--file", "-"), 0, "0 items linked", marks=pytest.mark.sweep),
        pytest.param("<&-", ("auth", "login", "github"), 2, "error[", marks=pytest.mark.sweep),
        ("<&-", ("resume", "7", "--reason-file", "-"), 2, "error["),
    ],
)
def test_a_command_ends_as_without_a_terminal(
    local: Project, streams: str, arguments: tuple[str, ...], code: int, words: str
) -> None:
    done, said = run_with(local, streams, *arguments)
    assert (done, True, False) == (code, words in said, "unexpected" in said), said


@pytest.mark.skipif(not FULL.exists(), reason="needs /dev/full")
def test_a_change_whose_output_is_lost_does_not_end_as_if_nothing_was_changed(
    local: Project,
) -> None:
    code, said = run_with(local, f">{FULL}", *RESUME)
    assert (5, "active") == (code, local.metadata()["status"])
    assert "error[output-unwritable]" in said
