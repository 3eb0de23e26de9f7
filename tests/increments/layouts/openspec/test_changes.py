"""The changes of a project: documents, title, requirements, scenarios, and the advice."""

from pathlib import Path

import pytest
from tests.increments.layouts.openspec.making import units, write

from unlatch.increments.model.status import Status
from unlatch.increments.model.unit import Evidence
from unlatch_layouts.openspec import OPENSPEC
from unlatch_layouts.openspec.changes import archive_command

CHANGES = "openspec/changes"


@pytest.mark.parametrize(
    ("tasks", "expected"),
    [
        ("- [x] 1.1 a\n- [X] b\n", Evidence(Status.COMPLETED, "2/2 tasks")),
        ("- [x] 1.1 a\n- [~] b\n", Evidence(Status.ACTIVE, "1/2 tasks")),
        ("- [-] 1.1 a\n", Evidence(Status.ACTIVE, "0/1 tasks")),
        ("- [ ] 1.1 a\n", Evidence(Status.PLANNING, "0/1 tasks")),
        ("", None),
    ],
)
def test_the_archive_shows_the_status_else_the_tasks(
    tmp_path: Path, tasks: str, expected: Evidence | None
) -> None:
    names = ("add-one", "archive/2026-01-24-add-two")
    write(tmp_path, {f"{CHANGES}/{name}/tasks.md": tasks for name in names})
    found, texts = units(tmp_path), {"proposal.md": "", "tasks.md": tasks}
    assert expected == OPENSPEC.evidence(found["add-one"], texts)
    completed = Evidence(Status.COMPLETED, "archive")
    assert completed == OPENSPEC.evidence(found["add-two"], texts)


def test_archiving_names_the_change_last_and_asks_nothing(tmp_path: Path) -> None:
    unit = units(write(tmp_path, {f"{CHANGES}/--help/a": ""}))["--help"]
    assert ("openspec", "archive", "--yes", "--", "--help") == archive_command(unit)


DELTA = """# auth (delta)

## ADDED Requirements

### Requirement: Sign in ###
The system SHALL sign people in.

#### Scenario: Right password
- **WHEN** the password is right
- **THEN** they are signed in
  - within a second

#### Locked out
1. **WHEN** it is wrong three times

```
### Requirement: no
#### Scenario: no
```

## REMOVED Requirements

### Requirement: Guests
**Reason**: safety
"""


def test_requirements_are_stories_and_scenarios_are_criteria() -> None:
    spec = OPENSPEC.read({"specs/auth/spec.md": DELTA}).spec
    assert [("Sign in", 5), ("Guests", 23)] == [(one.id, one.line) for one in spec.stories]
    steps = "**WHEN** the password is right **THEN** they are signed in within a second"
    assert spec.criteria == spec.stories[0].criteria
    right, locked = spec.criteria
    assert ("Right password", steps, "Sign in", None) == (
        right.id,
        right.text,
        right.story,
        right.done,
    )
    assert ("Locked out", 13) == (locked.id, locked.line)


def test_names_that_occur_twice_are_told_apart() -> None:
    one = "### Requirement: Sign in\n#### Scenario: Works\n- THEN it works\n"
    spec = OPENSPEC.read({"specs/auth/spec.md": one, "specs/web/app/spec.md": one}).spec
    assert ["auth/Sign in", "web/app/Sign in"] == [story.id for story in spec.stories]
    assert ["Sign in", "Sign in"] == [story.title for story in spec.stories]
    assert ["auth/Sign in/Works", "web/app/Sign in/Works"] == [it.id for it in spec.criteria]


@pytest.mark.parametrize(
    ("proposal", "tasks", "expected"),
    [
        ("# Change: Add login\n", "", "Add login"),
        ("\ufeff# Change Proposal - Add login\r\n", "", "Add login"),
        ("# Proposal: `login` for all #\n", "", "`login` for all"),
        ("# \u53d8\u66f4\uff1a\u767b\u5f55\n", "", "\u767b\u5f55"),
        ("# Change the login\n", "", "Change the login"),
        ("# Add login\n# Second\n", "# Tasks: Other\n", "Add login"),
        ("# Proposal\n", "# Tasks: Add login\n", "Add login"),
        ("## Why\n", "# Tasks\n", None),
        ("```\n# Code\n```\n", "# Implementation tasks\n", None),
        ("", "", None),
    ],
)
def test_the_title_is_that_of_the_proposal(proposal: str, tasks: str, expected: str | None) -> None:
    texts = {"proposal.md": proposal, "tasks.md": tasks}
    assert expected == OPENSPEC.read(texts).spec.title


def test_advice_names_each_added_requirement_that_is_merged(tmp_path: Path) -> None:
    other = "## MODIFIED Requirements\n\n### Requirement: Guests\nThey SHALL wait.\n"
    change = "openspec/changes/archive/2026-01-24-add-login/specs"
    merged = DELTA.replace("ADDED ", "").replace("three times", "five times")
    files = {f"{change}/auth/spec.md": DELTA, f"{change}/web/spec.md": other}
    specs = {"auth": merged, "web": other.replace("MODIFIED ", "")}
    write(
        tmp_path, files | {f"openspec/specs/{name}/spec.md": text for name, text in specs.items()}
    )
    unit = units(tmp_path)["add-login"]
    texts = {f"specs/{name}/spec.md": files[f"{change}/{name}/spec.md"] for name in specs}
    (told,) = OPENSPEC.advice(tmp_path, unit, {"proposal.md": "", "tasks.md": "", **texts})
    assert told == (
        "openspec/changes/add-login/specs/auth/spec.md: move '### Requirement: Sign in' to "
        "'## MODIFIED Requirements' before `openspec archive`; openspec/specs/auth/spec.md "
        "already has it"
    )
