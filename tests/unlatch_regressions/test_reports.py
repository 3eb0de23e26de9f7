"""Results of tests in reports that real tools wrote; `record_reports.py` records them."""

from pathlib import Path

import pytest

from unlatch_regressions.results.reports import (
    MOST_BYTES,
    CaseName,
    ReportInvalid,
    Result,
    read_junit,
    read_report,
    read_tap,
)

REPORTS = Path(__file__).parent / "reports"
_SKIPPED, _PASSED, _FLAKY, _FAILED = Result
_CASE = '<testcase classname="c" name="t">{}</testcase>'


def test_pytest() -> None:
    results, markers = read_junit((REPORTS / "pytest.xml").read_bytes(), "pytest.xml")
    assert {(name.group, name.name): result for name, result in results.items()} == {
        ("", "test_broken"): _FAILED,  # the module, which cannot be imported
        ("test_search", "test_passes"): _PASSED,
        ("test_search", "test_fails"): _FAILED,
        # Two cases, a failure and an error.
        ("test_search", "test_fails_twice"): _FAILED,
        ("test_search", "test_passes_and_ends_badly"): _FAILED,
        ("test_search", "test_skipped_and_ends_badly"): _FAILED,
        ("test_search", "test_skipped"): _SKIPPED,
        ("test_search", "test_expected"): _SKIPPED,
        ("test_search", "test_strict_passes"): _FAILED,
        ("test_search", "test_sizes[1]"): _PASSED,
        ("test_search", "test_sizes[2]"): _FAILED,
        ("test_search", "test_marked"): _PASSED,
        ("test_search.Subtests", "test_sub"): _FAILED,
    }
    assert {"SCRUM-28", "guards"} == markers[CaseName("pytest", "test_search", "test_marked")]


def test_node() -> None:
    same = {
        "passes": _PASSED,
        "fails # 4": _FAILED,
        "skipped": _SKIPPED,
        "todo fails": _SKIPPED,
        "child passes": _PASSED,
        "child fails": _FAILED,
    }
    junit = read_junit((REPORTS / "node.xml").read_bytes(), "node.xml").results
    assert {name.name: result for name, result in junit.items()} == same
    tap = read_tap((REPORTS / "node.tap").read_bytes(), "node.tap")
    # In TAP the parent has a point of its own.
    assert {name.name: result for name, result in tap.items()} == {**same, "parent": _FAILED}
    assert tap[CaseName("", "parent", "child fails")] is _FAILED


@pytest.mark.parametrize(
    ("cases", "result"),
    [
        (["", "<failure/>", ""], _FAILED),  # three attempts, of which one failed
        (["<failure/><failure/>"], _FAILED),
        (['<skipped type="todo"/><failure/>'], _SKIPPED),
        (['<failure/><skipped type="XFAIL"/>'], _SKIPPED),
        (["<skipped/><error/>"], _FAILED),
        (["<system-out>failure</system-out>"], _PASSED),
        (["<skipped/>", ""], _PASSED),
        (["<flakyFailure/>", ""], _FLAKY),
        (["<failure/><rerunFailure/>"], _FAILED),
    ],
)
def test_the_worst_of_all_cases_counts(cases: list[str], result: Result) -> None:
    text = f'<testsuite name="s">{"".join(map(_CASE.format, cases))}</testsuite>'
    results = read_report(text.encode(), "r.xml").results
    assert {CaseName("s", "c", "t"): result} == results


def test_a_status_has_any_case() -> None:
    text = '<testsuite name="s"><testcase name="t" classname="c" status="{}"/></testsuite>'
    for status, result in (("PASSED", _PASSED), ("Passed", _PASSED), ("Disabled", _SKIPPED)):
        results = read_report(text.format(status).encode(), "r.xml").results
        assert {CaseName("s", "c", "t"): result} == results


_ENTITY = '<!DOCTYPE x [<!ENTITY e "ee">]><testsuite name="&e;"/>'


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (_ENTITY, "document type"),
        ("<html/>", "no test suites"),
        ("", "not XML"),
        (f"<testsuite>{_CASE.format('')}", "not XML"),  # cut off
        ('<?xml version="1.0" encoding="x-none"?><testsuite/>', "not XML"),
        ("<testsuite>" * 101, "more than 100 deep"),
        (" " * (MOST_BYTES + 1), "bytes"),
    ],
)
def test_what_is_no_junit_report_is_refused(text: str, why: str) -> None:
    with pytest.raises(ReportInvalid, match=why) as raised:
        read_junit(text.encode(), "r.xml")
    assert (raised.value.id, raised.value.where) == ("report-invalid", "r.xml")


def test_tap_without_its_plan_is_refused() -> None:
    # node writes the plan last; those of subtests do not tell that all tests ran.
    text = "TAP version 13\n# Subtest: a\n    ok 1 - b\n    1..1\nok 1 - a\n"
    with pytest.raises(ReportInvalid, match="no plan"):
        read_tap(text.encode(), "r.tap")
    assert read_tap(f"{text}1..1\n".encode(), "r.tap") == {
        CaseName("", "a", "b"): _PASSED,
        CaseName("", "", "a"): _PASSED,
    }


@pytest.mark.parametrize(
    ("lines", "names"),
    [
        # node-tap 21, and avocado 113.
        (["ok 1 - finds # time=13.18ms", "    # Subtest: no"], {("", "finds")}),
        (
            ["ok 3 t.py:T.test_warn  # Warnings were printed into warn log"],
            {("", "t.py:T.test_warn")},
        ),
        (["ok 1 - finds #4 # SKIP"], {("", "finds #4")}),
        (["ok 1 - says \\# time=3ms"], {("", "says # time=3ms")}),
        (
            ["ok 1 - a # time=2s {", "    ok 1 - b", "}", "ok 2 - c"],
            {("", "a"), ("a", "b"), ("", "c")},
        ),
        (
            ["not ok 1 - opens {", "    ---", "    at: 1", "    ...", "ok 2 - {"],
            {("", "opens {"), ("", "{")},
        ),
    ],
)
def test_a_point_of_tap_has_the_name_of_its_test(
    lines: list[str], names: set[tuple[str, str]]
) -> None:
    results = read_tap("\n".join([*lines, "1..1"]).encode(), "r.tap")
    assert names == {(case.group, case.name) for case in results}


@pytest.mark.parametrize(
    ("point", "name", "result"),
    [
        ("not ok 1 shop > shows # skip link", "shop > shows # skip link", _FAILED),
        ("not ok 1 shop > fixes #todo list", "shop > fixes #todo list", _FAILED),
        ("not ok 1 shop > planned # TODO", "shop > planned", _SKIPPED),
        ("not ok 1 - planned # TODO until May", "planned", _SKIPPED),
        ("ok 1 # skip no network", "", _SKIPPED),
        ("ok 1 shop > later # SKIP", "shop > later", _SKIPPED),
    ],
)
def test_a_failed_test_is_not_skipped_by_its_name(point: str, name: str, result: Result) -> None:
    results = read_tap(f"{point}\n1..1\n".encode(), "r.tap")
    assert {CaseName("", "", name): result} == results
