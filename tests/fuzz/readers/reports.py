"""Reports of tests, and the tests that a diff adds."""

from tests.docs.pages import ROOT
from tests.fuzz.target import Target, text_of

from unlatch_regressions.results.added_tests import added_tests
from unlatch_regressions.results.case_names import Cases, Match, spelled
from unlatch_regressions.results.reports import ReportInvalid, read_report

_REPORTS = ROOT / "tests/unlatch_regressions/reports"
_DIFFS = [
    f"diff --git a/{file} b/{file}\n--- a/{file}\n+++ b/{file}\n@@ -1 +1,2 @@\n+{line}\n".encode()
    for file, line in (
        ("t.py", "def test_a(): pass"),
        ("t.ts", "  it('finds', () => {});"),
        ("t.java", "  @Test void finds() {}"),
    )
]


def _read(data: bytes) -> list[Match] | None:
    try:
        results = read_report(data, "report").results
    except ReportInvalid:
        return None
    cases = Cases(results)
    return [cases.find(name) for case in [*results][:20] for name in (case.name, spelled(case))]


TARGETS = {
    "report": Target(
        _read,
        lambda: [path.read_bytes() for path in sorted(_REPORTS.iterdir())],
        lambda matches: matches is not None and not matches,
    ),
    "added-tests": Target(
        lambda data: added_tests(text_of(data).split("\n")),
        lambda: _DIFFS,
        lambda tests: len(tests) > 1,
    ),
}
