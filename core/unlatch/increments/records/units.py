"""The unit of another tool that an increment is, in metadata.json."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unlatch.increments.model.status import Status
from unlatch.increments.model.unit import Evidence, RecordedUnit
from unlatch.worklog.record import NUMBER, WORD, BadRecord, Field, Record, Type

if TYPE_CHECKING:
    from collections.abc import Mapping

UNIT = "unit"


def _status(raw: Any) -> Status:
    if raw in set(Status):
        return Status(raw)
    raise BadRecord(f": {raw!r} is no status")


_EVIDENCE = Record(
    "EvidenceRecord",
    "What the files of a unit showed when its status was set.",
    Evidence,
    Field("shows", Type("Status", _status), "status", required=True),
    Field("by", WORD, "by", required=True),
    Field("grammar", NUMBER, "grammar"),
)
UNIT_RECORD = Record(
    "UnitRecord",
    "Where another tool keeps the work, and what its files showed when the status was set.",
    RecordedUnit,
    Field("layout", WORD, "layout", required=True),
    Field("path", WORD, "path", required=True),
    Field("uid", WORD, "uid"),
    ("evidence", _EVIDENCE),
)


def read_unit(data: Mapping[str, Any]) -> RecordedUnit | None:
    """The unit in a metadata.json; BadRecord, with its place."""
    if UNIT not in data:
        return None
    unit: RecordedUnit = UNIT_RECORD.read(data[UNIT], f"/{UNIT}")
    return unit


def write_unit(data: dict[str, Any], unit: RecordedUnit) -> None:
    data[UNIT] = UNIT_RECORD.write(unit, data.get(UNIT, {}))


def forget_evidence(data: dict[str, Any]) -> None:
    """What the files show at the next write becomes known, because the status was set."""
    for key in ("shows", "by", "grammar"):
        data.get(UNIT, {}).pop(key, None)
