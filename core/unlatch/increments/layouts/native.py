"""The layout of unlatch and of SpecWeave: a numbered folder with spec.md and tasks.md."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from unlatch.errors import UsageError
from unlatch.increments.documents.done_marks import with_marked
from unlatch.increments.documents.marks import NO_MARKS
from unlatch.increments.documents.scope_change import amended_spec, amended_tasks
from unlatch.increments.documents.spec import read_spec
from unlatch.increments.documents.tasks import read_tasks
from unlatch.increments.layouts.interface import Texts, Work
from unlatch.increments.model.reopens import AppliedAmendment
from unlatch.increments.model.unit import Evidence, Unit
from unlatch.values import dataclass
from unlatch.worklog.collection import Collection
from unlatch.worklog.disk.safe_open import HOMES

SPEC, TASKS = "spec.md", "tasks.md"


@dataclass(frozen=True, slots=True)
class Native:
    """Increments as unlatch and SpecWeave keep them; metadata.json states their status."""

    name: str
    title: str
    increments: str
    spec: str = SPEC
    tasks: str = TASKS
    # Whether its documents have a mark for what was dropped.
    discards: bool = True

    def detect(self, root: Path) -> bool:
        return any(True for _ in self.units(root))

    def units(self, root: Path) -> Iterator[Unit]:
        for folder in Collection(root / self.increments).folders():
            yield Unit(self.name, folder.name, folder.path, folder.archived)

    def documents(self, unit: Unit) -> Sequence[str]:
        return SPEC, TASKS

    def read(self, texts: Texts) -> Work:
        return Work(read_spec(texts[SPEC]), read_tasks(texts[TASKS]).tasks)

    def title_in(self, texts: Texts) -> str | None:
        return read_spec(texts[SPEC]).title

    def links(self, texts: Texts) -> tuple[str, ...]:
        from unlatch.increments.layouts.mentions import mentions  # noqa: PLC0415  (for them alone)

        return mentions(texts.values())  # metadata.json has those that are linked

    def evidence(self, unit: Unit, texts: Texts) -> Evidence | None:
        return None

    def mark(
        self, texts: Texts, ids: Iterable[str], *, done: bool, marks: Mapping[str, str] = NO_MARKS
    ) -> Texts:
        marked, left = dict(texts), list(ids)
        for name in (TASKS, SPEC):
            left = [id_ for id_ in left if not _mark(marked, name, id_, done=done, marks=marks)]
        if left:  # explains why
            is_task = left[0].strip()[:1].upper() == "T"
            with_marked(texts[TASKS if is_task else SPEC], left, done=done)
        return marked

    def amend(self, texts: Texts, amended: AppliedAmendment) -> tuple[Texts, tuple[str, ...]]:
        tasks, ids = amended_tasks(texts[TASKS], amended)
        return {SPEC: amended_spec(texts[SPEC], amended), TASKS: tasks}, ids

    def home(self, unit: Unit) -> Path:
        return unit.place.parent.parent / unit.key if unit.archived else unit.place

    def archive_command(self, unit: Unit) -> Sequence[str]:
        return ()

    def advice(self, root: Path, unit: Unit, texts: Texts) -> tuple[str, ...]:
        return ()


def _mark(
    marked: dict[str, str], name: str, wanted: str, *, done: bool, marks: Mapping[str, str]
) -> bool:
    try:
        marked[name] = with_marked(marked[name], [wanted], done=done, marks=marks)
    except UsageError as error:
        if error.id == "item-ambiguous":
            raise
        return False
    return True


UNLATCH = Native("unlatch", "unlatch", ".unlatch/increments")
# The layouts whose increments need no record elsewhere, by the names of their folders.
OWN = frozenset(home.removeprefix(".") for home in HOMES)
