"""Each installed layout passes the conformance kit, on examples and on generated texts."""

from __future__ import annotations

import os
from pathlib import Path
from shutil import copytree

import pytest

from unlatch.increments.layouts.native import SPECWEAVE, UNLATCH, Native
from unlatch.testing.layouts import check_layout

CORPUS = os.environ.get("UNLATCH_CORPUS")
EXAMPLES = {
    "0001-search/spec.md": (
        "# Search\n\n## User Stories\n\n### US-001: Find\n\n- [x] **AC-US1-01**: found\n"
        "- [ ] **AC-US1-02**: empty\n"
    ),
    "0001-search/tasks.md": (
        "# Tasks\n\n### T-001: Index\n\n**User Story**: US-001\n**Status**: [x] completed\n\n"
        "### T-002: Query\n\n**Status**: [ ] pending\n"
    ),
    "0002-list/tasks.md": "# Tasks\n\n- [x] T-001: One\n- [ ] T-002: Two\n- [~] T-003: Three\n",
    "_archive/0003-old/spec.md": "# Old\n",
}


@pytest.mark.parametrize("layout", [UNLATCH, SPECWEAVE], ids=lambda layout: layout.name)
def test_the_layout_of_increments_conforms(layout: Native, tmp_path: Path) -> None:
    root = tmp_path / "root"
    for name, text in EXAMPLES.items():
        path = root / layout.increments / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    check_layout(layout, root, tmp_path)


@pytest.mark.skipif(not CORPUS, reason="UNLATCH_CORPUS names no real increments")
@pytest.mark.parametrize(
    "some", [slice(2, 3), pytest.param(slice(None), marks=pytest.mark.sweep)], ids=["one", "all"]
)
def test_real_increments_conform(tmp_path: Path, *, some: slice) -> None:
    real, root = Path(CORPUS or "") / "specweave", tmp_path / "root"
    for unit in list(SPECWEAVE.units(real))[some]:
        copytree(unit.place, root / unit.place.relative_to(real))
    check_layout(SPECWEAVE, root, tmp_path, most_tasks=2)
