#!/usr/bin/env bash
# Package: pypi cmake
# Version: 4.4.5
# Guess: in the JUnit file of ctest a disabled test has a `skipped` element, and one whose program is
#   missing a `failure`, as ctest counts both
# Behaviour: the disabled one has no child that says so, only status="disabled", and a reader of
#   elements takes it for passed; the missing program is `skipped`, although ctest lists the test
#   among those that failed, and so is a test whose fixture failed
# Relies: plugins/unlatch_regressions/results/reports.py
# Test: tests/unlatch_regressions/test_case_names.py::test_what_a_name_means
source "$(dirname "$0")/common.sh"
pip_install cmake==4.4.5
project
cat >CTestTestfile.cmake <<'END'
add_test(passes true)
add_test(disabled true)
set_tests_properties(disabled PROPERTIES DISABLED TRUE)
add_test(absent /nowhere/absent)
add_test(stage false)
set_tests_properties(stage PROPERTIES FIXTURES_SETUP staged)
add_test(staged true)
set_tests_properties(staged PROPERTIES FIXTURES_REQUIRED staged)
END
status=0
ctest --output-junit report.xml >log 2>&1 || status=$?
cat >"$WORK/try.py" <<'PYTHON'
import sys
from xml.etree import ElementTree

for case in ElementTree.parse(sys.argv[1]).iter("testcase"):
    kinds = sorted(child.tag for child in case if child.tag in ("failure", "error", "skipped"))
    print(f"report: {case.get('name')} status={case.get('status')} {' '.join(kinds) or '-'}")
PYTHON
{
  echo "exit code $status"
  sed -n 's/^\t *[0-9]* - \(.*\)/ctest: \1/p' log
  python "$WORK/try.py" report.xml
} >"$WORK/seen"
seen <<'END'
exit code 8
ctest: disabled (Disabled)
ctest: absent (Not Run)
ctest: stage (Failed)
ctest: staged (Not Run)
report: passes status=run -
report: disabled status=disabled -
report: absent status=notrun skipped
report: stage status=fail failure
report: staged status=notrun skipped
END
