"""Folders of other spec-driven tools, as their users have them."""

from pathlib import Path

_SPEC = """\
# Feature Specification: Photo albums

**Feature Branch**: `001-photo-albums`
**Status**: Draft
**Input**: Issue #4

### User Story 1 - Sort albums (Priority: P1)

**Acceptance Scenarios**:

1. **Given** two albums, **When** they are listed, **Then** the newer is first

### User Story 2 - Share albums (Priority: P2)

### Functional Requirements

- **FR-001**: Albums MUST be sorted by date
"""
_TASKS = """\
# Tasks: Photo albums

## Phase 1: Setup

- [X] T001 Create the project

## Phase 2: User Story 1 - Sort albums (Priority: P1)

- [ ] T002 [P] [US1] Sort albums in src/albums.py
- [ ] T003 [US2] Share albums in src/share.py
"""


def spec_kit(root: Path) -> Path:
    """A project of spec-kit with one feature, one of three tasks done; its folder."""
    write(root / ".specify/memory/constitution.md", "# Constitution\n")
    feature = root / "specs/001-photo-albums"
    write(feature / "spec.md", _SPEC)
    write(feature / "tasks.md", _TASKS)
    return feature


_DELTA = """\
## ADDED Requirements

### Requirement: Login

The system SHALL check passwords.

#### Scenario: Right password

- **WHEN** the password is right
- **THEN** the user is logged in
"""


def openspec(root: Path) -> Path:
    """A project of OpenSpec with one archived change, all tasks done; its folder."""
    write(root / "openspec/config.yaml", "schema: spec-driven\n")
    change = root / "openspec/changes/archive/2026-01-24-add-login"
    write(change / "proposal.md", "# Change: Add login\n\n## Why\n\nTracking issue: #4\n")
    write(change / "tasks.md", "## 1. Work\n\n- [x] 1.1 Write it\n- [x] 1.2 Test it\n")
    write(change / "specs/auth/spec.md", _DELTA)
    write(root / "openspec/specs/auth/spec.md", _DELTA.replace("## ADDED", "# auth\n\n##"))
    return change


_KIRO_TASKS = """\
# Implementation Plan

- [x] 1. Set up the project
- [ ] 2. Build albums
  - [x] 2.1 Store albums
    - Use one table
    - _Requirements: 1.1_
  - [ ] 2.2 Sort albums
    - _Requirements: 1.2_
- [ ]* 3. Measure it
"""
_KIRO_REQUIREMENTS = """\
# Requirements Document

## Requirements

### Requirement 1: Albums

**Objective:** As a user, I want albums.

#### Acceptance Criteria

1. WHEN an album is made THEN the app SHALL store it
2. WHEN albums are listed THEN the app SHALL sort them
"""


def kiro(root: Path) -> Path:
    """A project of Kiro with one spec, two of three required tasks done; its folder."""
    spec = root / ".kiro/specs/photo-albums"
    write(spec / "requirements.md", _KIRO_REQUIREMENTS)
    write(spec / "design.md", "# Design\n")
    write(spec / "tasks.md", _KIRO_TASKS)
    return spec


_BACKLOG_TASK = """\
---
id: TASK-{id}
title: 'Log in: "safely"'
status: {status}
assignee:
  - '@dana'
milestone: m-1
labels: []
dependencies:
  - TASK-1
references:
  - 'https://github.com/octo/widgets/issues/4'
---

## Description

<!-- SECTION:DESCRIPTION:BEGIN -->
Criteria are between <!-- AC:BEGIN --> and its end:
- [ ] #9 This is no criterion
<!-- SECTION:DESCRIPTION:END -->

## Acceptance Criteria
<!-- AC:BEGIN -->
- [x] #1 Passwords are checked
- [ ] #2 Attempts are counted
<!-- AC:END -->

## Definition of Done
<!-- DOD:BEGIN -->
- [x] #1 Tests pass
<!-- DOD:END -->

## Implementation Notes

<!-- SECTION:NOTES:BEGIN -->
- [ ] This is a note
<!-- SECTION:NOTES:END -->
"""


def backlog_md(root: Path, *, folder: str = "backlog") -> Path:
    """A project of Backlog.md with a task in each of its folders; the one that is worked on."""
    statuses = '["To Do", "In Progress", "Done"]'
    write(root / folder / "config.yml", f'project_name: "demo"\nstatuses: {statuses}\n')
    places = ("tasks/task-2", "completed/task-5", "archive/tasks/task-6", "drafts/draft-1")
    words = ("In Progress", "To Do", "In Progress", "Done")
    for place, status in zip(places, words, strict=True):
        kind, _, id_ = place.rpartition("/")[2].partition("-")
        text = _BACKLOG_TASK.format(id=id_, status=status).replace("TASK", kind.upper(), 1)
        write(root / folder / f"{place} - Log-in-safely.md", text)
    return root / folder / "tasks/task-2 - Log-in-safely.md"


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def tick(path: Path) -> None:
    """Tick every task of a file, as an agent does that has finished."""
    path.write_text(path.read_text("utf-8").replace("- [ ]", "- [x]"), encoding="utf-8")
