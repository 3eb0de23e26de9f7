"""The layout of spec-kit: a folder for each feature in specs/, with spec.md and tasks.md.

Scope changes are written as `/speckit.converge` writes its tasks: a new phase at the end of
tasks.md, with the next ids (github/spec-kit, templates/commands/converge.md).
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from unlatch.increments.documents.marks import BOX, NO_MARKS
from unlatch.increments.documents.quoting import as_title, one_line, quoted
from unlatch.increments.documents.spec_and_tasks import Task
from unlatch.increments.documents.task_lines import scan_tasks, task_lines
from unlatch.increments.layouts.check_list import evidence_of, known_parts, with_marked
from unlatch.increments.layouts.folders import has, subfolders
from unlatch.increments.layouts.interface import Texts, Work
from unlatch.increments.layouts.mentions import mentions
from unlatch.increments.layouts.native import UNLATCH
from unlatch.increments.model.reopens import AppliedAmendment, NewTask
from unlatch.increments.model.status import Status
from unlatch.increments.model.unit import Evidence, Unit
from unlatch.values import dataclass
from unlatch.worklog.text.markdown_lines import Line, append_lines, scan_work
from unlatch_layouts.spec_kit.current import current_feature, naming, recorded_place
from unlatch_layouts.spec_kit.documents import (
    GRAMMAR,
    TaskId,
    id_in,
    read_spec,
    read_tasks,
    title_in,
)

SPEC, TASKS = "spec.md", "tasks.md"
_LAYOUT = "spec-kit"
_MARKER = ".specify"
# Early releases kept the features in .specify.
_PARENTS = ("specs", ".specify/specs")
_ARCHIVES = ("archive", "archived", "_archive", "complete", "completed", "done")
# 001-photo, or 20260131-142530-photo.
_NAME = re.compile(r"(?:[0-9]{3,6}|[0-9]{8}-[0-9]{6})-.+")
_PHASE = re.compile(r"\bPhase[ \t]+([0-9]{1,6})", re.IGNORECASE)
_STORY = re.compile(r"US-?[0-9]{1,4}", re.IGNORECASE)
_MARK = re.compile(r"\[(?=P[0-9]?\]|US)", re.IGNORECASE)
_BOX = re.compile(BOX)


@dataclass(frozen=True, slots=True)
class SpecKit:
    """Features of spec-kit. The Status line of spec.md is no evidence: few people change it."""

    name: str = _LAYOUT
    title: str = "spec-kit"
    # Whether its documents have a mark for what was dropped.
    discards: bool = True

    def detect(self, root: Path) -> bool:
        return has(root / _MARKER) or any(True for _ in _features(root))

    def units(self, root: Path) -> Iterator[Unit]:
        seen: set[tuple[str, bool]] = set()
        for place, archived in _features(root):
            if (place.name, archived) not in seen:
                seen.add((place.name, archived))
                yield Unit(self.name, place.name, place, archived)
        for place in _recorded(root, {name for name, _ in seen}):
            yield Unit(self.name, place.name, place)

    def documents(self, unit: Unit) -> Sequence[str]:
        return SPEC, TASKS

    def read(self, texts: Texts) -> Work:
        return Work(read_spec(texts[SPEC], texts[TASKS]), tuple(_tasks(texts)))

    def title_in(self, texts: Texts) -> str | None:
        return title_in(texts[SPEC], texts[TASKS])

    def links(self, texts: Texts) -> tuple[str, ...]:
        return mentions((texts[SPEC], texts[TASKS]))

    def evidence(self, unit: Unit, texts: Texts) -> Evidence | None:
        if unit.archived:
            return Evidence(Status.COMPLETED, "archive")
        return evidence_of(read_tasks(texts[TASKS], ()))

    def mark(
        self, texts: Texts, ids: Iterable[str], *, done: bool, marks: Mapping[str, str] = NO_MARKS
    ) -> Texts:
        text, tasks = texts[TASKS], _tasks(texts)
        return {**texts, TASKS: with_marked(text, tasks, ids, done=done, tick="X", marks=marks)}

    def amend(self, texts: Texts, amended: AppliedAmendment) -> tuple[Texts, tuple[str, ...]]:
        amendment = amended.amendment
        tasks = _tasks(texts)
        parts = known_parts(amendment.parts, tasks)
        text = with_marked(texts[TASKS], tasks, parts, done=False)
        if amended.id in text:
            return {**texts, TASKS: text}, amendment.ids or _added(texts[TASKS], amended)
        if not (amendment.tasks or amendment.change):
            return {**texts, TASKS: text}, ()
        style = _style(text)
        ids = _next_ids(text, style, len(amendment.tasks))
        heading = f"## Phase {_next_phase(text)}: Scope change {amended.at:%Y-%m-%d} ({amended.id})"
        lines = [heading, "", *_section(amended, style, ids)]
        return {**texts, TASKS: append_lines(text, lines, closes=False)}, ids

    def home(self, unit: Unit) -> Path:
        return unit.place.parent.parent / unit.key if unit.archived else unit.place

    def archive_command(self, unit: Unit) -> Sequence[str]:
        return ()

    def advice(self, root: Path, unit: Unit, texts: Texts) -> tuple[str, ...]:
        return ()

    def current(self, root: Path) -> Path | None:
        return current_feature(root)

    def naming(self, root: Path, place: Path) -> tuple[Path, str] | None:
        return naming(root, place)


SPEC_KIT = SpecKit()


def _features(root: Path) -> Iterator[tuple[Path, bool]]:
    """The folders of features, and whether they are archived.

    Without .specify, which not all repositories keep in git, a feature needs a name as spec-kit
    gives it and a spec.md: `specs` is a common name for folders.
    """
    is_marked = has(root / _MARKER)
    for parent in _PARENTS:
        for name in subfolders(root / parent):
            place = root / parent / name
            if name in _ARCHIVES:
                inner = (place / folder for folder in subfolders(place))
                yield from (
                    (folder, True) for folder in inner if _is_feature(folder, named=not is_marked)
                )
            elif _is_feature(place, named=not is_marked):
                yield place, False
    with suppress(OSError, ValueError):  # a path that cannot be
        current = current_feature(root)
        is_apart = current is not None and current.parent.name not in _ARCHIVES
        if current and is_apart and _is_feature(current, named=False):
            yield current, False


def _recorded(root: Path, seen: Collection[str]) -> Iterator[Path]:
    """The features in other folders that unlatch has records of.

    spec-kit keeps the name of the current feature out of git, so other clones do not see it there,
    nor does this one once another feature is current (findings/speckit-local-current.sh).
    """
    for key in subfolders(root / UNLATCH.increments):
        if key not in seen and (place := recorded_place(root, key, layout=_LAYOUT)):
            # As of `current_feature`, the path can be one that cannot be.
            with suppress(OSError, ValueError):
                if place.name == key and _is_feature(place, named=False):
                    yield place


def _is_feature(place: Path, *, named: bool) -> bool:
    if named and not _NAME.fullmatch(place.name):
        return False
    return has(place / SPEC) or (has(place / TASKS) and not named)


def _tasks(texts: Texts) -> list[Task]:
    spec = read_spec(texts[SPEC], "")
    return read_tasks(texts[TASKS], {criterion.id for criterion in spec.criteria})


def _added(text: str, amended: AppliedAmendment) -> tuple[str, ...]:
    """The ids of the tasks below the heading of an amendment that was written before."""
    start = text.index(amended.id)
    below = (task.id for task in read_tasks(text, ()) if task.box and task.box[0] > start)
    return tuple(below)[: len(amended.amendment.tasks)]


def _next_phase(text: str) -> int:
    headings = (line.words for line in scan_work(text).lines if line.level)
    matches = (match for words in headings if (match := _PHASE.search(words)))
    return max((int(match[1]) for match in matches), default=0) + 1


def _style(text: str) -> TaskId:
    """How most tasks write their ids, such as T001 or **T001**."""
    ids = [task_id for task in task_lines(text, GRAMMAR) if (task_id := id_in(task.text))]
    if not ids:
        return TaskId("", "T", "001", "")
    kinds = [
        (task_id.opening, task_id.prefix, len(task_id.digits), task_id.closing) for task_id in ids
    ]
    return ids[kinds.index(max(dict.fromkeys(kinds), key=kinds.count))]


def _next_ids(text: str, style: TaskId, count: int) -> tuple[str, ...]:
    # Those in code and comments are not used again.
    lines = (Line(0, 0, line, 0, 0) for line in text.removeprefix("\ufeff").splitlines())
    ids = [task_id for task in scan_tasks(lines, GRAMMAR) if (task_id := id_in(task.text))]
    first = max((int(task_id.digits) for task_id in ids), default=0) + 1
    width = len(style.digits)
    return tuple(f"{style.prefix}{number:0{width}}" for number in range(first, first + count))


def _section(amended: AppliedAmendment, style: TaskId, ids: Sequence[str]) -> list[str]:
    change = amended.amendment.change
    lines = [f"**Purpose**: {one_line(change)}", ""] if change else []
    for key, task in zip(ids, amended.amendment.tasks, strict=True):
        lines += _task_lines(f"{style.opening}{key}{style.closing}", task)
    return lines if ids else lines[:1]


def _task_lines(key: str, task: NewTask) -> Iterator[str]:
    story = f" [{task.story}]" if task.story and _STORY.fullmatch(task.story) else ""
    criteria = f" per {', '.join(map(one_line, task.criteria))}" if task.criteria else ""
    yield f"- [ ] {key}{story} {_without_marks(task.title)}{criteria}"
    if task.description and task.description.strip():
        yield from (f"  {line}" for line in quoted(task.description))


def _without_marks(title: str) -> str:
    """The title of a person, in which nothing reads as [P], [US1] or a check box."""
    return _MARK.sub(r"\\[", _BOX.sub(_escaped, as_title(title)))


def _escaped(box: re.Match[str]) -> str:
    return box[0].replace("[", r"\[").replace("]", r"\]")
