"""Projects with changes of OpenSpec, and the work in them."""

import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from unlatch.increments.layouts.interface import Texts, Work
from unlatch.increments.model.reopens import Amendment, AppliedAmendment, NewTask
from unlatch.increments.model.unit import Unit
from unlatch.testing.layouts import texts_of
from unlatch_layouts.openspec import OPENSPEC

SAMPLES = os.environ.get("UNLATCH_SAMPLES")
REPOSITORIES = ("Fission-AI__OpenSpec", "liqiongyu__agentpack")
needs_samples = pytest.mark.skipif(not SAMPLES, reason="UNLATCH_SAMPLES names no real changes")
OP = "01M8ZZZZZZZZZZZZZZZZZZZZZ0"

CONFIG = {"openspec/config.yaml": "schema: spec-driven\n"}
NAME = "add-login"
CHANGE = f"openspec/changes/{NAME}"
PROPOSAL = """# Change: Add login

## Why

People cannot sign in, and each of them sees the work of all others in this application.

## What Changes

- **auth:** Sign in with a password.
"""
DELTA = """## ADDED Requirements

### Requirement: Sign in

The system SHALL sign people in with a password.

#### Scenario: Right password

- **WHEN** the password is right
- **THEN** they are signed in
"""
LOGIN = {
    **CONFIG,
    f"{CHANGE}/proposal.md": PROPOSAL,
    f"{CHANGE}/tasks.md": "# Tasks\n\n## 1. Sign in\n\n- [x] 1.1 Form\n",
    f"{CHANGE}/specs/auth/spec.md": DELTA,
}


def sample(repository: str) -> Path:
    return Path(SAMPLES or "") / "layouts" / "openspec" / repository


def write(root: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return root


def save(unit: Unit, texts: Texts) -> None:
    write(unit.place, {name: text for name, text in texts.items() if text})


def units(root: Path) -> dict[str, Unit]:
    return {unit.key: unit for unit in OPENSPEC.units(root)}


def work_of(unit: Unit) -> Work:
    return OPENSPEC.read(texts_of(OPENSPEC, unit))


def tasks(text: str) -> Work:
    return OPENSPEC.read({"proposal.md": "", "tasks.md": text})


def amendment(
    *new: NewTask, change: str | None = "Export as PDF too", parts: Sequence[str] = ()
) -> AppliedAmendment:
    at = datetime(2026, 7, 1, 12, tzinfo=UTC)
    return AppliedAmendment(OP, at, "Dana Demo", Amendment(change, new, tuple(parts)), "Asked for")
