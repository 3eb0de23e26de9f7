"""Commands run without a shell, and end with all that they started."""

import os
import time
from pathlib import Path

import pytest

from unlatch.project.program_environment import program_environment
from unlatch_runs.dispatch.commands import MOST_OUTPUT, CommandResult, run_command
from unlatch_runs.dispatch.processes import marked

ENVIRON = {"PATH": os.environ["PATH"]}


def shell(
    code: str, folder: Path, *, timeout: float = 20, fed: str = "", with_errors: bool = True
) -> CommandResult:
    argv = ["/bin/sh", "-c", code]
    return run_command(
        argv, folder=folder, environ=ENVIRON, timeout=timeout, fed=fed, with_errors=with_errors
    )


def test_output_errors_and_exit_code_are_the_command_s(tmp_path: Path) -> None:
    code = "read word; echo $word; echo oh >&2; exit 3"
    assert shell(code, tmp_path, fed="7\n") == CommandResult(3, "7\noh\n")
    assert shell(code, tmp_path, fed="7\n", with_errors=False) == CommandResult(3, "7\n")
    assert shell("kill -9 $$", tmp_path).exit_code == -9
    result = shell(r"printf '\000\033\200\377\376'", tmp_path)
    assert result == CommandResult(0, "\0\x1b\ufffd\ufffd\ufffd")


def test_arguments_are_passed_as_they_are_and_a_missing_program_is_a_result(tmp_path: Path) -> None:
    argv = ["printf", "%s\n", "$(id)", "a b; c", "*"]
    result = run_command(argv, folder=tmp_path, environ=ENVIRON, timeout=20)
    assert result.output == "$(id)\na b; c\n*\n"
    result = run_command(["no-such-program"], folder=tmp_path, environ=ENVIRON, timeout=5)
    assert result == CommandResult(127, "program not found: no-such-program")


def test_the_end_of_long_output_is_kept(tmp_path: Path) -> None:
    result = shell("head -c 5000000 /dev/zero | tr '\\0' x; echo; echo the end", tmp_path)
    assert result.is_success
    assert len(result.output) == MOST_OUTPUT
    assert result.output.endswith("x\nthe end\n")


CHILD = "sleep 600 & echo $! > pid; echo started;"


@pytest.mark.parametrize("rest", ["sleep 600", "exec >&- 2>&-; sleep 600"])
def test_a_command_that_takes_too_long_ends_with_its_children(rest: str, tmp_path: Path) -> None:
    result = shell(CHILD + rest, tmp_path, timeout=0.5)
    assert result == CommandResult(None, "started\n")
    assert is_gone(int((tmp_path / "pid").read_text()))


def test_a_command_that_ignores_sigterm_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unlatch_runs.dispatch.commands._GRACE", 0.1)
    assert shell("trap '' TERM; sleep 600", tmp_path, timeout=0.3).exit_code is None


def test_a_program_of_the_folder_runs_by_its_path_alone_if_it_can_be_run(tmp_path: Path) -> None:
    script = tmp_path / "check"
    script.write_text("#!/bin/sh\necho ran\n")
    script.chmod(0o755)
    environ = {"PATH": f"{tmp_path}:.:{os.environ['PATH']}"}
    by_path = run_command(["./check"], folder=tmp_path, environ=environ, timeout=5)
    by_name = run_command(["check"], folder=tmp_path, environ=environ, timeout=5)
    assert (by_path.output, by_name.exit_code) == ("ran\n", 127)
    script.write_bytes(b"\x00\x01")
    result = run_command(["./check"], folder=tmp_path, environ=ENVIRON, timeout=5)
    assert result.exit_code == 127
    assert "cannot be started" in result.output


def test_tokens_stay_out_of_the_environment_unless_they_are_passed() -> None:
    environ = {"GITHUB_TOKEN": "a", "Jira_Token": "b", "PATH": "/bin"}
    secrets = {"GITHUB_TOKEN", "JIRA_TOKEN"}
    assert program_environment(environ, secrets=secrets) == {"PATH": "/bin"}
    passed = program_environment(environ, secrets=secrets, passed=["GITHUB_TOKEN"])
    assert passed == {"GITHUB_TOKEN": "a", "PATH": "/bin"}
    assert marked(passed, run_id="01R", task_id="1-1") == {
        **passed,
        "UNLATCH_RUN_ID": "01R",
        "UNLATCH_TASK_ID": "1-1",
    }


def is_gone(pid: int) -> bool:
    """Whether a process has ended, or does so within some seconds."""
    for _ in range(200):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False
