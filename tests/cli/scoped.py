"""An increment whose documents name stories, criteria and tasks."""

from tests.cli.project import NAME, Project

SPEC = """\
---
title: Smart discipline
status: {status}
created: 2025-10-01
---

# Smart discipline

### US-001: Read the rules

- [x] **AC-US1-01**: Rules are read
- [x] **AC-US1-02**: Mistakes are told

### US-002: Follow the rules

- [x] **AC-US2-01**: Rules are followed
"""
TASKS = """\
---
coverage_target: 90%
---

# Tasks

## Done

### T-001: Read a file

**User Story**: US-001
**Satisfies ACs**: AC-US1-01
**Status**: [x] completed

### T-002: Tell mistakes

**User Story**: US-001
**Satisfies ACs**: AC-US1-02
**Status**: [x] completed

### T-003: Follow rules

**User Story**: US-002
**Satisfies ACs**: AC-US2-01
**Status**: [x] completed
"""


def write(project: Project, *, status: str = "completed", name: str = NAME) -> None:
    """Give an increment's folder these documents."""
    folder = project.folder(name)
    (folder / "spec.md").write_bytes(SPEC.format(status=status).encode())
    (folder / "tasks.md").write_bytes(TASKS.encode())


def text(project: Project, document: str, *, name: str = NAME) -> str:
    """A document with its line endings as they are."""
    return (project.folder(name) / document).read_bytes().decode()
