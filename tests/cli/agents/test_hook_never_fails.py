"""A hook exits with 0 and says nothing, whatever fails: an agent takes 2 as an order to stop."""

import json
import subprocess
from pathlib import Path

import pytest
from tests.cli.agents.events import context, event, fire
from tests.cli.agents.test_hook import log, trusted
from tests.cli.project import REASON, Project
from tests.warm.client import COLD

__all__ = ["trusted"]


def fire_with(project: Project, streams: str, *options: str) -> tuple[int, str]:
    """Run the hook with streams that a shell opens or closes."""
    command = ["/bin/sh", "-c", f'exec "$@" {streams}', "sh", *COLD, "agents", "hook", *options]
    text = json.dumps(event(project, "codex", "SessionStart"))
    done = subprocess.run(
        command,
        env=project.environ,
        cwd=project.root,
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


WRONG_OPTIONS = [
    ("--time-limit", "soon"),
    ("--time-limit", "0"),
    ("--time-limit", "nan"),
    ("--time-limit", "inf"),
    ("--time-limit",),
    ("--time-limit", "1", "--time-limit"),
    ("--colour", "SessionStart"),
    ("-x", "--", "SessionStart", "--json"),
]


def test_wrong_option_changes_nothing_and_its_value_is_logged(trusted: Project) -> None:
    for options in WRONG_OPTIONS:
        done = fire(trusted, event(trusted, "codex", "SessionStart"), *options).ends(
            0, whole_err=""
        )
        assert REASON in context(done), options
    assert "'soon' is not a valid float range" in log(trusted)


@pytest.mark.parametrize(
    "streams", [pytest.param(">/dev/full", marks=pytest.mark.sweep), "2>/dev/full >/dev/full"]
)
def test_output_that_cannot_be_written_is_no_failure(trusted: Project, streams: str) -> None:
    if "full" in streams and not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    assert fire_with(trusted, streams) == (0, "")
    assert log(trusted).count("unexpected: ") == 1


@pytest.mark.parametrize(
    "streams",
    [
        pytest.param("<&-", marks=pytest.mark.sweep),
        pytest.param(">&-", marks=pytest.mark.sweep),
        "2>&- >&-",
    ],
)
def test_a_closed_stream_is_no_failure(trusted: Project, streams: str) -> None:
    assert fire_with(trusted, streams) == (0, "")


@pytest.mark.parametrize(
    "home",
    [
        pytest.param(None, marks=pytest.mark.sweep),
        pytest.param("", marks=pytest.mark.sweep),
        "/proc/none",
        pytest.param("/dev/null", marks=pytest.mark.sweep),
    ],
)
def test_home_that_cannot_be_used_is_no_failure(trusted: Project, home: str | None) -> None:
    trusted.extra |= {"HOME": home, "XDG_STATE_HOME": None}
    assert fire_with(trusted, "")[0] == 0
    for name in ("SessionStart", "SessionEnd"):
        done = fire(trusted, event(trusted, "claude-code", name))
        assert (done.code, done.said) == (0, "")


def test_failure_to_load_is_no_failure(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr("unlatch.cli.runtime.groups.LazyGroup", fail)
    assert project.run("agents", "hook").code == 0
