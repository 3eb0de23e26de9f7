"""The layout of SpecWeave, and what doctor says of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.increments.layouts.native import Native

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch_doctor.finding import Check
    from unlatch_doctor.snapshot import ProjectSnapshot


class SpecWeave(Native):
    """Increments as unlatch keeps them, in another folder."""

    __slots__ = ()

    @property
    def checks(self) -> Sequence[Check[ProjectSnapshot]]:
        from unlatch_specweave.checks import CHECKS  # noqa: PLC0415  (for doctor alone)

        return CHECKS


SPECWEAVE = SpecWeave("specweave", "SpecWeave", ".specweave/increments")
