#!/usr/bin/env bash
# Package: npm qunit
# Version: 3.0.0
# Guess: in the TAP of QUnit a number sign in the name of a test has a backslash, as node, vitest and
#   node-tap write it, so that no name reads as a directive
# Behaviour: the name stands there as it is: by the rules of TAP the tests "shows # skip link" and
#   "fixes #todo list", which failed and which QUnit counts as failed, are skipped and planned (tape
#   and ava write such names in the same way)
# Relies: plugins/unlatch_regressions/results/reports.py
# Test: tests/unlatch_regressions/test_reports.py::test_a_failed_test_is_not_skipped_by_its_name
source "$(dirname "$0")/common.sh"
npm_install qunit@3.0.0
project
cat >shop.js <<'END'
QUnit.module("shop", () => {
  QUnit.test("shows # skip link", (assert) => assert.ok(false));
  QUnit.test("fixes #todo list", (assert) => assert.ok(false));
  QUnit.test("opens # skip link", (assert) => assert.ok(true));
  QUnit.todo("planned", (assert) => assert.ok(false));
  QUnit.skip("later", (assert) => assert.ok(true));
});
END
{
  alone qunit shop.js || echo "exit code $?"
} 2>&1 | grep -E '^(ok|not ok|#|exit)' >"$WORK/seen"
seen <<'END'
not ok 1 shop > shows # skip link
not ok 2 shop > fixes #todo list
ok 3 shop > opens # skip link
not ok 4 shop > planned # TODO
ok 5 shop > later # SKIP
# pass 1
# skip 1
# todo 1
# fail 2
exit code 1
END
