"""What unlatch does with the specs of Kiro and cc-sdd."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from unlatch.increments.documents.marks import NO_MARKS
from unlatch.increments.documents.quoting import shown
from unlatch.increments.documents.scope_change import with_change
from unlatch.increments.documents.spec_and_tasks import Spec, Task
from unlatch.increments.documents.titles import name_in
from unlatch.increments.layouts.check_list import evidence_of, find_tasks, known_parts, with_marked
from unlatch.increments.layouts.interface import Texts, Work
from unlatch.increments.layouts.mentions import mentions
from unlatch.increments.model.reopens import AppliedAmendment
from unlatch.increments.model.status import Status
from unlatch.increments.model.unit import Evidence, Unit
from unlatch.values import dataclass
from unlatch.worklog.json_text import json_object
from unlatch.worklog.text.markdown_lines import first_title
from unlatch_layouts.kiro import specs
from unlatch_layouts.kiro.amending import with_new_tasks
from unlatch_layouts.kiro.requirements import read_bugfix, read_requirements
from unlatch_layouts.kiro.specs import BUGFIX, DESIGN, LEDGER, REQUIREMENTS, TASKS
from unlatch_layouts.kiro.tasks import read_tasks, with_opened_below

# The phase that cc-sdd writes in the end.
_IMPLEMENTED = "implementation-completed"


@dataclass(frozen=True, slots=True)
class Kiro:
    """A spec is a unit; `.kiro-archive` and folders called "archive" have finished ones."""

    name: str = specs.NAME
    title: str = "Kiro"

    def detect(self, root: Path) -> bool:
        return specs.is_project(root)

    def units(self, root: Path) -> Iterator[Unit]:
        return specs.specs(root)

    def documents(self, unit: Unit) -> Sequence[str]:
        return specs.DOCUMENTS

    def read(self, texts: Texts) -> Work:
        spec = replace(_spec(texts), title=_title(texts))
        return Work(spec, tuple(read_tasks(texts[TASKS], spec)))

    def title_in(self, texts: Texts) -> str | None:
        return _title(texts)

    def links(self, texts: Texts) -> tuple[str, ...]:
        return mentions(texts[name] for name in (REQUIREMENTS, BUGFIX, DESIGN, TASKS))

    def evidence(self, unit: Unit, texts: Texts) -> Evidence | None:
        """The archive, else the required tasks.

        The `phase` of spec.json says which documents were generated, and often stays
        `tasks-generated` in finished specs: it counts only where no required task does.
        """
        if unit.archived:
            return Evidence(Status.COMPLETED, "archive")
        if by_tasks := evidence_of(self.read(texts).tasks):
            return by_tasks
        phase = json_object(texts[LEDGER]).get("phase")
        if not isinstance(phase, str) or not phase:
            return None
        status = Status.COMPLETED if phase == _IMPLEMENTED else Status.PLANNING
        return Evidence(status, f"{LEDGER}: {shown(phase)}")

    def mark(
        self, texts: Texts, ids: Iterable[str], *, done: bool, marks: Mapping[str, str] = NO_MARKS
    ) -> Texts:
        """Ticking or unticking changes the boxes that are named: a parent keeps its own."""
        text, tasks = texts[TASKS], _tasks(texts)
        return {**texts, TASKS: with_marked(text, tasks, ids, done=done, marks=marks)}

    def amend(self, texts: Texts, amended: AppliedAmendment) -> tuple[Texts, tuple[str, ...]]:
        """A parent that is to be done again means all tasks below it too."""
        tasks = _tasks(texts)
        parts = known_parts(amended.amendment.parts, tasks)
        opened = with_marked(texts[TASKS], tasks, parts, done=False)
        opened = with_opened_below(opened, find_tasks(tasks, parts))
        text, ids = with_new_tasks(opened, amended, existing=[task.id for task in tasks])
        changed = {**texts, TASKS: text}
        name = BUGFIX if texts[BUGFIX] and not texts[REQUIREMENTS] else REQUIREMENTS
        if texts[name]:
            changed[name] = with_change(texts[name], amended)
        return changed, ids

    def home(self, unit: Unit) -> Path:
        return specs.home(unit)

    def archive_command(self, unit: Unit) -> Sequence[str]:
        return ()

    def advice(self, root: Path, unit: Unit, texts: Texts) -> tuple[str, ...]:
        return ()


def _spec(texts: Texts) -> Spec:
    spec = read_requirements(texts[REQUIREMENTS])
    if spec.stories or not texts[BUGFIX]:
        return spec
    return read_bugfix(texts[BUGFIX])


def _title(texts: Texts) -> str | None:
    """The name of the spec in the first title that has one."""
    for name in (REQUIREMENTS, BUGFIX, DESIGN, TASKS):
        if title := name_in(first_title(texts[name]), of_bugfix=True):
            return title
    return None


def _tasks(texts: Texts) -> list[Task]:
    return read_tasks(texts[TASKS], _spec(texts))


KIRO = Kiro()
