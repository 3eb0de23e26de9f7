"""The documents of a unit, in each layout: any text is read, ticked and amended by its rules."""

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from tempfile import mkdtemp
from zlib import crc32

from tests.fuzz.target import SEPARATOR, Target, parts_of, text_of

from unlatch.errors import UsageError
from unlatch.increments.documents.tasks import _DISCARDED_ID
from unlatch.increments.layouts.interface import Layout, Work
from unlatch.increments.layouts.native import UNLATCH
from unlatch.increments.model.reopens import Amendment, AppliedAmendment, NewTask
from unlatch.increments.model.unit import Unit
from unlatch.testing.layouts import check_texts
from unlatch_layouts.backlog_md.layout import BACKLOG_MD
from unlatch_layouts.kiro import KIRO
from unlatch_layouts.openspec import OPENSPEC
from unlatch_layouts.spec_kit.layout import SPEC_KIT

_NATIVE = (
    "---\ntitle: Search\n---\n# Search\n\n### US-001: Find (P1)\n\n- [x] **AC-US1-01**: Fast\n",
    """# Tasks

### T-001: Index
**User Story**: US-001
**Status**: [x] completed

### T-002: Old

- [ ] T-003: Rank (was: Sort)

```
- [ ] code
```
<!-- a -->
""",
)
_SPEC_KIT = (
    """# Feature Specification: Photos

### User Story 1 - Albums (Priority: P1)

1. **Given** a, **When** b, **Then** c

- **FR-001**: System MUST sort
""",
    "# Tasks: Photos\n\n## Phase 1: Setup\n\n- [x] T001 [P] [US1] Do src/a.py\n- [ ] T002 B\n",
)
_KIRO = (
    "# Requirements\n\n### Requirement 1: Log in\n\n#### Acceptance Criteria\n\n1. WHEN a THEN b\n",
    """# Implementation Plan

- [x] 1. Set up
  - [ ]* 1.1 Test it
    - _Requirements: 1.1_
- [-] 2. Build
""",
)
_OPENSPEC = (
    "# Change: Add login\n\n## Why\n\nPeople ask.\n",
    "## 1. Server\n\n- [x] 1.1 Store\n- [ ] 1.2 Check\n\n## 2. Page\n- [ ] Show\n",
)
_BACKLOG_MD = (
    'project_name: "Demo"\nstatuses: ["To Do", "In Progress", "Done"]\ntask_prefix: "task"\n',
    """---
id: TASK-7
title: Search
status: Done
references:
  - https://github.com/octo/widgets/issues/5
---

## Acceptance Criteria
<!-- AC:BEGIN -->
- [x] #1 Fast
- [ ] #2 Ranked

### Scope change 2026-07-01 (01M8YYYYYYYYYYYYYYYYYYYYY0)
- [ ] #3 Sorted
<!-- AC:END -->

## Definition of Done
- [ ] Tested
""",
)

# The rules read and change a text a hundred times.
_EVERY = 16
_TASK = "task-7 - Search.md"
# Where the configuration says that another prefix begins the names of tasks.
_UNIT = Unit(BACKLOG_MD.name, "TASK-7", Path("/project/backlog/tasks") / _TASK, is_file=True)
_EMPTY = re.compile(r"\[[^\S\n]*\]")
_AMENDED = AppliedAmendment(
    "01M8ZZZZZZZZZZZZZZZZZZZZZ0",
    datetime(2026, 7, 1, tzinfo=UTC),
    "Dana",
    Amendment("More work", (NewTask("A task"),), ()),
    "It came back",
)


def _read(layout: Layout, unit: Unit, names: tuple[str, ...], data: bytes) -> Work:
    given = [text_of(part) for part in parts_of(data, len(names))]
    texts = {**dict.fromkeys(layout.documents(unit), ""), **dict(zip(names, given, strict=True))}
    return _use(layout, unit, texts, data)


def _read_backlog_md(data: bytes) -> Work:
    """The project's configuration, and a task in it."""
    config, task = parts_of(data, 2)
    (_folder() / "config.yml").write_bytes(config)
    (_folder() / "tasks" / _TASK).write_bytes(task)
    units = [*BACKLOG_MD.units(_folder().parent)] or [_UNIT]
    return _use(BACKLOG_MD, units[0], {_TASK: text_of(task)}, data)


@cache
def _folder() -> Path:
    folder = Path(mkdtemp(prefix="unlatch-fuzz-")) / "backlog"
    (folder / "tasks").mkdir(parents=True)
    return folder


def _use(layout: Layout, unit: Unit, texts: dict[str, str], data: bytes) -> Work:
    work = layout.read(texts)
    layout.evidence(unit, texts)
    layout.links(texts)
    layout.amend(texts, _AMENDED)
    for task in work.tasks[:2]:
        with suppress(UsageError):  # an id that occurs twice
            layout.mark(texts, [task.id], done=not task.done)
    # Whether a discarded task of ours is ticked shows in its id, too, which stays.
    if crc32(data) % _EVERY == 0 and not any(_DISCARDED_ID.match(task.id) for task in work.tasks):
        check_texts(layout, unit, {name: _usual(texts[name]) for name in texts}, most_tasks=3)
    return work


def _usual(text: str) -> str:
    """The text with one kind of line ends and of empty boxes, which do not stay as they were."""
    return (
        _EMPTY.sub("[ ]", text.replace("\r", "")).replace("[ ](", "[ ] (").replace("[ ][", "[ ] [")
    )


def _target(
    layout: Layout, folder: str, names: tuple[str, ...], documents: tuple[str, ...]
) -> Target:
    unit = Unit(layout.name, "007-demo", Path("/project") / folder / "007-demo")
    return _seeded(partial(_read, layout, unit, names), documents)


def _seeded(read: Callable[[bytes], Work], documents: tuple[str, ...]) -> Target:
    seed = SEPARATOR.join(text.encode() for text in documents)

    @cache
    def count_of_seed() -> int:
        return len(read(seed).tasks)

    return Target(
        read,
        lambda: [seed, seed.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + seed],
        lambda work: len(work.tasks) > count_of_seed() + 1,
    )


TARGETS = {
    "native": _target(UNLATCH, ".unlatch/increments", ("spec.md", "tasks.md"), _NATIVE),
    "spec-kit": _target(SPEC_KIT, "specs", ("spec.md", "tasks.md"), _SPEC_KIT),
    "kiro": _target(KIRO, ".kiro/specs", ("requirements.md", "tasks.md"), _KIRO),
    "backlog-md": _seeded(_read_backlog_md, _BACKLOG_MD),
    "openspec": _target(OPENSPEC, "openspec/changes", ("proposal.md", "tasks.md"), _OPENSPEC),
}
