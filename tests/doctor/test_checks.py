"""The table of checks, and a row of it."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from unlatch.errors import ConfigError, StoreError
from unlatch_doctor.checks import ANY_ERROR, CHECKS, checks_of_layouts
from unlatch_doctor.finding import Check, Finding, Found, Hits, Severity, several

ROOT = Path("/project")


def test_an_id_has_one_row() -> None:
    checks = (*CHECKS, *checks_of_layouts())
    counted = Counter(check.id for check in checks if check.id != ANY_ERROR)
    assert {1} == set(counted.values())


@pytest.mark.parametrize(
    ("severity", "expected"),
    [
        (Severity.ERROR, Severity.ERROR),
        (Severity.WARNING, Severity.WARNING),
        (Severity.NOTE, Severity.ERROR),
    ],
)
def test_an_error_ends_its_check_and_keeps_its_own_id(
    severity: Severity, expected: Severity
) -> None:
    def find(_: str) -> Hits:
        yield Found("before")
        raise StoreError("unsafe-path", "x is a link", where=f"{ROOT}/x", hint="remove it")

    first, second = Check("odd", severity, find).run("", ROOT)
    assert ("odd", severity) == (first.id, first.severity)
    assert Finding(expected, "unsafe-path", "x is a link", "x", "remove it") == second


def test_each_mistake_of_a_configuration_is_a_finding() -> None:
    error = ConfigError(("a: wrong", "b: unknown"), where=f"{ROOT}/config.toml")
    check: Check[str] = Check("odd", Severity.ERROR, lambda _: [error])
    found = check.run("", ROOT)
    assert [("config-invalid", "a: wrong"), ("config-invalid", "b: unknown")] == [
        (one.id, one.message) for one in found
    ]


def test_checks_that_share_a_search_search_once_for_a_subject() -> None:
    searched = []

    @several
    def find(subject: str) -> Iterator[tuple[str, Found]]:
        searched.append(subject)
        yield from (("a", Found("1")), ("b", Found("2")), ("a", Found("3")))

    checks = [Check(name, Severity.NOTE, find(name)) for name in ("a", "b", "c")]
    said = [[one.message for one in check.run("x", ROOT)] for check in checks]
    assert ([["1", "3"], ["2"], []], ["x"]) == (said, searched)
