"""The revision of an increment, which a plan is made for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from unlatch.errors import PlanOutdated
from unlatch.worklog.digests import sha256

if TYPE_CHECKING:
    from unlatch.increments.model.increment import Increment


def revision_of(increment: Increment) -> str:
    """A digest of the content of metadata.json."""
    return sha256(json.dumps(increment.data, sort_keys=True, default=str).encode())[:32]


def check_planned(now: Increment, planned: str) -> None:
    """Check that an increment is as it was planned for; PlanOutdated `plan-changed`."""
    if revision_of(now) != planned:
        message = f"{now.id} changed since the plan was made"
        raise PlanOutdated("plan-changed", message, where=now.id, hint="make a new plan")
