"""Whatever goes wrong with a request, a cause reopens its work and is told once in the end."""

from __future__ import annotations

from typing import Any

import pytest
from tests.cli.project import Project
from tests.cli.regressions.test_regressions import Desk

from unlatch_sandbox import Fault

FAULTS: dict[str, dict[str, Any]] = {
    "drop": {},
    "drop-after": {},
    "truncate": {},
    "html": {},
    "error-after": {"code": 503},
    "rate-limit": {"form": "seconds", "seconds": 1},
}
# A reopen of an issue sends so many requests: it reads, opens, comments and changes two labels.
REQUESTS = range(5)
SAMPLE = {("drop-after", 1), ("error-after", 2)}


@pytest.mark.parametrize(
    ("kind", "after"),
    [
        pytest.param(kind, after, marks=() if (kind, after) in SAMPLE else pytest.mark.sweep)
        for kind in FAULTS
        for after in REQUESTS
    ],
)
def test_a_fault_of_any_request_doubles_nothing(project: Project, kind: str, after: int) -> None:
    desk = Desk(project)
    desk.revert(desk.fix)
    before = len(desk.comments)
    project.box.faults.add(Fault("github", kind, after=after, **FAULTS[kind]))
    codes = [desk.apply().code for _ in range(3)]
    assert 0 == codes[-1]
    desk.revert(desk.other)
    project.box.faults.add(Fault("github", kind, after=after % 2, **FAULTS[kind]))
    codes = [desk.apply().code for _ in range(3)]
    assert 0 == codes[-1]
    assert ("active", "open") == desk.state
    assert before + 2 == len(desk.comments), desk.comments
    assert [] == project.metadata().get("pending", [])
    assert 1 == len(project.metadata()["reopenHistory"])
