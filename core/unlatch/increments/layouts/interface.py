"""What a layout does for the units of one spec-driven tool."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

from unlatch.increments.documents.marks import NO_MARKS
from unlatch.increments.documents.spec_and_tasks import Criterion, Spec, Task
from unlatch.increments.model.reopens import AppliedAmendment
from unlatch.increments.model.status import Status
from unlatch.increments.model.unit import Evidence, Unit
from unlatch.values import dataclass

# The documents of a unit: their texts, with their own line endings, by their paths below its
# folder. A document that is missing, or is not UTF-8 text, is empty.
Texts = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Work:
    """The work of a unit: its title, stories and criteria (`spec`), and its tasks."""

    spec: Spec
    tasks: tuple[Task, ...]

    @property
    def progress(self) -> tuple[int, int]:
        """The numbers of done tasks and of all tasks, without discarded and optional ones."""
        counted = [task for task in self.tasks if not (task.discarded or task.optional)]
        return sum(task.done is True for task in counted), len(counted)

    @property
    def open(self) -> tuple[Criterion | Task, ...]:
        """The criteria and the required tasks that are open."""
        criteria = (criterion for criterion in self.spec.criteria if criterion.done is False)
        required = (task for task in self.tasks if not (task.discarded or task.optional))
        return (*criteria, *(task for task in required if task.done is False))

    def stories_of(self, parts: Iterable[str]) -> frozenset[str]:
        """The ids, in lower case, of the stories that parts belong to."""
        wanted = {part.casefold() for part in parts}
        story_of = {criterion.id.casefold(): criterion.story for criterion in self.spec.criteria}
        stories: set[str | None] = {
            story.id for story in self.spec.stories if story.id.casefold() in wanted
        }
        stories |= {story for key, story in story_of.items() if key in wanted}
        for task in self.tasks:
            if task.id.casefold() in wanted:
                stories |= {
                    task.story,
                    *(story_of.get(criterion.casefold()) for criterion in task.criteria),
                }
        return frozenset(story.casefold() for story in stories if story)


class Layout(Protocol):
    """The units of one tool. All methods but `units` and `documents` are pure functions of texts.

    A unit is a folder, or a file (`Unit.is_file`). `check_layout` of `unlatch.testing.layouts`
    tests an implementation.
    """

    @property
    def name(self) -> str:
        """Its name in metadata.json and in `[layouts]`: lower-case words joined by hyphens."""

    @property
    def title(self) -> str:
        """The tool's name, as its users write it."""

    def detect(self, root: Path) -> bool:
        """Whether the project in `root` uses the tool, by the tool's marker."""

    def units(self, root: Path) -> Iterator[Unit]:
        """The units below `root`, archived ones included.

        Links are not followed. Two with one key are ambiguous, and no command changes either.
        Raises OSError if a folder cannot be listed.
        """

    def documents(self, unit: Unit) -> Sequence[str]:
        """The paths of the documents below the folder of the unit, the one with its title first.

        They may be missing. Only these files are read, and only these are written.
        """

    def read(self, texts: Texts) -> Work:
        """The work in the documents. A task without an id gets `#` and its place as one."""

    def title_in(self, texts: Texts) -> str | None:
        """The title of the work alone, as `read` finds it; lists of many units show only this."""

    def links(self, texts: Texts) -> tuple[str, ...]:
        """The names and addresses of items in the documents; they are suggested, never trusted."""

    def evidence(self, unit: Unit, texts: Texts) -> Evidence | None:
        """The status that the files show: by the folder, else a ledger, else the required tasks."""

    def mark(
        self, texts: Texts, ids: Iterable[str], *, done: bool, marks: Mapping[str, str] = NO_MARKS
    ) -> Texts:
        """The documents with tasks ticked or unticked; all other characters stay.

        A space follows a box that, once ticked, would be the text of a link.

        A tick is `x` or `X`. Unticking writes what `marks` has for the id in lower case, such as
        `?`, else a space; a mark that is open already stays.

        An id of a story or a criterion means all of its tasks but the discarded ones. Ticking an
        open task and unticking it again restores its document. So does unticking and ticking a
        done one, but for the spelling of its mark, which then is that of other tasks.

        Raises:
            UsageError: `item-unknown`, an id is not there; `item-ambiguous`, it occurs more than
                once.
        """

    def amend(self, texts: Texts, amended: AppliedAmendment) -> tuple[Texts, tuple[str, ...]]:
        """The documents with an amendment, and the ids of its new tasks.

        Parts are unticked. New tasks are appended below a heading with the amendment's id, with the
        next free ids; existing ids stay. Where the id is there already, nothing is appended, and
        the ids of the amendment's tasks are returned.
        """

    def home(self, unit: Unit) -> Path:
        """The folder of the unit while it is worked on; its own place unless it is archived."""

    def archive_command(self, unit: Unit) -> Sequence[str]:
        """The tool's own command that archives a finished unit; empty if it has none.

        It runs in the project's root, without a shell, when a user asks for it.
        """

    def advice(self, root: Path, unit: Unit, texts: Texts) -> tuple[str, ...]:
        """What a person has to do in the tool's files once an archived unit was taken up again."""


class KeepsStatus(Layout, Protocol):
    """A layout of a tool that keeps a status in the documents."""

    def with_status(self, unit: Unit, texts: Texts, status: Status) -> Texts:
        """The documents once unlatch sets a status; unchanged where they say as much already.

        Args:
            unit: as it was before it left its archive.
        """


@runtime_checkable
class OneAtATime(Protocol):
    """What a layout has besides if its tool works on one unit, which a file of the tool names."""

    def current(self, root: Path) -> Path | None:
        """The folder of the unit that the tool works on; None if no file names one."""

    def naming(self, root: Path, place: Path) -> tuple[Path, str] | None:
        """The tool's file and its text, naming this folder; None if the tool writes it otherwise.

        Only what names the folder is changed.
        """
