"""The usage of a plan's limits is read from lines and from JSON."""

from datetime import UTC, datetime

import pytest

from unlatch_runs.coordinator.usage import UsageLimits, UsageUnreadable, read_usage

RESET = datetime(2026, 3, 2, 14, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "utilisation: 92%\nremaining: 8%\nresets_at: 2026-03-02T14:00:00Z\n",
            UsageLimits(92, 8, RESET),
        ),
        ("Plan: Max\r\n  utilization : 92.5 %\r\nother: x\r\n", UsageLimits(92.5, 7.5)),
        ("REMAINING: 8\nresets_at: 2026-03-02T15:00:00+01:00", UsageLimits(92, 8, RESET)),
        ("remaining: 0%", UsageLimits(100, 0)),
        (
            '\ufeff{"utilisation": 92, "remaining": "8%", "resets_at": "2026-03-02T14:00:00Z"}',
            UsageLimits(92, 8, RESET),
        ),
        ('{"utilization": 12.5, "resets_at": null}', UsageLimits(12.5, 87.5)),
    ],
)
def test_lines_and_json_mean_the_same(text: str, expected: UsageLimits) -> None:
    assert read_usage(text, where="limits.sh") == expected


@pytest.mark.parametrize(
    ("text", "place", "problem"),
    [
        ("utilisation: 92%\nremaining: lots", "limits.sh, line 2", "remaining is not a percentage"),
        ("remaining: 101%", "limits.sh, line 1", "0 to 100"),
        ("remaining: -1%", "limits.sh, line 1", "0 to 100"),
        ("remaining: 8%\nresets_at: soon", "limits.sh, line 2", "resets_at is not an ISO 8601"),
        ("resets_at: 2026-03-02T14:00:00Z", "limits.sh", "neither utilisation nor remaining"),
        ("", "limits.sh", "neither"),
        ('{"remaining": 8', "limits.sh", "begins like JSON"),
        ('{"remaining": true}', "limits.sh", "remaining is not a percentage"),
        ('{"remaining": [8]}', "limits.sh", "remaining is not a percentage"),
        ('{"remaining": NaN}', "limits.sh", "remaining is not a percentage"),
    ],
)
def test_an_error_names_the_line(text: str, place: str, problem: str) -> None:
    with pytest.raises(UsageUnreadable) as raised:
        read_usage(text, where="limits.sh")
    assert raised.value.where == place
    assert problem in raised.value.message
