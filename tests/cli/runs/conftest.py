"""A project with a plan, and a worker that does as files tell it."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.project import Project

PLAN = """\
### Task 1: First
**Work**: one
**Acceptance Criteria**:
- [ ] `sh check.sh 1`
**Blocked By**: none

### Task 2: Second
**Work**: two
**Acceptance Criteria**:
- [ ] `sh check.sh 2`
**Blocked By**: 1
"""
# The first word of its own script decides what a worker does.
WORKER = """\
import json, os, pathlib, sys, time
text = sys.stdin.read()
task = os.environ["UNLATCH_TASK_ID"]
def say(**message): print(json.dumps(message), flush=True)
act = pathlib.Path(f"act-{task}")
words = act.read_text().split() if act.exists() else []
(act.write_text(" ".join(words[1:])) if words else None)
say(type="checkpoint", text=f"begun {task}")
if words[:1] == ["ask"] and "Answer:" not in text:
    say(type="question", text="Which one?", options=["a", "b"])
elif words[:1] == ["fail"]:
    say(type="failed", reason="no luck")
elif words[:1] == ["hang"]:
    pathlib.Path(f"hangs-{task}").write_text(str(os.getpid()))
    time.sleep(60)
else:
    pathlib.Path(f"text-{task}").write_text(text)
    pathlib.Path(f"environ-{task}").write_text(json.dumps(dict(os.environ)))
    say(type="done", summary=f"did {task}")
"""


@pytest.fixture
def planned(project: Project) -> Project:
    """A project with a plan, a worker and a shell."""
    (project.root / "plan.md").write_text(PLAN)
    (project.root / "worker.py").write_text(WORKER)
    (project.root / "check.sh").write_text('echo "$1" >> checked\n')
    programs = project.root.parent / "programs"
    programs.mkdir()
    for name in ("git", "sh", "cat"):
        (programs / name).symlink_to(shutil.which(name) or "")
    project.bin = programs
    return project
