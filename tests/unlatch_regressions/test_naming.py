"""Texts that name an alert, and texts that only look like it."""

from datetime import UTC, datetime

import pytest

from unlatch_regressions.alerts.alert import Alert
from unlatch_regressions.alerts.naming import means

SITE = "https://mon.example"
PAGE = f"{SITE}/alerts/5"
ISSUES = "https://sonar.example/project/issues?id=p"
GITHUB = "https://github.com/octo/widgets"


def names(text: str, name: str, home: str = "") -> bool:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    return means(text, Alert((name,), "", "", at, names=(name,), home=home))


@pytest.mark.parametrize(
    "text",
    [
        PAGE,
        f"{PAGE}/",
        f"See {PAGE}. It is slow",
        f"({PAGE}), and others",
        f"<{PAGE}>",
        f"**{PAGE}**",
        f"'{PAGE}', \"{PAGE}\"",
        f"[the alert]({PAGE})s",
        f"[{PAGE}]({SITE}/other)",
        f"[it]({PAGE}.html) `{PAGE}`",
        f"<td>{PAGE}</td>",
    ],
)
def test_an_address_that_stands_by_itself(text: str) -> None:
    assert names(text, PAGE)
    assert names(text, f"{PAGE}/")


@pytest.mark.parametrize(
    ("text", "address"),
    [
        (f"{SITE}.com/", SITE),
        (f"{SITE}/alerts?id=5&x=1", f"{SITE}/alerts"),
        (f"{SITE}/alerts/5.1", PAGE),
        (f"{PAGE}%202", PAGE),
        (f"{PAGE}/events/9", PAGE),
        (f"{PAGE}#more", PAGE),
        (f"{PAGE}.html", PAGE),
        (f"{PAGE})2", PAGE),
        (f"{PAGE}_2 {PAGE}-2 {PAGE}2", PAGE),
        (f"{ISSUES}&open=AX1", ISSUES),
        (f"https://evil.example/?u={PAGE}", PAGE),
        (f"https://archive.example/web/{PAGE}", PAGE),
    ],
)
def test_a_part_of_another_address_is_not_meant(text: str, address: str) -> None:
    assert not names(text, address)


def test_only_hosts_that_say_so_have_names_in_any_case() -> None:
    text = f"{GITHUB.replace('octo/w', 'Octo/W')}/security/code-scanning/4"
    address = f"{GITHUB}/security/code-scanning/4"
    assert [True, False] == [names(text, address, home) for home in (GITHUB, "")]
