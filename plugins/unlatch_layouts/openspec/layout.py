"""The layout of OpenSpec."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from unlatch.increments.documents.marks import NO_MARKS
from unlatch.increments.documents.spec_and_tasks import Spec
from unlatch.increments.layouts.check_list import evidence_of
from unlatch.increments.layouts.folders import text_of
from unlatch.increments.layouts.interface import Texts, Work
from unlatch.increments.layouts.mentions import mentions
from unlatch.increments.model.reopens import AppliedAmendment
from unlatch.increments.model.status import Status
from unlatch.increments.model.unit import Evidence, Unit
from unlatch.values import dataclass
from unlatch.worklog.text.markdown_lines import first_title
from unlatch_layouts.openspec import changes
from unlatch_layouts.openspec.advice import advice
from unlatch_layouts.openspec.amending import amended as with_amendment
from unlatch_layouts.openspec.deltas import stories
from unlatch_layouts.openspec.task_lines import marked, read_tasks

# "Change: ...", "Change proposal - ...", also in Chinese; or nothing but these words.
_PREFIX = re.compile(
    r"(?:openspec[ \t]+)?"
    r"(?:change(?:[ \t]+proposal)?|proposal|\u53d8\u66f4(?:\u63d0\u6848)?|\u63d0\u6848)"
    r"(?:[ \t]*[:\uff1a\u2013\u2014]|[ \t]+-[ \t]|\Z)",
    re.IGNORECASE,
)
_TASKS_PREFIX = re.compile(r"tasks[ \t]*[:\uff1a]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class OpenSpec:
    """Changes of OpenSpec; an archived one is completed, else its tasks show the status."""

    name: str = changes.NAME
    title: str = "OpenSpec"

    def detect(self, root: Path) -> bool:
        return changes.is_project(root)

    def units(self, root: Path) -> Iterator[Unit]:
        return changes.changes(root)

    def documents(self, unit: Unit) -> Sequence[str]:
        return changes.documents(unit)

    def read(self, texts: Texts) -> Work:
        proposal = texts.get(changes.PROPOSAL, "")
        requirements = stories(_deltas(texts))
        criteria = tuple(criterion for story in requirements for criterion in story.criteria)
        spec = Spec(proposal, self.title_in(texts), requirements, criteria)
        return Work(spec, tuple(read_tasks(_tasks(texts))))

    def title_in(self, texts: Texts) -> str | None:
        return _title(texts.get(changes.PROPOSAL, ""), _tasks(texts))

    def links(self, texts: Texts) -> tuple[str, ...]:
        return mentions(texts.values())

    def evidence(self, unit: Unit, texts: Texts) -> Evidence | None:
        if unit.archived:
            return Evidence(Status.COMPLETED, "archive")
        return evidence_of(read_tasks(_tasks(texts)))

    def mark(
        self, texts: Texts, ids: Iterable[str], *, done: bool, marks: Mapping[str, str] = NO_MARKS
    ) -> Texts:
        return {**texts, **marked(_tasks(texts), ids, done=done, marks=marks)}

    def amend(self, texts: Texts, amended: AppliedAmendment) -> tuple[Texts, tuple[str, ...]]:
        after, ids = with_amendment(_tasks(texts), amended)
        return {**texts, **after}, ids

    def home(self, unit: Unit) -> Path:
        return changes.home(unit)

    def archive_command(self, unit: Unit) -> Sequence[str]:
        return changes.archive_command(unit)

    def advice(self, root: Path, unit: Unit, texts: Texts) -> tuple[str, ...]:
        owners = [(path, changes.capability(path)) for path in _deltas(texts)]
        place = changes.home(unit).relative_to(changes.root_of(unit)).as_posix()
        specs = [f"{changes.SPECS}/{owner}/{changes.SPEC}" for _, owner in owners]
        return tuple(
            advice(
                {f"{place}/{path}": texts[path] for path, _ in owners},
                {path: text_of(root / path) for path in specs},
            )
        )


def _deltas(texts: Texts) -> dict[str, str]:
    return {path: text for path, text in texts.items() if changes.is_delta(path)}


def _tasks(texts: Texts) -> dict[str, str]:
    """The files with tasks: all but the proposal and the changes of specifications."""
    return {
        path: text
        for path, text in texts.items()
        if path != changes.PROPOSAL and not changes.is_delta(path)
    }


def _title(proposal: str, tasks: Mapping[str, str]) -> str | None:
    """The first heading of the proposal, else that of the tasks if it names the change."""
    words = first_title(proposal)
    if title := _PREFIX.sub("", words, count=1).strip() if _PREFIX.match(words) else words:
        return title
    headings = map(first_title, tasks.values())
    named = (
        words[match.end() :].strip() for words in headings if (match := _TASKS_PREFIX.match(words))
    )
    return next(filter(None, named), None)


OPENSPEC = OpenSpec()
