"""Which tests of reports that real tools wrote a name means; `record_reports.py` records them."""

import time

import pytest
from tests.patterns.growth import MOST
from tests.unlatch_regressions.test_reports import REPORTS

from unlatch_regressions.results.added_tests import added_tests
from unlatch_regressions.results.case_names import Cases, spelled
from unlatch_regressions.results.reports import CaseName, Result, read_report

_PASSED, _FAILED, _ABSENT = Result.PASSED, Result.FAILED, "no report has it"
_NO_FILE = "the reports do not tell in which file it is"
_NOT_RUN = "it did not run: {} failed".format
# The names that a person or the diff of a commit gives, by report.
_CASES: dict[str, dict[str, Result | str]] = {
    "pytest.xml": {
        "test_search.py::test_fails": _FAILED,
        "tests/test_search.py::test_fails": _FAILED,  # run in the folder tests
        "test_search.test_passes": _PASSED,
        "other/test_find.py::test_fails": _ABSENT,
        "test_sizes": _FAILED,
        "test_sizes[1]": _PASSED,
        "test_sizes[3]": _ABSENT,
        "test_search.py::Subtests::test_sub": _FAILED,
        "test_search.py::test_sub": _FAILED,
        "test_skipped": "it was skipped",
        "test_broken.py::test_x": _NOT_RUN("test_broken"),
        "": "it names no test",
        "::": "it names no test",
        "[]": _ABSENT,
    },
    "pytest-rerunfailures.xml": {
        "test_search.py::test_fails": _FAILED,
        "test_search.py::test_passes_later": _PASSED,
    },
    "xmlrunner.xml": {
        "test_search.T.test_sub": _FAILED,
        "test_search.T.test_sub (number=1)": _FAILED,
        "test_search.T.test_sub (number=0)": _ABSENT,
        "test_search.T.test_subs_pass (number=1)": _PASSED,
        "test_search.U.test_never": _NOT_RUN("setUpClass (test_search.U)"),
        "test_broken.py::test_x": _NOT_RUN("test_broken"),
    },
    "nose2.xml": {
        "test_search.py::T::test_fails": _FAILED,
        "test_search.T.test_sub": _FAILED,
        "test_search.U.test_never": _NOT_RUN("setUpClass (test_search::U)"),
        "test_broken.py::test_x": _NOT_RUN("test_broken"),
    },
    "jest.xml": {
        "search fails": _FAILED,
        "search > passes": _PASSED,
        "hooked \u203a h2": _FAILED,
        "search.test.js::fails": _NO_FILE,
    },
    "vitest.xml": {
        "search.test.mjs > search > fails": _FAILED,
        "search.test.mjs::passes": _PASSED,
        "other.test.mjs::passes": _ABSENT,
        "hooked > h1": "it was skipped",
        "broken.test.mjs::never": _NOT_RUN("broken.test.mjs"),
    },
    "vitest.tap": {
        "search.test.mjs > search > fails": _FAILED,
        "search.test.mjs::passes": _PASSED,
        "other.test.mjs::passes": _ABSENT,
        "hooked > h1": "it was skipped",
        "broken.test.mjs::never": _NOT_RUN("broken.test.mjs"),
    },
    "mocha.xml": {
        "search fails": _FAILED,
        "search.test.js::passes": _PASSED,
        "other.test.js::passes": _ABSENT,
        "hooked h2": _NOT_RUN('hooked "before each" hook for "h1"'),
    },
    "node.xml": {"search.test.js::fails # 4": _FAILED, "other.js::passes": _ABSENT},
    "node.tap": {
        "parent > child fails": _FAILED,
        "passes": _PASSED,
        "child passes": _PASSED,
    },
    "bun.xml": {
        "shop > search > fails": _FAILED,
        "search.test.ts::search > passes": _PASSED,
        "search > shop > passes": _ABSENT,
        "search > planned": "it was skipped",
        "search.test.ts::hooked > h1": _NOT_RUN("hooked::(unnamed)"),
    },
    "bats.xml": {
        "search.bats::passes": _PASSED,
        "fails": _FAILED,
        "later": "it was skipped",
        "is last": "it was skipped",
        "never": _ABSENT,
    },
    "ctest.xml": {
        "passes": _PASSED,
        "fails": _FAILED,
        "disabled": "it was skipped",
        "staged": "it was skipped",
    },
    "behave.xml": {
        "Shop.search": _FAILED,
        "Shop > sizes": _FAILED,
        "sizes -- @1.1 small": _PASSED,
        "later": "it was skipped",
    },
    "gotestsum.xml": {
        "TestFails": _FAILED,
        "search/search_test.go::TestPasses": _PASSED,
        "other/search_test.go::TestPasses": _ABSENT,
        "search_test.go::TestFails": _NO_FILE,  # in the top folder of a module
        "TestSizes/one": _PASSED,
        "TestSizes": _FAILED,
    },
    "surefire.xml": {
        "SearchTest#fails": _FAILED,
        "src/test/java/org/example/SearchTest.java::passes": _PASSED,
        "src/test/java/com/example/SearchTest.java::passes": _ABSENT,
        "org.example.SearchTest.sizes": _FAILED,
        "sizes[1]": _PASSED,
    },
}


@pytest.mark.parametrize("report", _CASES)
def test_what_a_name_means(report: str) -> None:
    cases = Cases(read_report((REPORTS / report).read_bytes(), report).results)
    matches = {name: cases.find(name) for name in _CASES[report]}
    assert _CASES[report] == {
        name: match.result if match.is_known else match.why for name, match in matches.items()
    }


def test_every_report_has_names() -> None:
    assert {path.name for path in REPORTS.iterdir()} == _CASES.keys()


# JunitXml.TestLogger of .NET, Gradle.
_DOTNET = b"""<testsuites><testsuite name="Widgets.Tests.dll">
<testcase classname="Widgets.Tests.SearchTests" name="Sizes(size: 1)" />
<testcase classname="Widgets.Tests.SearchTests" name="Sizes(size: 2)"><failure /></testcase>
</testsuite></testsuites>"""


def test_a_test_of_dotnet() -> None:
    cases = Cases(read_report(_DOTNET, "dotnet.xml").results)
    assert _FAILED is cases.find("tests/Widgets.Tests/SearchTests.cs::Sizes").result
    assert _PASSED is cases.find("Widgets.Tests.SearchTests.Sizes(size: 1)").result


_TWICE = b"""<testsuites><testsuite name="a"><testcase classname="a.T" name="runs" /></testsuite>
<testsuite name="b"><testcase classname="b.T" name="runs"><failure /></testcase></testsuite>
</testsuites>"""


def test_two_tests_of_a_name_are_not_told_apart() -> None:
    cases = Cases(read_report(_TWICE, "r.xml").results)
    assert _FAILED is cases.find("b.T.runs").result
    match = cases.find("T.runs")
    why = "the reports have 2 tests of this name (a.T::runs, b.T::runs)"
    assert (why, False, True) == (match.why, match.is_known, match.has_failed)


def test_no_path_of_a_machine_is_shown() -> None:
    names = ("/home/dana/work/search.test.js", "C:\\work\\search.test.js")
    shown = {spelled(CaseName("", "test", name)) for name in names}
    assert {"search.test.js"} == shown


_DIFF = """\
diff --git a/tests/test_a.py b/tests/test_a.py
--- a/tests/test_a.py
+++ b/tests/test_a.py
@@ -1 +1,9 @@
-def test_changed(): pass
+def test_changed(size): pass
+class TestA:
+    async def test_new(self):
+        def helper(): pass
++++ b/no.py
diff --git a/web/a b.spec.ts b/web/a b.spec.ts
--- /dev/null
+++ b/web/a b.spec.ts\t
@@ -0,0 +1,4 @@
+  it('finds "words"', async () => {
+  test.only("runs alone", () => {});
+  it(`has ${size}`, () => {});
+  it.each([1])('is each', () => {});
diff --git a/s_test.go b/s_test.go
--- a/s_test.go
+++ b/s_test.go
@@ -0,0 +1 @@
+func TestS(t *testing.T) {}
diff --git a/S.java b/S.java
--- a/S.java
+++ b/S.java
@@ -0,0 +1,5 @@
+  @ParameterizedTest
+  @ValueSource(ints = {1})
+  void sizes(int size) {
+  void helper() {
+  @Test public void finds() {}
diff --git a/S.cs b/S.cs
--- a/S.cs
+++ b/S.cs
@@ -0,0 +1,2 @@
+    [Fact]
+    public async Task Finds() {
diff --git a/README.md b/README.md
--- a/README.md
+++ b/README.md
@@ -0,0 +1 @@
+def test_of_docs(): pass
"""


def test_tests_that_a_diff_adds() -> None:
    assert [
        "tests/test_a.py::test_new",
        'web/a b.spec.ts::finds "words"',
        "web/a b.spec.ts::runs alone",
        "s_test.go::TestS",
        "S.java::sizes",
        "S.java::finds",
        "S.cs::Finds",
    ] == added_tests(_DIFF.split("\n"))


_SHAPES = {
    "one name": lambda number: CaseName("s", f"0007-search.g{number}", "x"),
    "one end": lambda number: CaseName("s", "", f"0007-search {number} x x"),
    "one file": lambda number: CaseName("a.test.js", "a.test.js", f"0007-search > {number} > x"),
    "brackets": lambda number: CaseName("s", "g", f"x {'(' * 500}{number})"),
}


@pytest.mark.sweep
@pytest.mark.parametrize("shape", _SHAPES)
def test_the_time_grows_with_the_size_of_a_report(shape: str) -> None:
    def seconds(size: int) -> float:
        cases = [_SHAPES[shape](number) for number in range(size)]
        began = time.process_time()
        index = Cases(dict.fromkeys(cases, _FAILED))
        assert all(index.find(spelled(case)).cases for case in cases)
        return time.process_time() - began

    short = min(seconds(2_000) for _ in range(3))
    assert seconds(8_000) < MOST * short
