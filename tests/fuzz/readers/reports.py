"""Reports of tests."""

from collections.abc import Mapping

from tests.docs.pages import ROOT
from tests.fuzz.target import Target

from unlatch_regressions.reports import CaseName, ReportInvalid, Result, read_junit, read_tap

_REPORTS = ROOT / "tests/unlatch_regressions/reports"


def _read(data: bytes) -> Mapping[CaseName, Result] | None:
    read = read_junit if data.lstrip().startswith(b"<") else read_tap
    try:
        return read(data, "report")
    except ReportInvalid:
        return None


TARGETS = {
    "report": Target(
        _read,
        lambda: [path.read_bytes() for path in sorted(_REPORTS.iterdir())],
        lambda results: results is not None and not results,
    )
}
