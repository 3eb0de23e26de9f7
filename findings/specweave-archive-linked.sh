#!/usr/bin/env bash
# Package: npm specweave
# Version: 1.0.593
# Guess: a completed increment is archived, whether or not it has a linked issue
# Behaviour: one with a `github` block is skipped as "active external sync" with exit code 0; one
#   whose issues stand in `externalLinks` is archived
# Relies: docs/specweave.md
# Test: tests/cli/work/test_shapes_of_specweave.py::test_what_specweave_archives_by_stays_as_it_is
source "$(dirname "$0")/common.sh"
npm_install specweave@1.0.593
project
mkdir -p .specweave
echo '{"version": "2.0", "project": {"name": "demo"}}' >.specweave/config.json
increment() { # NAME GITHUB
  mkdir -p ".specweave/increments/$1"
  cat >".specweave/increments/$1/metadata.json" <<END
{"id": "$1", "status": "completed", "type": "feature", "priority": "P1", $2
 "created": "2026-01-01T10:00:00.000Z", "lastActivity": "2026-01-02T10:00:00.000Z"}
END
  printf -- '---\nincrement: %s\ntitle: T\nstatus: completed\n---\n\n# T\n' "$1" >".specweave/increments/$1/spec.md"
  printf '# Tasks\n\n### T-001: Do it\n**Status**: [x] completed\n' >".specweave/increments/$1/tasks.md"
}
increment 0001-alone ''
increment 0002-linked '"github": {"issue": 4, "url": "https://github.com/octo/widgets/issues/4"},'
increment 0003-elsewhere '"externalLinks": {"github": {"issues": {"US-001": {"issueNumber": 4}}}},'
git add -A
git commit -q -m increments
{
  for folder in .specweave/increments/0*; do
    code=0
    specweave archive "${folder##*/}" >"$WORK/log" 2>&1 || code=$?
    echo "${folder##*/}: exit $code, $(grep -oE 'has active external sync, skipping' "$WORK/log" || ls .specweave/increments/_archive | grep -cx "${folder##*/}")"
  done
} >"$WORK/seen"
seen <<'END'
0001-alone: exit 0, 1
0002-linked: exit 0, has active external sync, skipping
0003-elsewhere: exit 0, 1
END
