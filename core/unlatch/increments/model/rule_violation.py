"""Violations of a project's own rules by a change of status."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unlatch.errors import UnlatchError


class Policy(StrEnum):
    """The reaction to a violation."""

    WARN = "warn"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True)
class RuleViolation:
    """A violated rule; `error` is raised where the policy is to refuse."""

    error: UnlatchError
    policy: Policy
