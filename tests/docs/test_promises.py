"""docs/security.md and docs/reliability.md name an existing test for each promise."""

import re
from itertools import pairwise
from pathlib import Path

import pytest
from tests.docs.pages import ROOT, name_of, tables

SECURITY, RELIABILITY = ROOT / "docs/security.md", ROOT / "docs/reliability.md"
# The sections that are lists of promises, each with its tests.
_SECTIONS = {
    SECURITY: {
        "Tokens, hosts and consent",
        "Files of the repository",
        "Git and other programs",
        "Answers of trackers",
        "Released packages",
    },
    RELIABILITY: {"Promises"},
}
_TEST = re.compile(r"(?:tests|tools)/[\w/]+\.py")


both_pages = pytest.mark.parametrize("page", [SECURITY, RELIABILITY], ids=name_of)


def named_tests(page: Path) -> set[str]:
    return set(_TEST.findall(page.read_text(encoding="utf-8")))


@both_pages
def test_every_test_that_is_named_exists(page: Path) -> None:
    assert set() == {name for name in named_tests(page) if not (ROOT / name).exists()}


@both_pages
def test_every_promise_has_a_test(page: Path) -> None:
    promises = _promises(page)
    assert len(promises) > 30
    assert [] == [promise for promise in promises if not _TEST.search(promise)]


def _promises(page: Path) -> list[str]:
    rows = [row[-1] for table in tables(page) for row in table[1:] if table[0][-1] == "Tests"]
    lines = page.read_text(encoding="utf-8").splitlines()
    sections = [index for index, line in enumerate(lines) if line.startswith("## ")]
    for start, end in pairwise([*sections, len(lines)]):
        if lines[start].removeprefix("## ") in _SECTIONS[page]:
            rows += [line for line in lines[start:end] if line.startswith("- ")]
    return rows


def test_every_test_of_security_is_named() -> None:
    there = {f"tests/security/{path.name}" for path in (ROOT / "tests/security").glob("test_*.py")}
    assert set() == there - named_tests(SECURITY)
