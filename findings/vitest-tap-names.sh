#!/usr/bin/env bash
# Package: npm vitest
# Version: 5.1.2
# Guess: in the TAP of vitest a point has the name of its test, and what vitest says besides is in the
#   block below it; nested tests are subtests with a comment in front, as node and node-tap write them
# Behaviour: the point goes on with the time it took, which differs from run to run, as a comment that is
#   no directive ("# time=1.52ms"); a group is the point in front of its tests, ends with a brace,
#   and has no comment; only skipped tests have names that stay
# Relies: plugins/unlatch_regressions/results/reports.py
# Test: tests/unlatch_regressions/test_case_names.py::test_what_a_name_means
source "$(dirname "$0")/common.sh"
npm_install vitest@5.1.2
project
cat >search.test.mjs <<'END'
import { describe, expect, test } from "vitest";
describe("shop", () => {
  test("finds #4", () => {});
  test("fails", () => { expect(1).toBe(2); });
  test.skip("later", () => {});
});
END
ln -s "$WORK/npm/node_modules" node_modules
for reporter in tap tap-flat; do
  echo "$reporter"
  alone vitest run --reporter="$reporter" 2>&1 | grep -E '^ *(not )?ok|^ *}' || true
done | sed 's/time=[0-9.]*ms/time=Nms/' >"$WORK/seen"
seen <<'END'
tap
not ok 1 - search.test.mjs # time=Nms {
    not ok 1 - shop # time=Nms {
        ok 1 - finds \#4 # time=Nms
        not ok 2 - fails # time=Nms
        ok 3 - later # SKIP
    }
}
tap-flat
ok 1 - search.test.mjs > shop > finds \#4 # time=Nms
not ok 2 - search.test.mjs > shop > fails # time=Nms
ok 3 - search.test.mjs > shop > later # SKIP
END
