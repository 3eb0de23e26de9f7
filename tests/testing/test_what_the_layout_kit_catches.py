"""The conformance kit for layouts fails for layouts with a fault."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from unlatch.increments.layouts.interface import Texts, Work
from unlatch.increments.layouts.native import UNLATCH, Native
from unlatch.increments.model.increment import AppliedAmendment
from unlatch.increments.model.status import Status
from unlatch.increments.model.unit import Evidence, Unit
from unlatch.testing.layouts import check_layout

TASKS = "# Tasks\n\n- [x] T-001: One\n- [ ] T-002: Two\n- [ ] T-003: Three\n"
SEVENTH = "0007-search"


class Eager(Native):
    """Detects each project."""

    def detect(self, root: Path) -> bool:
        return True


class Doubled(Native):
    """Finds each unit twice."""

    def units(self, root: Path) -> Iterator[Unit]:
        yield from (*super().units(root), *super().units(root))


class Following(Native):
    """Finds units through links."""

    def units(self, root: Path) -> Iterator[Unit]:
        yield from super().units(root)
        for place in (root / self.increments).glob("9*/0*/"):
            yield Unit(self.name, f"linked-{place.name}", place)


class Straying(Native):
    """Reads a file outside of the unit's folder."""

    def documents(self, unit: Unit) -> Sequence[str]:
        return "spec.md", "../tasks.md"


class Trimming(Native):
    """Removes white space at the end of the file."""

    def mark(self, texts: Texts, ids: Iterable[str], **more: Any) -> Texts:
        return {name: text.rstrip() for name, text in super().mark(texts, ids, **more).items()}


class Forgiving(Native):
    """Ignores unknown ids."""

    def mark(self, texts: Texts, ids: Iterable[str], **more: Any) -> Texts:
        known = {task.id for task in self.read(texts).tasks}
        return super().mark(texts, [one for one in ids if one in known], **more)


class Falling(Native):
    """Shows a lower status for more work."""

    def evidence(self, unit: Unit, texts: Texts) -> Evidence | None:
        done = sum(task.done is True for task in self.read(texts).tasks)
        return Evidence(Status.PLANNING if done > 1 else Status.ACTIVE, f"{done} tasks")


class Repeating(Native):
    """Appends an amendment each time."""

    def amend(self, texts: Texts, amended: AppliedAmendment) -> tuple[Texts, tuple[str, ...]]:
        renamed = {name: re.sub("01M8Z*", "01M8", text) for name, text in texts.items()}
        return super().amend(renamed, amended)


class Renumbering(Native):
    """Numbers the first task anew when it appends."""

    def amend(self, texts: Texts, amended: AppliedAmendment) -> tuple[Texts, tuple[str, ...]]:
        after, ids = super().amend(texts, amended)
        return {name: text.replace("T-001", "T-901") for name, text in after.items()}, ids


class Trusting(Native):
    """Writes titles as they are."""

    def amend(self, texts: Texts, amended: AppliedAmendment) -> tuple[Texts, tuple[str, ...]]:
        if amended.id in texts["tasks.md"]:
            return texts, amended.amendment.ids
        first = len(self.read(texts).tasks) + 1
        ids = tuple(f"T-{first + n:03}" for n in range(len(amended.amendment.tasks)))
        named = zip(ids, amended.amendment.tasks, strict=True)
        lines = [f"- [ ] {one}: {task.title}\n" for one, task in named]
        section = f"\n## Scope change ({amended.id})\n\n" + "".join(lines)
        return {**texts, "tasks.md": texts["tasks.md"] + section}, ids


class Blind(Native):
    """Reads no file with Windows line endings."""

    def read(self, texts: Texts) -> Work:
        work = super().read(texts)
        return replace(work, tasks=()) if "\r\n" in texts["tasks.md"] else work


@dataclass(frozen=True, slots=True)
class Fault:
    layout: type[Native]
    message: str


FAULTS = (
    Fault(Eager, "an empty folder is detected"),
    Fault(Doubled, "2 units with this key"),
    Fault(Following, "was found through the link"),
    Fault(Straying, "'../tasks.md' is not a path below its folder"),
    Fault(Trimming, "marking nothing changes it"),
    Fault(Forgiving, "marking 'no such id'"),
    Fault(Falling, "ticking lowers its status"),
    Fault(Repeating, "the amendment"),
    Fault(Renumbering, "the amendment changes tasks.md beyond adding to it"),
    Fault(Trusting, "the amendment brings line endings into tasks.md"),
    Fault(Blind, "reads differently as crlf"),
)


def run(layout: Native, tmp_path: Path) -> None:
    folder = tmp_path / "root" / layout.increments / SEVENTH
    folder.mkdir(parents=True)
    (folder / "spec.md").write_text("# Search\n", encoding="utf-8")
    (folder / "tasks.md").write_text(TASKS, encoding="utf-8", newline="")
    check_layout(layout, tmp_path / "root", tmp_path)


def test_a_layout_without_a_fault_passes(tmp_path: Path) -> None:
    run(UNLATCH, tmp_path)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.layout.__name__)
def test_a_fault_is_found(fault: Fault, tmp_path: Path) -> None:
    faulty = fault.layout(UNLATCH.name, UNLATCH.title, UNLATCH.increments)
    with pytest.raises(AssertionError, match=re.escape(fault.message)):
        run(faulty, tmp_path)
