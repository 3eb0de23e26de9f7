"""Tests that a commit adds, read from its diff."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.patterns import pattern
from unlatch_regressions.branch.commits import changed_lines_of
from unlatch_regressions.results.case_names import CODE, is_code

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

# Of a line that a person wrote.
_LONGEST = 1_000
_PYTHON = pattern(r"(?:async )?def (test\w*+)\(")
_GO = pattern(r"func (Test\w*+)\(")
_SCRIPT = pattern(r"""(?:it|test)(?:\.\w++)?+\((?:'([^'\\]++)'|"([^"\\]++)"|`([^`\\$]++)`),""")
# Of Java, Kotlin and C#: a mark, and behind it or in one of the next lines the name.
_MARK = pattern(r"@(?:\w*Test)\b|\[(?:Fact|Theory|Test|TestCase|TestMethod)\b")
_METHOD = pattern(r"\b(?:void|Task|fun) (\w++)\(")


def tests_added_by(root: Path, commits: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """The tests that commits add, as `added_tests`."""
    for commit, diff in changed_lines_of(root, commits, (f"*{end}" for end in CODE)):
        yield commit, added_tests(diff.split("\n"))


def added_tests(diff: Iterable[str]) -> list[str]:
    """The tests that a diff of git adds, as `FILE::NAME`.

    A test that is also removed was moved or changed.
    """
    tests: dict[str, dict[str, str]] = {"+": {}, "-": {}}
    for sign, file, name in _tests(diff):
        tests[sign].setdefault(name, f"{file}::{name}")
    return [test for name, test in tests["+"].items() if name not in tests["-"]]


def _tests(diff: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    files, is_header = {"+": "", "-": ""}, True
    marked = dict.fromkeys(files, False)
    for line in diff:
        sign, text = line[:1], line[1:]
        if line.startswith(("diff --git ", "@@ ")):
            is_header = line.startswith("d")
            marked = dict.fromkeys(files, False)
        elif is_header and line.startswith(("--- a/", "+++ b/")):
            files[sign] = line[6:].removesuffix("\t")
        elif not is_header and sign in files and len(text) < _LONGEST:
            is_marked = marked[sign] or _MARK.match(text.lstrip()) is not None
            name = _name(files[sign], text, is_marked=is_marked)
            marked[sign] = is_marked and not name
            if name:
                yield sign, files[sign], name


def _name(file: str, line: str, *, is_marked: bool) -> str:
    """The name of the test that begins in a line; "" without one."""
    if not is_code(file):
        return ""
    text = line.strip()
    if file.endswith((".java", ".kt", ".cs")):
        match = _METHOD.search(text) if is_marked else None
    else:
        match = {"y": _PYTHON, "o": _GO}.get(file[-1], _SCRIPT).match(text)
    return next(filter(None, match.groups()), "") if match else ""
