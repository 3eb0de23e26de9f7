#!/usr/bin/env bash
# Package: npm remark-gfm
# Version: 4.0.1
# Guess: remark with remark-gfm, which knows check boxes, leaves the boxes of a list of tasks as they
#   are, whatever stands in them
# Behaviour: it knows `[ ]` and `[x]` before a blank alone: `[-]`, `[~]` and Kiro's `[ ]*` of optional
#   tasks get a backslash, as `\[-]`, and so does each box in a heading, and the number `1.`; a
#   reader of boxes does not see these tasks, which are open
# Relies: core/unlatch/increments/documents/marks.py
# Test: tests/increments/layouts/kiro/test_tasks.py::test_boxes_that_a_formatter_escaped_are_boxes
source "$(dirname "$0")/common.sh"
npm_install remark-cli@12.0.1 remark-gfm@4.0.1
project
cat >tasks.md <<'TASKS'
- [ ] 1. Search
  - [x] 1.1 Index the words
  - [-] 1.2 Find them
  - [~] 1.3 Show them
  - [ ]* 1.4 Test it

### [ ] T-002: Store
TASKS
ln -s "$WORK/npm/node_modules" node_modules
remark tasks.md --use remark-gfm --quiet >"$WORK/seen" 2>&1
seen <<'END'
* [ ] 1\. Search
  * [x] 1.1 Index the words
  * \[-] 1.2 Find them
  * \[\~] 1.3 Show them
  * \[ ]\* 1.4 Test it

### \[ ] T-002: Store
END
