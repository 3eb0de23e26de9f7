"""docs/security.md and docs/reliability.md name an existing test for each promise."""

import re
from pathlib import Path

import pytest
from tests.docs.pages import ROOT, name_of, tables

SECURITY, RELIABILITY = ROOT / "docs/security.md", ROOT / "docs/reliability.md"
_TEST = re.compile(r"(?:tests|tools)/[\w/]+\.py")


both_pages = pytest.mark.parametrize("page", [SECURITY, RELIABILITY], ids=name_of)


def named_tests(page: Path) -> set[str]:
    return set(_TEST.findall(page.read_text(encoding="utf-8")))


@both_pages
def test_every_test_that_is_named_exists(page: Path) -> None:
    assert set() == {name for name in named_tests(page) if not (ROOT / name).exists()}


@both_pages
def test_every_promise_has_a_test(page: Path) -> None:
    rows = [row for table in tables(page) for row in table[1:] if table[0][-1] == "Tests"]
    assert len(rows) > 15
    assert [] == [row for row in rows if not _TEST.search(row[-1])]


def test_every_test_of_security_is_named() -> None:
    there = {f"tests/security/{path.name}" for path in (ROOT / "tests/security").glob("test_*.py")}
    assert set() == there - named_tests(SECURITY)
