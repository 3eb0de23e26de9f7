"""Texts of specs for tests of the layout."""

from datetime import UTC, datetime
from pathlib import Path

from unlatch.increments.documents.spec_and_tasks import Criterion, Story, Task
from unlatch.increments.layouts.interface import Texts
from unlatch.increments.model.reopens import Amendment, AppliedAmendment, NewTask
from unlatch.increments.model.unit import Unit
from unlatch_layouts.kiro import KIRO

ULID = "01M8ZZZZZZZZZZZZZZZZZZZZZ0"
UNIT = Unit("kiro", "login", Path("p/.kiro/specs/login"))
DOCUMENTS = KIRO.documents(UNIT)


def texts(tasks: str = "", *, requirements: str = "", **others: str) -> Texts:
    """The documents of a spec; `others` by the first word of their names."""
    given = {"tasks": tasks, "requirements": requirements, **others}
    return {name: given.get(name.partition(".")[0], "") for name in DOCUMENTS}


def tasks_in(text: str, *, requirements: str = "") -> tuple[Task, ...]:
    return KIRO.read(texts(text, requirements=requirements)).tasks


def stories_in(requirements: str) -> tuple[Story, ...]:
    return KIRO.read(texts(requirements=requirements)).spec.stories


def criteria_in(requirements: str) -> list[tuple[str, str]]:
    found: tuple[Criterion, ...] = KIRO.read(texts(requirements=requirements)).spec.criteria
    return [(one.id, one.text) for one in found]


def amendment(
    *tasks: NewTask, change: str | None = "More work", parts: tuple[str, ...] = ()
) -> AppliedAmendment:
    at = datetime(2026, 7, 1, 12, tzinfo=UTC)
    return AppliedAmendment(ULID, at, "Dana Demo", Amendment(change, tasks, parts), "It came back")
