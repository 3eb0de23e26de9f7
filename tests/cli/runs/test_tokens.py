"""Programs of runs and sessions get no tracker's token, and find none in a process above them."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.project import Project
from tests.warm.client import COLD

MORE = {
    "GITHUB_ENTERPRISE_TOKEN": "enterprise-secret",
    "GH_ENTERPRISE_TOKEN": "other-secret",
    "UNLATCH_PUSH_TOKEN": "push-secret",
    "SYSTEM_ACCESSTOKEN": "system-secret",
}
TOKENS = {*MORE.values(), "sandbox-github-token", "sandbox-ado-token", "sandbox-jira-token"}
# Looks for the words of the file `tokens` in the environment of each process above it.
SEARCH = """\
import json, os, pathlib, sys
tokens = pathlib.Path("tokens").read_text().split()
pid, seen = os.getpid(), {}
while pid > 0:
    folder = pathlib.Path("/proc", str(pid))
    try:
        environ = (folder / "environ").read_bytes().decode(errors="replace")
        seen[pid] = [token for token in tokens if token in environ]
    except PermissionError:
        seen[pid] = []
    pid = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
pathlib.Path(f"seen-{sys.argv[1]}").write_text(json.dumps(seen))
print(json.dumps({"type": "done", "summary": "searched"}))
"""
PLAN = """\
### Task 1: Search
**Work**: search
**Acceptance Criteria**:
- [ ] `{python} search.py acceptance`
**Blocked By**: none
"""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc")


@pytest.fixture
def searching(project: Project) -> Project:
    """A project with a plan and a program that searches for tokens."""
    project.extra |= MORE
    assert set(project.environ.values()) >= TOKENS
    (project.root / "tokens").write_text(" ".join(TOKENS))
    (project.root / "search.py").write_text(SEARCH)
    (project.root / "plan.md").write_text(PLAN.format(python=sys.executable))
    return project


def program(project: Project, name: str) -> str:
    return shlex.join((sys.executable, str(project.root / "search.py"), name))


def seen_by(project: Project, name: str) -> list[str]:
    """The tokens that the program saw; it has looked at itself and at unlatch, at least."""
    seen = json.loads((project.root / f"seen-{name}").read_text())
    assert len(seen) > 2
    return sorted({token for tokens in seen.values() for token in tokens})


@pytest.mark.parametrize(
    ("passed", "seen"),
    [
        pytest.param((), [], marks=pytest.mark.sweep),
        (("--pass-env", "UNLATCH_PUSH_TOKEN"), ["push-secret"]),
    ],
)
def test_the_programs_of_a_run_find_only_tokens_that_are_passed_on(
    searching: Project, passed: tuple[str, ...], seen: list[str]
) -> None:
    options = ("--worker", program(searching, "worker"), *passed, "--yes")
    searching.process("run", "start", "plan.md", *options, cold=True).ends(0)
    assert (seen, seen) == (seen_by(searching, "worker"), seen_by(searching, "acceptance"))


@pytest.mark.sweep
def test_the_programs_of_a_run_that_continues_find_no_token(searching: Project) -> None:
    failing = shlex.join((sys.executable, "-c", "import sys; sys.exit(1)"))
    options = ("--worker", failing, "--hook", program(searching, "hook"), "--yes")
    assert 3 == searching.process("run", "start", "plan.md", *options, cold=True).code
    compacted = searching.process("run", "context", "--left", "1", cold=True)
    more = ("--worker", program(searching, "worker"), "--retry", "1", "--yes")
    resumed = searching.process("run", "resume", *more, cold=True)
    assert (0, 0) == (compacted.code, resumed.code), (compacted.said, resumed.said)
    assert ([], []) == (seen_by(searching, "hook"), seen_by(searching, "worker"))


def test_the_demo_of_runs_holds_no_token_where_its_workers_can_read_it(searching: Project) -> None:
    demo = subprocess.Popen(
        [*COLD, "run", "demo"],
        cwd=searching.root,
        env=searching.environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    with demo:
        assert demo.stdout
        demo.stdout.readline()
        environ = Path("/proc", str(demo.pid), "environ").read_bytes().decode()
        demo.kill()

    assert [] == [token for token in TOKENS if token in environ]


@pytest.mark.parametrize(
    ("passed", "seen"),
    [
        pytest.param((), [], marks=pytest.mark.sweep),
        (("--pass-env", "JIRA_API_TOKEN"), ["sandbox-jira-token"]),
    ],
)
def test_the_program_of_a_session_finds_only_tokens_that_are_passed_on(
    searching: Project, passed: tuple[str, ...], seen: list[str]
) -> None:
    context = searching.run("session", "start", "Search").out.strip()
    assert 0 == searching.run("session", "pause", context).code
    options = ("--exec", program(searching, "exec"), *passed)
    searching.process("session", "resume", context, *options, cold=True).ends(0)
    assert seen == seen_by(searching, "exec")


def test_no_other_process_can_read_the_memory_of_one_that_holds_tokens() -> None:
    script = """
import ctypes, json, os
from unlatch.cli import runtime
from unlatch.cli.runtime import held_tokens
reader, writer = os.pipe()
os.write(writer, b'{"GITHUB_TOKEN": "secret"}')
os.close(writer)
os.environ[runtime.TOKEN_PIPE] = str(reader)
held_tokens.take_tokens()
dumpable = ctypes.CDLL(None).prctl(3, 0, 0, 0, 0)
print(json.dumps([runtime.tokens, dumpable, runtime.TOKEN_PIPE in os.environ]))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)

    assert [{"GITHUB_TOKEN": "secret"}, 0, False] == json.loads(done.stdout)


def test_tokens_that_no_pipe_takes_start_nothing(searching: Project) -> None:
    searching.extra["GITHUB_TOKEN"] = "x" * 100_000
    options = ("--worker", program(searching, "worker"), "--yes")
    searching.process("run", "start", "plan.md", *options, cold=True).ends(1, err="tokens-not-held")
    assert not (searching.root / ".unlatch" / "runs").exists()
