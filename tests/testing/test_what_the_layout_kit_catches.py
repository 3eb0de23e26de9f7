"""The conformance kit for layouts fails for layouts with a fault."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from unlatch.increments.layouts.interface import Texts, Work
from unlatch.increments.layouts.native import UNLATCH, Native
from unlatch.increments.model.reopens import AppliedAmendment
from unlatch.increments.model.status import Status
from unlatch.increments.model.unit import Evidence, Unit
from unlatch.testing.layouts import check_layout

TASKS = "# Tasks\n\n- [x] T-001: One\n- [ ] T-002: Two\n- [ ] T-003: Three\n"
SEVENTH = "0007-search"


def _through_links(layout: Native, root: Path) -> Iterator[Unit]:
    yield from Native.units(layout, root)
    for place in (root / layout.increments).glob("9*/0*/"):
        yield Unit(layout.name, f"linked-{place.name}", place)


def _trimmed(layout: Native, texts: Texts, ids: Iterable[str], **more: Any) -> Texts:
    marked = Native.mark(layout, texts, ids, **more)
    return {name: text.rstrip() for name, text in marked.items()}


def _known_alone(layout: Native, texts: Texts, ids: Iterable[str], **more: Any) -> Texts:
    known = {task.id for task in layout.read(texts).tasks}
    return Native.mark(layout, texts, [name for name in ids if name in known], **more)


def _falling(layout: Native, _unit: Unit, texts: Texts) -> Evidence | None:
    done = sum(task.done is True for task in layout.read(texts).tasks)
    return Evidence(Status.PLANNING if done > 1 else Status.ACTIVE, f"{done} tasks")


def _repeated(layout: Native, texts: Texts, amended: AppliedAmendment) -> Any:
    renamed = {name: re.sub("01M8Z*", "01M8", text) for name, text in texts.items()}
    return Native.amend(layout, renamed, amended)


def _numbered_anew(layout: Native, texts: Texts, amended: AppliedAmendment) -> Any:
    after, ids = Native.amend(layout, texts, amended)
    return {name: text.replace("T-001", "T-901") for name, text in after.items()}, ids


def _as_they_are(layout: Native, texts: Texts, amended: AppliedAmendment) -> Any:
    if amended.id in texts["tasks.md"]:
        return texts, amended.amendment.ids
    first = len(layout.read(texts).tasks) + 1
    ids = tuple(f"T-{first + n:03}" for n in range(len(amended.amendment.tasks)))
    named = zip(ids, amended.amendment.tasks, strict=True)
    lines = [f"- [ ] {task_id}: {task.title}\n" for task_id, task in named]
    section = f"\n## Scope change ({amended.id})\n\n" + "".join(lines)
    return {**texts, "tasks.md": texts["tasks.md"] + section}, ids


def _blind(layout: Native, texts: Texts) -> Work:
    work = Native.read(layout, texts)
    return replace(work, tasks=()) if "\r\n" in texts["tasks.md"] else work


# A method, what it does instead, and the message of the kit.
FAULTS: dict[str, tuple[str, Callable[..., Any], str]] = {
    "detects each project": ("detect", lambda *_: True, "an empty folder is detected"),
    "finds each unit twice": (
        *("units", lambda layout, root: (*Native.units(layout, root), *Native.units(layout, root))),
        "2 units with this key",
    ),
    "finds units through links": ("units", _through_links, "was found through the link"),
    "reads a file outside of the unit's folder": (
        *("documents", lambda *_: ("spec.md", "../tasks.md")),
        "'../tasks.md' is not a path below its folder",
    ),
    "removes white space at the end": ("mark", _trimmed, "marking nothing changes it"),
    "ignores unknown ids": ("mark", _known_alone, "marking 'no such id'"),
    "shows a lower status for more work": ("evidence", _falling, "ticking lowers its status"),
    "appends an amendment each time": ("amend", _repeated, "the amendment"),
    "numbers the first task anew": (
        *("amend", _numbered_anew, "the amendment changes tasks.md beyond adding to it"),
    ),
    "writes titles as they are": (
        *("amend", _as_they_are, "the amendment brings line endings into tasks.md"),
    ),
    "reads no Windows line endings": ("read", _blind, "reads differently as crlf"),
}


def run(layout: Native, tmp_path: Path) -> None:
    folder = tmp_path / "root" / layout.increments / SEVENTH
    folder.mkdir(parents=True)
    (folder / "spec.md").write_text("# Search\n", encoding="utf-8")
    (folder / "tasks.md").write_text(TASKS, encoding="utf-8", newline="")
    check_layout(layout, tmp_path / "root", tmp_path)


def test_a_layout_without_a_fault_passes(tmp_path: Path) -> None:
    run(UNLATCH, tmp_path)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found(fault: str, tmp_path: Path) -> None:
    method, wrong, message = FAULTS[fault]
    faulty = type("Faulty", (Native,), {method: wrong})
    with pytest.raises(AssertionError, match=re.escape(message)):
        run(faulty(UNLATCH.name, UNLATCH.title, UNLATCH.increments), tmp_path)
