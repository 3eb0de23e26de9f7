"""Stories and criteria in the spellings of real files."""

from __future__ import annotations

import pytest

from unlatch.increments.documents.model import Criterion
from unlatch.increments.documents.spec import read_spec
from unlatch.increments.layouts.interface import Work


@pytest.mark.parametrize(
    ("heading", "id", "title"),
    [
        ("### US-001: Sync", "US-001", "Sync"),
        ("#### US-001: Sync", "US-001", "Sync"),
        ("### US1: Sync (P1)", "US1", "Sync (P1)"),
        ("### US-009A: Sync", "US-009A", "Sync"),
        ("### US-018-001: Sync", "US-018-001", "Sync"),
        ("## User Story: US-001 - Sync", "US-001", "Sync"),
        ("### 4. Sync (US-018-004)", "US-018-004", "4. Sync"),
    ],
)
def test_a_story_is_found_in_any_spelling(heading: str, id: str, title: str) -> None:
    (story,) = read_spec(f"# Spec\n\n{heading}\n").stories
    assert (id, title, 3) == (story.id, story.title, story.line)


def test_what_only_looks_like_a_story_or_a_criterion_is_none() -> None:
    text = """### Epic 1: Sync (US-001 to US-003)
### USB: no
US-001: no heading
See AC-US1-01: it works
**AC-US1-01** covers it
- [ ] AC-ID: no digit
- [ ] AC-US1-01é: no
| AC-US1-01: x |
> - [ ] AC-US1-01: quoted
"""
    assert ((), ()) == (read_spec(text).stories, read_spec(text).criteria)


@pytest.mark.parametrize(
    ("line", "id", "done"),
    [
        ("- [x] **AC-US1-01**: It works", "AC-US1-01", True),
        ("- [ ] **AC-US1-01**: It works", "AC-US1-01", False),
        ("- [ ] AC-US1-01: It works", "AC-US1-01", False),
        ("  * [X] **AC-US1-01:** It works", "AC-US1-01", True),
        ("1. [x] AC-US9A-01 It works", "AC-US9A-01", True),
        ("- AC-020: It works", "AC-020", None),
        ("- **AC-TD-01**: It works", "AC-TD-01", None),
        ("**AC-US4-04**: It works", "AC-US4-04", None),
        ("### AC-US1-01: It works", "AC-US1-01", None),
    ],
)
def test_a_criterion_is_found_in_any_spelling(line: str, id: str, done: bool | None) -> None:
    assert (Criterion(id, "It works", done, 3),) == read_spec(f"# Spec\n\n{line}\n").criteria


@pytest.mark.parametrize("box", ["[~]", "[-]"])
def test_a_criterion_that_is_descoped_or_deferred_is_neither_open_nor_done(box: str) -> None:
    spec = read_spec(f"- {box} **AC-US1-01**: It works (Descoped)\n- [ ] **AC-US1-02**: b\n")
    assert (None, True) == (spec.criteria[0].done, spec.criteria[0].discarded)
    assert ["AC-US1-02"] == [item.id for item in Work(spec, ()).open]


SPEC = """---
title: Linkage
---

# Spec: linkage

### US-001: First

- [x] **AC-US1-01**: a

#### Details

- [ ] **AC-US2-01**: b
- [ ] **AC-010**: c

### US2: Second

## Other criteria

- [ ] **AC-US1-02**: d
- [ ] **AC-011**: e
"""


def test_a_criterion_belongs_to_the_story_that_its_id_names_else_to_where_it_stands() -> None:
    spec = read_spec(SPEC)
    assert [
        ("AC-US1-01", "US-001"),
        ("AC-US2-01", "US2"),
        ("AC-010", "US-001"),
        ("AC-US1-02", "US-001"),
        ("AC-011", None),
    ] == [(found.id, found.story) for found in spec.criteria]
    assert [["AC-US1-01", "AC-010", "AC-US1-02"], ["AC-US2-01"]] == [
        [found.id for found in story.criteria] for story in spec.stories
    ]


def test_the_title_is_the_first_top_heading() -> None:
    assert read_spec(SPEC).title == "Spec: linkage"
    assert read_spec("No heading\n").title is None
