"""Alerts in SARIF files and events, and the new items of events."""

import json
from datetime import UTC, datetime
from pathlib import Path

from tests.cli.regressions.test_alerts import EVENTS
from tests.docs.pages import ROOT
from tests.fuzz.target import Target
from tests.unlatch_regressions.test_similar import EVENTS as ITEMS

from unlatch_regressions.alerts.alert import Alert
from unlatch_regressions.alerts.reader import parse_event
from unlatch_regressions.alerts.sarif import Run, SarifInvalid, read_sarif
from unlatch_regressions.similar.event import NewItem, parse_new_item

_ALERTS = ROOT / "tests/unlatch_regressions/alerts"
_NOW = datetime(2026, 1, 1, tzinfo=UTC)


def _sarif(data: bytes) -> list[Run] | None:
    try:
        return read_sarif(data, "alerts", root=Path("/project"), line_of=lambda *_: "")
    except SarifInvalid:
        return None


def _alert(data: bytes) -> Alert | None:
    try:
        return parse_event(data, now=_NOW)[0]
    except (ValueError, RecursionError):
        return None


def _new_item(data: bytes) -> NewItem | None:
    try:
        return parse_new_item(data)
    except (ValueError, RecursionError):
        return None


TARGETS = {
    "sarif": Target(
        _sarif,
        lambda: [path.read_bytes() for path in sorted(_ALERTS.iterdir())],
        lambda runs: runs is not None and not runs,
    ),
    "alert": Target(
        _alert,
        lambda: [json.dumps(event).encode() for event, _ in EVENTS],
        lambda alert: alert is not None and alert.evidence.endswith(": "),
    ),
    "new-item": Target(
        _new_item,
        lambda: [json.dumps(event).encode() for event in ITEMS.values()],
        lambda item: item is not None and len(item.report.title) == 1,
    ),
}
