#!/usr/bin/env bash
# Package: pypi behave
# Version: 1.3.3
# Guess: in the JUnit file of behave the cases of a scenario outline have its name with the values of
#   their row, so that a row keeps its name when others are added
# Behaviour: they have the numbers of the table and of the row and the name of the table, no value: a
#   row that is added above gives the name of each row below to the one before it
# Relies: plugins/unlatch_regressions/results/case_names.py
# Test: tests/unlatch_regressions/test_case_names.py::test_what_a_name_means
source "$(dirname "$0")/common.sh"
pip_install behave==1.3.3
project
mkdir -p features/steps
cat >features/steps/shop.py <<'END'
from behave import when

@when("{number} are taken")
def take(context, number):
    assert number != "2"
END
for rows in "1 2" "0 1 2"; do
  {
    printf 'Feature: Shop\n  Scenario Outline: sizes\n    When <number> are taken\n    Examples: small\n      | number |\n'
    printf '      | %s |\n' $rows
  } >features/shop.feature
  behave --junit --junit-directory . --quiet >log 2>&1 || true
  echo "rows $rows"
  grep -o '<testcase [^>]*>' TESTS-shop.xml | sed 's/ time="[^"]*"//'
done >"$WORK/seen"
seen <<'END'
rows 1 2
<testcase classname="shop.Shop" name="sizes -- @1.1 small" status="passed">
<testcase classname="shop.Shop" name="sizes -- @1.2 small" status="failed">
rows 0 1 2
<testcase classname="shop.Shop" name="sizes -- @1.1 small" status="passed">
<testcase classname="shop.Shop" name="sizes -- @1.2 small" status="passed">
<testcase classname="shop.Shop" name="sizes -- @1.3 small" status="failed">
END
