#!/usr/bin/env bash
# Package: npm specweave
# Version: 1.0.593
# Guess: `archive` refuses what is neither completed nor abandoned
# Behaviour: `archive ID` moves increments in planning, backlog and ready_for_review to _archive with
#   exit code 0 and their status unchanged; `status` then shows and counts none of them
# Relies: plugins/unlatch_doctor/documents.py
# Test: tests/cli/setup/test_doctor_oddities.py::test_unfinished_work_in_the_archive
source "$(dirname "$0")/common.sh"
npm_install specweave@1.0.593
project
mkdir -p .specweave
echo '{"version": "2.0", "project": {"name": "demo"}}' >.specweave/config.json
number=0
for status in planning backlog ready_for_review active paused completed; do
  number=$((number + 1))
  name="000$number-${status//_/-}"
  mkdir -p ".specweave/increments/$name"
  cat >".specweave/increments/$name/metadata.json" <<END
{"id": "$name", "status": "$status", "type": "feature", "priority": "P1",
 "created": "2026-01-01T10:00:00.000Z", "lastActivity": "2026-01-02T10:00:00.000Z"}
END
  printf -- '---\nincrement: %s\ntitle: T\nstatus: %s\n---\n\n# T\n' "$name" "$status" >".specweave/increments/$name/spec.md"
  printf '# Tasks\n\n### T-001: Do it\n**Status**: [ ] pending\n' >".specweave/increments/$name/tasks.md"
done
git add -A
git commit -q -m increments
{
  for folder in .specweave/increments/0*; do
    code=0
    specweave archive "${folder##*/}" >"$WORK/log" 2>&1 || code=$?
    echo "archive ${folder##*/}: exit $code"
  done
  grep -ho '"status": *"[a-z_]*"' .specweave/increments/_archive/*/metadata.json
  specweave status 2>&1 | grep -E '^ +(Active|Paused|Completed|Abandoned|Total):|●|⏸ 0'
} >"$WORK/seen"
seen <<'END'
archive 0001-planning: exit 0
archive 0002-backlog: exit 0
archive 0003-ready-for-review: exit 0
archive 0004-active: exit 0
archive 0005-paused: exit 0
archive 0006-completed: exit 0
"status": "planning"
"status": "backlog"
"status": "ready_for_review"
"status": "completed"
  ● 0004-active [feature]
  ⏸ 0005-paused [feature]
   Active: 1
   Paused: 1
   Completed: 0
   Abandoned: 0
   Total: 2
END
