"""What is worked on at once, held against the project's limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.doctor.finding import Finding, Severity
from unlatch.errors import ConfigError
from unlatch.increments.model.increment import Increment
from unlatch.increments.model.limits import Use, days_idle, is_stale, wip

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch.project.workspace import Workspace


def check_limits(workspace: Workspace) -> Iterator[Finding]:
    """Limits that are exceeded, and what lies idle for longer than it should."""
    try:
        limits = workspace.raw_config.core.limits.rules
    except ConfigError:
        return  # told with the configuration
    found = workspace.manager.list()
    work = wip(found, limits)
    for use in work.over:
        yield _exceeded(use)
    now = workspace.clock()
    for one in found:
        if isinstance(one, Increment) and is_stale(one, limits, now):
            yield Finding(
                Severity.NOTE,
                "stale",
                f"is {one.status}, and nothing was done for {days_idle(one, now)} days",
                hint=f"unlatch resume {one.id}, or unlatch abandon {one.id}",
                increment=one.id,
            )


def _exceeded(use: Use) -> Finding:
    kind = use.setting.partition("per_type.")[2]
    noun = f"{kind} increments" if kind else "increments"
    return Finding(
        Severity.WARNING,
        "wip-exceeded",
        f"{use.active} {noun} are active, and at most {use.most} may be (limits.{use.setting})",
        hint="unlatch pause or unlatch complete one of them",
    )
