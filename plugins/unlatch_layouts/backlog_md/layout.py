"""What unlatch does with the tasks of Backlog.md."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from unlatch.increments.documents import front_matter
from unlatch.increments.documents.marks import NO_MARKS
from unlatch.increments.documents.quoting import shown
from unlatch.increments.layouts.check_list import with_marked
from unlatch.increments.layouts.interface import Texts, Work
from unlatch.increments.layouts.mentions import mentions
from unlatch.increments.model.reopens import AppliedAmendment
from unlatch.increments.model.status import Status
from unlatch.increments.model.unit import Evidence, Unit
from unlatch.values import dataclass
from unlatch_layouts.backlog_md import project
from unlatch_layouts.backlog_md.amending import amended as with_amendment
from unlatch_layouts.backlog_md.task_file import entries, read_work, title_in, with_newlines

_WITH_ONE_BETWEEN = 3


@dataclass(frozen=True, slots=True)
class BacklogMd:
    """Tasks and drafts. The folder of a task counts for more than the status in its file."""

    name: str = project.NAME
    title: str = "Backlog.md"

    def detect(self, root: Path) -> bool:
        return project.find_project(root) is not None

    def units(self, root: Path) -> Iterator[Unit]:
        return project.tasks(root)

    def documents(self, unit: Unit) -> Sequence[str]:
        return (unit.place.name,)

    def read(self, texts: Texts) -> Work:
        return read_work(_text(texts))

    def title_in(self, texts: Texts) -> str | None:
        return title_in(_text(texts))

    def links(self, texts: Texts) -> tuple[str, ...]:
        """Those in `references` first: there the tool's users keep them."""
        text = _text(texts)
        listed = front_matter.values(with_newlines(text)).get("references")
        values = listed if isinstance(listed, list) else ()
        references = [reference for reference in values if isinstance(reference, str)]
        return tuple(dict.fromkeys((*mentions(references), *mentions([text]))))

    def evidence(self, unit: Unit, texts: Texts) -> Evidence | None:
        if unit.archived:
            is_done = unit.place.parent.name == project.COMPLETED
            by = "completed folder" if is_done else "archive"
            return Evidence(Status.COMPLETED if is_done else Status.ABANDONED, by)
        if unit.place.parent.name == project.DRAFTS:
            return Evidence(Status.PLANNING, "draft")
        if not unit.statuses:
            return None
        word = front_matter.status(with_newlines(_text(texts))) or ""
        return Evidence(_status_of(word, unit.statuses), shown(word) or "no status")

    def mark(
        self, texts: Texts, ids: Iterable[str], *, done: bool, marks: Mapping[str, str] = NO_MARKS
    ) -> Texts:
        return {
            name: with_marked(text, entries(text), ids, done=done, marks=marks)
            for name, text in texts.items()
        }

    def amend(self, texts: Texts, amended: AppliedAmendment) -> tuple[Texts, tuple[str, ...]]:
        ((name, text),) = texts.items()
        after, ids = with_amendment(text, amended)
        return {name: after}, ids

    def with_status(self, unit: Unit, texts: Texts, status: Status) -> Texts:
        """The last status for completed work; the second, or the first of two, for reopened work.

        A status that says as much stays: work that goes on may have any of those before the last.
        """
        now = self.evidence(unit, texts)
        if not now or not unit.statuses or unit.place.parent.name == project.DRAFTS:
            return texts
        if status is Status.COMPLETED and now.status is not status:
            word = unit.statuses[-1]
        elif now.status.is_finished and not status.is_finished:
            word = unit.statuses[1 if len(unit.statuses) >= _WITH_ONE_BETWEEN else 0]
        else:
            return texts
        return {name: front_matter.with_status(text, word) for name, text in texts.items()}

    def home(self, unit: Unit) -> Path:
        return project.home(unit)

    def archive_command(self, unit: Unit) -> Sequence[str]:
        return project.archive_command(unit)

    def advice(self, root: Path, unit: Unit, texts: Texts) -> tuple[str, ...]:
        return ()


def _text(texts: Texts) -> str:
    return next(iter(texts.values()))


def _status_of(word: str, statuses: Sequence[str]) -> Status:
    """A status that the project does not have says no more than that the work is not done."""
    place = _folded(word)
    folded = [*map(_folded, statuses)]
    if place == folded[-1]:
        return Status.COMPLETED
    return Status.ACTIVE if place in folded[1:] else Status.PLANNING


def _folded(word: str) -> str:
    return "".join(word.split()).casefold()


BACKLOG_MD = BacklogMd()
