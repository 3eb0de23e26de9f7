#!/usr/bin/env bash
# Package: npm bun
# Version: 1.4.5
# Guess: in the JUnit file of `bun test` the classname of a test is the names of the describe blocks
#   around it, the outermost first, as in its own output; where a beforeAll throws, its tests have
#   failed or are skipped
# Behaviour: the classname begins with the innermost block, while the nested suites and the output have
#   the other order; in place of the tests of the block there is one case "(unnamed)"
# Relies: plugins/unlatch_regressions/results/case_names.py
# Test: tests/unlatch_regressions/test_case_names.py::test_what_a_name_means
source "$(dirname "$0")/common.sh"
npm_install bun@1.4.5
PATH="$(dirname "$(ls "$WORK"/npm/node_modules/@oven/bun-*/bin/bun | sort | head -n 1)"):$PATH"
project
cat >search.test.ts <<'END'
import { beforeAll, describe, expect, test } from "bun:test";
describe("shop", () => {
  describe("search", () => {
    test("fails", () => { expect(1).toBe(2); });
  });
});
describe("hooked", () => {
  beforeAll(() => { throw new Error("hook"); });
  test("first", () => {});
  test("second", () => {});
});
END
alone bun test --reporter=junit --reporter-outfile=report.xml >log 2>&1 || true
{
  sed -n 's/^(fail) \(.*\) \[.*/output: \1/p' log
  grep -o '<testcase name="[^"]*" classname="[^"]*"' report.xml | sed 's/&gt;/>/g'
} >"$WORK/seen"
seen <<'END'
output: shop > search > fails
output: hooked > (unnamed)
<testcase name="fails" classname="search > shop"
<testcase name="(unnamed)" classname="hooked"
END
