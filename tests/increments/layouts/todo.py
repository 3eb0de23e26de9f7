"""The example of docs/writing-a-layout.md: a todo.md in each folder of todo/."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from unlatch.increments.documents.marks import NO_MARKS, Marks
from unlatch.increments.documents.quoting import as_title, one_line, quoted
from unlatch.increments.documents.spec_and_tasks import Spec, Task
from unlatch.increments.documents.task_lines import TaskGrammar, task_lines
from unlatch.increments.layouts.check_list import evidence_of, with_marked
from unlatch.increments.layouts.folders import has, subfolders
from unlatch.increments.layouts.interface import Texts, Work
from unlatch.increments.layouts.mentions import mentions
from unlatch.increments.model.reopens import AppliedAmendment, NewTask
from unlatch.increments.model.status import Status
from unlatch.increments.model.unit import Evidence, Unit
from unlatch.worklog.text.markdown_lines import append_lines

FILE = "todo.md"
# Only `x` is done; tasks have no ids.
GRAMMAR = TaskGrammar(Marks({}), re.compile(r"(?!)"))


class Todo:
    """Lists of tasks in todo/NAME/todo.md; finished ones are in todo/done/NAME."""

    name = "todo"
    title = "Todo"

    def detect(self, root: Path) -> bool:
        return any(True for _ in self.units(root))

    def units(self, root: Path) -> Iterator[Unit]:
        for folder, archived in ((root / "todo", False), (root / "todo/done", True)):
            for name in subfolders(folder):
                if has(folder / name / FILE):
                    yield Unit(self.name, name, folder / name, archived)

    def documents(self, unit: Unit) -> Sequence[str]:
        return (FILE,)

    def read(self, texts: Texts) -> Work:
        return Work(Spec(texts[FILE]), tuple(read_tasks(texts[FILE])))

    def title_in(self, texts: Texts) -> str | None:
        return None

    def links(self, texts: Texts) -> tuple[str, ...]:
        return mentions(texts.values())

    def evidence(self, unit: Unit, texts: Texts) -> Evidence | None:
        if unit.archived:
            return Evidence(Status.COMPLETED, "done folder")
        return evidence_of(self.read(texts).tasks)

    def mark(
        self, texts: Texts, ids: Iterable[str], *, done: bool, marks: Mapping[str, str] = NO_MARKS
    ) -> Texts:
        text = texts[FILE]
        return {FILE: with_marked(text, read_tasks(text), ids, done=done, marks=marks)}

    def amend(self, texts: Texts, amended: AppliedAmendment) -> tuple[Texts, tuple[str, ...]]:
        known = [task.id for task in read_tasks(texts[FILE])]
        parts = [one for one in amended.amendment.parts if one in known]
        text = self.mark(texts, parts, done=False)[FILE]
        if amended.id in text:
            return {FILE: text}, amended.amendment.ids
        lines = [f"Why: {one_line(amended.amendment.change or '')}", ""]
        lines += [line for task in amended.amendment.tasks for line in new_lines(task)]
        heading = f"## Scope change {amended.at:%Y-%m-%d} ({amended.id})"
        after = append_lines(text, [heading, "", *lines], closes=False)
        return {FILE: after}, tuple(task.id for task in read_tasks(after)[len(known) :])

    def home(self, unit: Unit) -> Path:
        return unit.place.parents[1] / unit.key if unit.archived else unit.place

    def archive_command(self, unit: Unit) -> Sequence[str]:
        return ()

    def advice(self, root: Path, unit: Unit, texts: Texts) -> tuple[str, ...]:
        return ()


def read_tasks(text: str) -> list[Task]:
    return [one.task(f"#{n}", one.text) for n, one in enumerate(task_lines(text, GRAMMAR), 1)]


def new_lines(task: NewTask) -> list[str]:
    below = quoted(task.description) if task.description else []
    return [f"- [ ] {as_title(task.title)}", *(f"  {line}" for line in below)]


TODO = Todo()
