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
WORKER = r"""
task=$UNLATCH_TASK_ID text=$(cat)
say() { printf '{"type": "%s", %s}\n' "$1" "$2"; }
[ ! -e "act-$task" ] || read -r first rest < "act-$task"
[ -z "$first" ] || echo "$rest" > "act-$task"
say checkpoint '"text": "begun '"$task"'"'
case "$first:$text" in
ask:*Answer:*) first= ;;
esac
if [ "$first" = wait ]; then
    say usage '"input_tokens": 100'
    printf '%s' $$ > "hangs-$task"
    until [ -e "go-$task" ]; do /bin/sleep 0.02; done
    say usage '"input_tokens": 900'
fi
case "$first" in
ask) say question '"text": "Which one?", "options": ["a", "b"]' ;;
fail) say failed '"reason": "no luck"' ;;
hang)
    printf '%s' $$ > "hangs-$task"
    exec /bin/sleep 60
    ;;
*)
    printf '%s' "$text" > "text-$task"
    export -p > "environ-$task"
    say done '"summary": "did '"$task"'"'
    ;;
esac
"""


@pytest.fixture
def planned(project: Project) -> Project:
    """A project with a plan, a worker and a shell."""
    (project.root / "plan.md").write_text(PLAN)
    (project.root / "worker.sh").write_text(WORKER)
    (project.root / "check.sh").write_text('echo "$1" >> checked\n')
    programs = project.root.parent / "programs"
    programs.mkdir()
    for name in ("git", "sh", "cat"):
        (programs / name).symlink_to(shutil.which(name) or "")
    project.bin = programs
    return project
