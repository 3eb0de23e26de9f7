"""docs/security.md names tests that are there."""

from __future__ import annotations

import re

from tests.docs.pages import ROOT

PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
_TEST = re.compile(r"`((?:tests|tools)/[^`]+)`")


def test_every_test_that_is_named_is_there() -> None:
    named = set(_TEST.findall(PAGE))

    assert named
    assert set() == {name for name in named if not (ROOT / name).exists()}


def test_every_test_of_security_is_named() -> None:
    there = {f"tests/security/{path.name}" for path in (ROOT / "tests/security").glob("test_*.py")}

    assert set() == there - set(_TEST.findall(PAGE))


def test_every_promise_has_a_test() -> None:
    rows = [line for line in PAGE.split("## Tokens", 1)[1].splitlines() if line.startswith("| ")]
    promises = [row for row in rows if not row.startswith(("| Promise", "| Where"))]

    assert [] == [row for row in promises if not _TEST.search(row)]
