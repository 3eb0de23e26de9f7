"""unlatch run demo: a crash and a recovery, without an account."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import click

from unlatch.cli.runtime.held_tokens import hold_tokens
from unlatch.cli.runtime.temporary_project import temporary_project
from unlatch.cli.terminal import output
from unlatch.errors import UnlatchError
from unlatch_runs.events import Checkpoint
from unlatch_runs.journal import read_events
from unlatch_runs.store import RunStore

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_PLAN = """\
# Demo

### Task 1-1-1: Write the parser
**Work**: Write parser.txt.
**Acceptance Criteria**:
- [ ] `test -f parser.txt`
**Blocked By**: none

### Task 1-1-2: Write the docs
**Work**: Write docs.txt.
**Acceptance Criteria**:
- [ ] `test -f docs.txt`
**Blocked By**: none

### Task 1-2-1: Release
**Work**: Write release.txt.
**Acceptance Criteria**:
- [ ] `test -f release.txt`
**Blocked By**: 1-1-1, 1-1-2
"""
# The worker of docs/runs.md, with a pause in which it can be killed.
_WORKER = """\
import json, re, sys, time

def say(**message):
    print(json.dumps(message), flush=True)

assignment = sys.stdin.read()
name = re.search(r"Write (\\S+\\.txt)", assignment)[1]
say(type="checkpoint", text=f"opened {name}")
if "Resume Context" not in assignment:
    time.sleep(2)
open(name, "w").write("done\\n")
say(type="done", summary=f"wrote {name}")
"""
# Seconds.
_PATIENCE = 60.0
_LOOK = 0.05


@click.command("demo", help="Show a crash and a recovery; no account is needed. (local)")
def demo_run() -> int:
    hold_tokens()
    with temporary_project("run demo") as root:
        (root / ".unlatch" / "increments").mkdir(parents=True)
        (root / "plan.md").write_text(_PLAN, encoding="utf-8")
        (root / "worker.py").write_text(_WORKER, encoding="utf-8")
        _say("A plan of three tasks, and a worker of ten lines.", "")
        _crash(root)
        _say("", "The coordinator was killed (kill -9) while two workers were at work.", "")
        _run(root, "status")
        _say("", "Another process takes the run over:", "")
        _run(root, "recover")
        _run(root, "status")
    return 0


def _crash(root: Path) -> None:
    """Start a run, and kill its coordinator as soon as its workers have said something."""
    worker = shlex.join((sys.executable, "-P", "worker.py"))
    argv = _argv(root, "start", "plan.md", "--worker", worker, "--yes")
    process = subprocess.Popen(argv, cwd=root, start_new_session=True)  # noqa: S603  (ourselves)
    try:
        for _ in _looks():
            if _checkpoints(root) >= len(("1-1-1", "1-1-2")):
                return
        raise UnlatchError("demo-failed", "the workers did not begin", hint="unlatch run demo")
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


def _looks() -> Iterator[None]:
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        yield
        time.sleep(_LOOK)


def _checkpoints(root: Path) -> int:
    """The number of checkpoints in the log of the only run."""
    store = RunStore(root / ".unlatch" / "runs")
    events = (event for name in store.names() for event in read_events(store.root / name))
    return sum(isinstance(event, Checkpoint) for event in events)


def _run(root: Path, *arguments: str) -> None:
    _say(output.strong(f"$ unlatch run {' '.join(arguments)}"))
    subprocess.run(_argv(root, *arguments), cwd=root, check=False)  # noqa: S603  (ourselves)


def _say(*lines: str) -> None:
    """Write lines before another process writes its own."""
    output.data(*lines)
    sys.stdout.flush()


def _argv(root: Path, *arguments: str) -> list[str]:
    options = ("--root", os.fspath(root))
    return [sys.executable, "-I", "-m", "unlatch.cli", *options, "run", *arguments]
