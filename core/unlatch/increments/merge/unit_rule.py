"""The rule for merging where a unit is and what its files showed."""

import re
from collections.abc import Iterable
from typing import Any

from unlatch.increments.model.status import Status
from unlatch.worklog.json_text.three_way import Place, ThreeWay, Versions

Data = dict[str, Any]
_EVIDENCE = ("shows", "by")


def unit_rule(way: ThreeWay, versions: Versions, place: Place) -> Any:
    """A unit with the evidence of one side, if both changed it: that of the most work.

    Evidence that is on record overrides no status, so what either side knew stays known.
    """
    if not versions.are_objects:
        return way.merge_changes(versions, place)
    base, *sides = versions
    before = _evidence(base) if isinstance(base, dict) else None
    if all(_evidence(side) != before for side in sides):
        most = max(sides, key=_evidence)
        sides = [with_fields_of(side, most, _EVIDENCE) for side in sides]
    return way.members(Versions(base, *sides), place)


def _evidence(unit: Data) -> tuple[bool, list[int], str]:
    shows, by = (str(unit.get(key, "")) for key in _EVIDENCE)
    numbers = [int(number) for number in re.findall(r"[0-9]{1,9}", by)]
    return shows == Status.COMPLETED, numbers, f"{shows} {by}"


def with_fields_of(data: Data, winner: Data, fields: Iterable[str]) -> Data:
    fields = frozenset(fields)
    kept = {key: value for key, value in data.items() if key not in fields or key in winner}
    return kept | {key: winner[key] for key in winner if key in fields}
