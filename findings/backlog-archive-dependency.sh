#!/usr/bin/env bash
# Package: npm backlog.md
# Version: 1.52.0
# Guess: a task that depends on one that is archived keeps the dependency, as with `task complete`
# Behaviour: `task archive` writes the other tasks' files, too, and removes the dependency; it stays
#   away when the file is moved back, and `task complete` of the same task leaves it
# Relies: plugins/unlatch_layouts/backlog_md/project.py
# Test: tests/cli/layouts/test_backlog_program.py::test_a_task_that_unlatch_names_the_command_for_stays_a_dependency
source "$(dirname "$0")/common.sh"
npm_install backlog.md@1.52.0
PATH="$(dirname "$WORK"/npm/node_modules/backlog.md-*/backlog):$PATH"
project
backlog init demo --defaults --integration-mode none >"$WORK/log" 2>&1
for title in First Second; do backlog task create "$title" >>"$WORK/log" 2>&1; done
backlog task create Third --depends-on task-1,task-2 >>"$WORK/log" 2>&1
depends() { sed -n '/^dependencies:/,/^[a-z_]*:/{/^ /p;/\[/p}' backlog/tasks/*Third.md | tr -d ' \n'; }
{
  echo "at first: $(depends)"
  backlog task edit 1 -s Done >>"$WORK/log" 2>&1
  backlog task complete 1 >>"$WORK/log" 2>&1
  echo "task-1 completed: $(depends)"
  backlog task archive 2 >>"$WORK/log" 2>&1
  echo "task-2 archived: $(depends)"
  mv backlog/archive/tasks/task-2* backlog/tasks/
  echo "task-2 back: $(depends)"
  ls backlog/tasks
} >"$WORK/seen"
seen <<'END'
at first: -TASK-1-TASK-2
task-1 completed: -TASK-1-TASK-2
task-2 archived: -TASK-1
task-2 back: -TASK-1
task-2 - Second.md
task-3 - Third.md
END
