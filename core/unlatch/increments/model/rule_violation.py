"""What a project's own rules have against a move."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unlatch.errors import UnlatchError


class Policy(StrEnum):
    """What happens where something is against the project's rules."""

    WARN = "warn"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True)
class RuleViolation:
    """A rule that a move is against.

    Args:
        error: what is to be told, and raised where the policy is to refuse.
        policy: what is to happen.
    """

    error: UnlatchError
    policy: Policy
