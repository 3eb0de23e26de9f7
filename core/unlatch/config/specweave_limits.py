"""The limits in a SpecWeave project's config.json, in the words of config.toml."""

from __future__ import annotations

from typing import Any

from unlatch.config.specweave import at

_COUNTS = {"max_active": "maxActiveIncrements", "hard_cap": "hardCap"}


def limits(config: Any) -> dict[str, Any]:
    """The table `limits`; what is no number there is passed over, for it is not ours to judge."""
    theirs = at(config, "limits")
    found: dict[str, Any] = {ours: _positive(at(theirs, key)) for ours, key in _COUNTS.items()}
    stale = {status: _positive(at(theirs, "staleness", status)) for status in ("active", "paused")}
    found["stale_after"] = {status: days for status, days in stale.items() if days}
    interrupting = at(theirs, "typeBehaviors", "canInterrupt")
    if at(theirs, "allowEmergencyInterrupt") is False:
        found["can_interrupt"] = []
    elif isinstance(interrupting, list):
        found["can_interrupt"] = [one for one in interrupting if one and isinstance(one, str)]
    return {key: value for key, value in found.items() if value or value == []}


def _positive(value: Any) -> int | None:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and value > 0 else None
