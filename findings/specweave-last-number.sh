#!/usr/bin/env bash
# Package: npm specweave
# Version: 1.0.593
# Guess: after 9999 comes 10000, as in other tools that write four digits
# Behaviour: `next-id` refuses after 9999, also an archived one; an increment 10000 that another tool
#   made is in no list and no count, and `next-id` begins at 0001 again
# Relies: core/unlatch/increments/files/new_increment.py
# Test: tests/increments/files/test_finding.py::test_no_number_is_given_that_specweave_does_not_list
source "$(dirname "$0")/common.sh"
npm_install specweave@1.0.593
project
mkdir -p .specweave
echo '{"version": "2.0", "project": {"name": "demo"}}' >.specweave/config.json
increment() { # NAME
  mkdir -p ".specweave/increments/$1"
  cat >".specweave/increments/$1/metadata.json" <<END
{"id": "$1", "status": "active", "type": "feature", "priority": "P1",
 "created": "2026-01-01T10:00:00.000Z", "lastActivity": "2026-01-02T10:00:00.000Z"}
END
  printf -- '---\nincrement: %s\ntitle: T\nstatus: active\n---\n\n# T\n' "$1" >".specweave/increments/$1/spec.md"
  printf '# Tasks\n\n### T-001: Do it\n**Status**: [ ] pending\n' >".specweave/increments/$1/tasks.md"
}
try() { # ARGUMENT...
  local code=0
  specweave "$@" >"$WORK/log" 2>&1 || code=$?
  echo "$*: exit $code"
  grep -E '^[0-9]{4}$|^Error: |^ +(Active|Total):|●' "$WORK/log" || true
}
{
  increment _archive/9999-the-last
  try next-id
  rm -r .specweave/increments/_archive
  increment 10000-one-more
  try next-id
  try status
} >"$WORK/seen"
seen <<'END'
next-id: exit 1
Error: Increment number overflow: maximum 4-digit ID (9999) reached. Archive or clean up old increments before creating new ones.
next-id: exit 0
0001
status: exit 0
   Active: 0
   Total: 0
END
