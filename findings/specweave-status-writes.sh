#!/usr/bin/env bash
# Package: npm specweave
# Version: 1.0.593
# Guess: `status` writes nothing, but perhaps a cache
# Behaviour: `status` rewrites metadata.json of each active increment: it adds externalLinks, testMode
#   and coverageTarget, lays the JSON out anew, and takes the last newline away
# Relies: plugins/unlatch_merge/metadata.py
# Test: tests/increments/merge/test_merge.py::test_a_reopen_survives_what_specweave_status_makes_of_the_file
source "$(dirname "$0")/common.sh"
npm_install specweave@1.0.593
project
mkdir -p .specweave/increments/0001-one
echo '{"version": "2.0", "project": {"name": "demo"}}' >.specweave/config.json
cat >.specweave/increments/0001-one/metadata.json <<'END'
{"id": "0001-one", "status": "active", "type": "feature", "priority": "P1", "ours": {"a": [1, 2]},
 "created": "2026-01-01T10:00:00.000Z", "lastActivity": "2026-01-02T10:00:00.000Z"}
END
printf -- '---\nincrement: 0001-one\ntitle: T\nstatus: active\n---\n\n# T\n' >.specweave/increments/0001-one/spec.md
printf '# Tasks\n\n### T-001: Do it\n**Status**: [ ] pending\n' >.specweave/increments/0001-one/tasks.md
git add -A
git commit -q -m increments
{
  specweave status >"$WORK/log" 2>&1
  git status --short -- .specweave/increments
  cat .specweave/increments/0001-one/metadata.json
  echo
  echo "newlines: $(wc -l <.specweave/increments/0001-one/metadata.json)"
} >"$WORK/seen"
seen <<'END'
 M .specweave/increments/0001-one/metadata.json
{
  "id": "0001-one",
  "status": "active",
  "type": "feature",
  "priority": "P1",
  "ours": {
    "a": [
      1,
      2
    ]
  },
  "created": "2026-01-01T10:00:00.000Z",
  "lastActivity": "2026-01-02T10:00:00.000Z",
  "externalLinks": {},
  "testMode": "test-after",
  "coverageTarget": 80
}
newlines: 16
END
