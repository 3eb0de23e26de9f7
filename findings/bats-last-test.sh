#!/usr/bin/env bash
# Package: npm bats
# Version: 1.13.0
# Guess: in the JUnit file of bats a teardown_file that fails is a case of its own, as in its TAP, and
#   the tests before it keep their results
# Behaviour: the last test of the file is a failure, although it passed or was skipped, and only the
#   text of that names teardown_file; of a file whose setup_file fails no test is there, and the case
#   "setup_file failed" does not name the file
# Relies: plugins/unlatch_regressions/results/reports.py
# Test: tests/unlatch_regressions/test_case_names.py::test_what_a_name_means
source "$(dirname "$0")/common.sh"
npm_install bats@1.13.0
project
cat >search.bats <<'END'
@test "passes" { true; }
@test "is last" { true; }
teardown_file() { false; }
END
cat >broken.bats <<'END'
setup_file() { false; }
@test "never runs" { true; }
END
bats() { alone bash "$WORK/npm/node_modules/bats/bin/bats" "$@" broken.bats search.bats || true; }
{
  bats --formatter tap | grep -E '^(not )?ok'
  bats --formatter junit | grep -E '<(testcase|failure)' | sed 's/ time="[^"]*"//'
} >"$WORK/seen" 2>&1
seen <<'END'
not ok 1 setup_file failed
ok 2 passes
ok 3 is last
not ok 4 teardown_file failed
    <testcase classname="setup_suite" name="setup_file failed">
        <failure type="failure">(from function `setup_file&#39; in test file broken.bats, line 1)
    <testcase classname="search.bats" name="passes" />
    <testcase classname="search.bats" name="is last">
        <failure type="failure">(from function `teardown_file&#39; in test file search.bats, line 3)
END
