"""Results of tests, from JUnit XML and TAP.

The writers agree on little: a test that failed and failed in its teardown has two cases, one case
may have several failures, and a todo that fails has both marks. So a test is what its cases have in
common, and its result is the worst of them. A test that a report does not have is unknown, and so
is one that ctest or GoogleTest say in an attribute alone not to have run.
surefire also reports a failure before a pass, as `flakyFailure`; other writers do not show it.
"""

from __future__ import annotations

import codecs
import re
from enum import IntEnum
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple
from xml.parsers import expat

from unlatch.errors import StoreError
from unlatch.patterns import pattern

if TYPE_CHECKING:
    from collections.abc import Mapping

# Reports of 50,000 tests have some 10 MB.
MOST_BYTES = 100_000_000
_MOST_DEPTH = 100
_MOST_NAME = 2_000
_MOST_MARKERS = 100
_FAULTS = frozenset({"failure", "error"})
_PASSED_LATER = frozenset({"flakyFailure", "flakyError"})
# Types of skips under which a failure is expected: node, pytest, unittest-xml-reporting.
_EXPECTED = frozenset({"todo", "pytest.xfail", "xfail"})
# What follows all tests of bats: it makes the last one a failure, whose own result is not told
# (findings/bats-last-test.sh).
_AFTER_ALL = ("(from function `teardown_file' ", "(from function `teardown_suite' ")
# Of a case without children, if it has a status at all: GoogleTest and ctest
# (findings/ctest-disabled-test.sh), behave, others.
_RAN = frozenset({"", "run", "passed", "pass", "success", "successful", "ok", "completed"})
_POINT = pattern(r"( *)(not )?ok\b(.*)", re.DOTALL)
_DIRECTIVE = pattern(r"(?<!\\)#\s*(todo|skip)", re.IGNORECASE)
# Of a test that failed: none is skipped, and every writer has capitals. Other words are those of a
# name that has a number sign (findings/qunit-name-directive.sh).
_FAILED_AS_PLANNED = pattern(r"(?<!\\)#\s*(TODO)")
_SUBTEST = pattern(r"( *)# Subtest: (.*)", re.DOTALL)
# Behind a name: how long it took (findings/vitest-tap-names.sh; node-tap as well), and what avocado
# says of a test with warnings.
_COMMENT = pattern(r"(?<!\\)[ \t]# ?(?:time=[0-9.]{1,20}m?s|Warnings were printed into warn log)\Z")
_ESCAPED = pattern(r"\\([\\#])")


class Result(IntEnum):
    """The result of a test; the highest of its cases counts."""

    SKIPPED = 0
    PASSED = 1
    FLAKY = 2  # it failed, and passed when it was run again
    FAILED = 3


# Looked up once: members of an enumeration take a while.
_PASSED = Result.PASSED


class CaseName(NamedTuple):
    """What tells a test from others in the reports of one writer.

    Args:
        place: its file as the report names it, maybe from the root of a disk; else its suite; ""
            if there is none.
        group: its class or module, or the tests around it.
    """

    place: str
    group: str
    name: str


class Report(NamedTuple):
    """What a report says.

    Args:
        markers: what the properties of a test say of it, as pytest's `record_property` writes them.
    """

    results: Mapping[CaseName, Result]
    markers: Mapping[CaseName, frozenset[str]]


class ReportInvalid(StoreError):
    """A report that cannot be read; nothing follows from it."""


def read_report(data: bytes, where: str) -> Report:
    """A report of either format; ReportInvalid."""
    if data.removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"<"):
        return read_junit(data, where)
    return Report(read_tap(data, where), {})


def read_junit(data: bytes, where: str) -> Report:
    """The results in a JUnit XML file.

    Raises:
        ReportInvalid: `report-invalid`, if it is no such file, has a document type, or is larger or
            deeper than any writer makes it.
    """
    if len(data) > MOST_BYTES:
        raise _invalid(where, f"it has more than {MOST_BYTES:,} bytes")
    parser = expat.ParserCreate()
    reader = _Junit(where, parser)
    parser.buffer_text = True
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.StartDoctypeDeclHandler = reader.refuse
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise _invalid(where, f"it is not XML ({error})") from error
    return Report(
        reader.results, {name: frozenset(texts) for name, texts in reader.markers.items()}
    )


class _Junit:
    def __init__(self, where: str, parser: expat.XMLParserType) -> None:
        self._parser = parser
        self.results: dict[CaseName, Result] = {}
        self.markers: dict[CaseName, set[str]] = {}
        self._where, self._depth = where, 0
        self._suites = [""]
        self._groups: list[str] = []
        self._case: CaseName | None = None
        self._status: str | None = None
        self._is_plain, self._begins = True, False
        self._faulty = self._skipped = self._expected = self._passed_later = False

    def refuse(self, *_: object) -> None:
        raise _invalid(self._where, "it has a document type")

    def start(self, tag: str, values: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _MOST_DEPTH:
            raise _invalid(self._where, f"its elements lie more than {_MOST_DEPTH} deep")
        if tag == "testcase" and self._depth > 1:
            value = values.get
            group, name = value("classname", ""), value("name", "")
            file = value("file")
            place = file[:_MOST_NAME] if file else self._suites[-1]
            if " > " in group:
                group = self._from_outside(group)
            self._case = CaseName(place, group[:_MOST_NAME], name[:_MOST_NAME])
            self._status, self._is_plain = value("status"), True
        elif tag == "testsuite":
            # mocha names the file of a suite alone.
            name = values.get("file") or values.get("name", "")
            self._suites.append(name[:_MOST_NAME])
            self._groups.append(values.get("name", ""))
        elif self._depth == 1 and tag != "testsuites":
            raise _invalid(self._where, "it has no test suites")
        elif self._case is not None:
            self._child(self._case, tag, values)

    def _from_outside(self, group: str) -> str:
        """The tests around a case from the outermost one: bun writes the innermost first."""
        around = self._groups[1:]
        return " > ".join(around) if group == " > ".join(reversed(around)) else group

    def _child(self, case: CaseName, tag: str, values: dict[str, str]) -> None:
        if self._is_plain:
            self._faulty = self._skipped = self._expected = self._passed_later = False
        self._is_plain = False
        if tag in _FAULTS:
            self._begins, self._faulty = not self._faulty, True
            self._parser.CharacterDataHandler = self._explain
        elif tag in _PASSED_LATER:
            self._passed_later = True
        elif tag == "skipped":
            self._skipped = True
            self._expected |= values.get("type", "").lower() in _EXPECTED
        elif tag == "property":
            markers = self.markers.setdefault(case, set())
            if len(markers) < _MOST_MARKERS:
                markers.update(values.get(key, "")[:_MOST_NAME] for key in ("name", "value"))

    def _explain(self, text: str) -> None:
        """Take the beginning of the text of a fault, which may be about another one."""
        if self._begins and text.startswith(_AFTER_ALL):
            self._faulty, self._skipped = False, True
        self._begins = False

    def end(self, tag: str) -> None:
        self._depth -= 1
        if tag == "testsuite":
            self._suites.pop()
            self._groups.pop()
        elif tag in _FAULTS:
            self._parser.CharacterDataHandler = None
        elif tag == "testcase" and (case := self._case) is not None:
            # Most cases have no children; 50,000 of them would notice each step.
            if self._is_plain and self._status is None:
                result = _PASSED
            else:
                result = self._without_child if self._is_plain else self._result
            earlier = self.results.setdefault(case, result)
            if earlier is not result and earlier < result:
                self.results[case] = result
            self._case = None

    @property
    def _without_child(self) -> Result:
        return _PASSED if (self._status or "").casefold() in _RAN else Result.SKIPPED

    @property
    def _result(self) -> Result:
        if self._faulty and not self._expected:
            return Result.FAILED
        if self._passed_later:
            return Result.FLAKY
        return Result.SKIPPED if self._skipped else self._without_child


def read_tap(data: bytes, where: str) -> Mapping[CaseName, Result]:
    """The results in a TAP file; the tests around a subtest are its group.

    Raises:
        ReportInvalid: `report-invalid`, if it has no plan, or is larger than any writer makes it.
    """
    if len(data) > MOST_BYTES:
        raise _invalid(where, f"it has more than {MOST_BYTES:,} bytes")
    results: dict[CaseName, Result] = {}
    around: list[tuple[int, str]] = []
    has_plan = in_block = False
    lines = data.decode("utf-8", "replace").split("\n")
    for line, following in pairwise((*lines, "")):
        text = line.rstrip("\r")
        stripped = text.strip()
        if in_block or stripped == "---":
            in_block = stripped != "..."
            continue
        has_plan |= text.startswith("1..")
        opens = text.endswith(" {") and _is_group(text, following)
        if match := _SUBTEST.fullmatch(text):
            around = [test for test in around if test[0] < len(match[1])][:_MOST_DEPTH]
            around.append((len(match[1]), match[2][:_MOST_NAME]))
        elif match := _POINT.fullmatch(text.removesuffix(" {") if opens else text):
            around = [test for test in around if test[0] < len(match[1])][:_MOST_DEPTH]
            case, result = _point(match, " > ".join(name for _, name in around))
            _add(results, case, result)
            if opens:
                around.append((len(match[1]), case.name))
    if not has_plan:
        raise _invalid(where, "it has no plan (1..N), so tests may be missing")
    return results


def _is_group(point: str, following: str) -> bool:
    """Whether the next line is that of a test in a group, and no details of a single test."""
    inner = following.lstrip(" ")
    is_deeper = len(following) - len(inner) > len(point) - len(point.lstrip(" "))
    return is_deeper and not inner.startswith("---")


def _point(match: re.Match[str], group: str) -> tuple[CaseName, Result]:
    numbered, directive = match[3].lstrip(), ""
    number = numbered.partition(" ")[0]
    text = numbered[len(number) :] if number.isdecimal() else numbered
    text = text.lstrip().removeprefix("- ")
    if marked := (_FAILED_AS_PLANNED if match[2] else _DIRECTIVE).search(text):
        text, directive = text[: marked.start()], marked[1].lower()
    name = _ESCAPED.sub(r"\1", _COMMENT.sub("", text.strip()).strip())
    result = Result.FAILED if match[2] else Result.PASSED
    if directive:
        result = Result.SKIPPED
    return CaseName("", group[:_MOST_NAME], name[:_MOST_NAME]), result


def _add(results: dict[CaseName, Result], name: CaseName, result: Result) -> None:
    earlier = results.get(name)
    if earlier is None or earlier < result:
        results[name] = result


def _invalid(where: str, why: str) -> ReportInvalid:
    hint = "write the report again, as JUnit XML or TAP"
    return ReportInvalid(
        "report-invalid", f"the report cannot be read: {why}", where=where, hint=hint
    )
