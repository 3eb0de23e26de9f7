#!/usr/bin/env bash
# Package: npm deno
# Version: 2.9.6
# Guess: a test file that throws while it is loaded is an error in the JUnit file of `deno test`, as
#   in the files of other tools
# Behaviour: the file and its tests are not in the report, which counts no failure and no error; only
#   the exit code and the output say that it did not run
# Relies: plugins/unlatch_regressions/results/case_names.py
# Test: tests/unlatch_regressions/test_case_names.py::test_what_a_name_means
source "$(dirname "$0")/common.sh"
npm_install deno@2.9.6
PATH="$(dirname "$(ls "$WORK"/npm/node_modules/@deno/*/deno | sort | head -n 1)"):$PATH"
project
cat >a_test.ts <<'END'
Deno.test("passes", () => {});
END
cat >b_test.ts <<'END'
Deno.test("never runs", () => {});
throw new Error("top");
END
status=0
alone deno test --no-check --junit-path=report.xml >log 2>&1 || status=$?
{
  echo "exit code $status"
  grep -o '<testsuites name="deno test" tests="[0-9]*" failures="[0-9]*" errors="[0-9]*"' report.xml
  grep -o '<testcase name="[^"]*" classname="[^"]*"' report.xml
} >"$WORK/seen"
seen <<'END'
exit code 1
<testsuites name="deno test" tests="1" failures="0" errors="0"
<testcase name="passes" classname="./a_test.ts"
END
