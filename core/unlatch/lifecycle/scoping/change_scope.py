"""Changes of an increment's work: new work, or parts to be done again."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from unlatch.errors import UsageError
from unlatch.increments.documents import front_matter
from unlatch.increments.files.changes.plans import Intent, Plan, plan_amend
from unlatch.increments.files.paths import SPEC, TASKS
from unlatch.increments.files.work.amendments import texts_of, work_of
from unlatch.increments.files.work.files import files_of
from unlatch.increments.model.reopens import Amendment, AppliedAmendment, NewTask
from unlatch.lifecycle.scoping.amended_items import operations_for, spared_by, undescribed_by
from unlatch.values import dataclass
from unlatch.worklog.text.neutral import without_surrogates

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from unlatch.increments.documents.spec_and_tasks import Criterion, Story, Task
    from unlatch.increments.layouts.interface import Work
    from unlatch.increments.model.increment import Increment
    from unlatch.increments.model.link import Link
    from unlatch.project.workspace import Workspace

LONGEST_CHANGE = 10_000
LONGEST_TITLE = 300
MOST_TASKS = 200
_WHOLE = 100
_MOST_IDS = 8
_TARGET_KEYS = ("coverage_target", "coverageTarget")


@dataclass(frozen=True, slots=True)
class Scope:
    """An increment's work after an amendment.

    Args:
        total: the number of tasks, without discarded ones.
        spared: links whose items are not affected, because they belong to other user stories.
        undescribed: the other links whose items do not list the new tasks: unlatch never wrote
            their bodies.
        coverage: the coverage target in percent, if the files name one.
        described_in: the document that the change is appended to; None if only tasks are.
        listed_in: the document with the tasks.
    """

    amended: AppliedAmendment
    total: int
    spared: tuple[Link, ...] = ()
    undescribed: tuple[Link, ...] = ()
    coverage: float | None = None
    described_in: str | None = SPEC
    listed_in: str = TASKS

    @property
    def new(self) -> int:
        return len(self.amended.amendment.ids)

    @property
    def original(self) -> int:
        return self.total - self.new


def scope_change(
    change: str, tasks: Iterable[NewTask], *, about: tuple[str, ...] = ()
) -> Amendment:
    """Check a change with new tasks; without any, `about` names its stories and criteria.

    Raises:
        UsageError: `change-missing`, `change-too-long`, `task-unusable` or `too-many-tasks`.
    """
    change, tasks = without_surrogates(change).strip(), tuple(tasks)
    if not change:
        raise UsageError(
            "change-missing", "--scope is required: describe the change", hint="--scope TEXT"
        )
    if len(change) > LONGEST_CHANGE:
        raise UsageError(
            "change-too-long",
            f"the change has {len(change):,} characters; at most {LONGEST_CHANGE:,} are kept",
            hint="shorten it and put the rest into the increment's files",
        )
    if len(tasks) > MOST_TASKS:
        raise UsageError(
            "too-many-tasks",
            f"{len(tasks)} tasks are proposed; at most {MOST_TASKS} are taken at once",
            hint="make an increment of its own: unlatch new TITLE",
        )
    return Amendment(change, tuple(map(_checked_task, tasks)), about=() if tasks else about)


def _checked_task(task: NewTask) -> NewTask:
    title = " ".join(without_surrogates(task.title).split())
    if not title or len(title) > LONGEST_TITLE:
        problem = "is empty" if not title else f"has more than {LONGEST_TITLE} characters"
        raise UsageError(
            "task-unusable", f"the title of a task {problem}", hint="name each task in one line"
        )
    criteria = (without_surrogates(criterion).strip() for criterion in task.criteria)
    return replace(
        task,
        title=title,
        story=without_surrogates(task.story or "").strip() or None,
        criteria=tuple(filter(None, criteria)),
        description=without_surrogates(task.description or "") or None,
    )


def parts_of(
    increment: Increment, *, tasks: Sequence[str], stories: Sequence[str], criteria: Sequence[str]
) -> Amendment:
    """Parts to be done again.

    Raises:
        UsageError: `item-unknown` or `item-ambiguous`.
        StoreError: `document-unreadable`.
    """
    files = files_of(increment)
    texts = files.checked_texts()
    files.layout.mark(texts, (*tasks, *stories, *criteria), done=False)
    work = files.layout.read(texts)
    return Amendment(parts=spelled_parts(work, tasks, (*stories, *criteria)))


def spelled_parts(work: Work, tasks: Iterable[str], others: Iterable[str]) -> tuple[str, ...]:
    """The ids of tasks, and of stories and criteria, as the documents spell them, each once.

    Raises:
        UsageError: `item-unknown`.
    """
    spec: tuple[Story | Criterion, ...] = (*work.spec.stories, *work.spec.criteria)
    ids = [_spelling(task, work.tasks, "task") for task in tasks]
    ids += [_spelling(part, spec, "story or criterion") for part in others]
    return tuple(dict.fromkeys(ids))


def _spelling(wanted: str, items: Sequence[Criterion | Story | Task], kind: str) -> str:
    for item in items:
        if item.id.casefold() == wanted.strip().casefold():
            return item.id
    raise UsageError(
        "item-unknown",
        f"no {kind} has the id {wanted.strip()!r}",
        hint=f"there are: {_ids_of(items)}" if items else f"the documents have no {kind}",
    )


def _ids_of(items: Sequence[Criterion | Story | Task]) -> str:
    ids = [part.id for part in items]
    return ", ".join(ids[:_MOST_IDS]) + (", ..." if len(ids) > _MOST_IDS else "")


def unknown_names(increment: Increment, amendment: Amendment) -> list[str]:
    """The stories and criteria of new tasks that the documents lack."""
    spec = work_of(increment).spec
    ids = [*(story.id for story in spec.stories), *(criterion.id for criterion in spec.criteria)]
    ids_in_spec = {id_.casefold() for id_ in ids}
    named = {name for names in amendment.belongings for name in names}
    return sorted(name for name in named if name.casefold() not in ids_in_spec)


def known_amendment(increment: Increment, amendment: Amendment) -> Amendment | None:
    """An amendment of an active increment that was made before, as in a repeated CI step."""
    if amendment.change is None:
        return amendment if _are_open(increment, amendment.parts) else None
    for done in (amended.amendment for amended in increment.amended):
        tasks = tuple(replace(task, id="") for task in done.tasks)
        if amendment == replace(done, unwritten=(), tasks=tasks):
            return done
    return None


def _are_open(increment: Increment, parts: Iterable[str]) -> bool:
    """Whether all of these parts, as far as the documents have them, are open already."""
    layout, texts = files_of(increment).layout, texts_of(increment)
    work = layout.read(texts)
    items: tuple[Criterion | Story | Task, ...]
    items = (*work.tasks, *work.spec.stories, *work.spec.criteria)
    ids = {item.id.casefold() for item in items}
    ours = [part for part in parts if part.casefold() in ids]
    return layout.mark(texts, ours, done=False) == texts


def plan_amendment_of_active(
    workspace: Workspace, plan: Plan, intent: Intent, amendment: Amendment
) -> tuple[Plan, Scope | None]:
    """The plan with the amendment that follows it; None if it was already made.

    Raises:
        StoreError: `document-unreadable`.
    """
    before = plan.before
    if known_amendment(before, amendment):
        return plan, None
    amended = amended_by(intent, amendment)
    operations = operations_for(workspace, before, amended, intent.delivery)
    after = plan_amend(plan.after, amended, *operations).after
    return replace(plan, after=after), scope_of(after, amended.id)


def amend_active(
    workspace: Workspace, increment: Increment, intent: Intent, amendment: Amendment
) -> tuple[Increment, frozenset[str]]:
    """Change the work of an active increment, and enqueue the operations for its items.

    Returns:
        the increment, and the intents that were added.

    Raises:
        StoreError: its files cannot be read or written; nothing was changed.
    """
    amended = amended_by(intent, amendment)
    operations = operations_for(workspace, increment, amended, intent.delivery)
    _, after = workspace.manager.apply(
        increment.id,
        lambda before, _: plan_amend(before, amended, *operations),
        by=intent.by,
        unarchive=True,
    )
    return after, frozenset(operation.op for operation in operations)


def for_documents(increment: Increment, amendment: Amendment) -> Amendment:
    """The amendment as an increment's documents can hold it.

    The documents of other tools have no place for a change: it becomes a task.
    """
    if increment.unit is None or amendment.change is None or amendment.tasks:
        return amendment
    (title, *rest) = amendment.change.split("\n", 1)
    title = " ".join(title.split())
    left = rest[0].strip() if rest else ""
    if len(title) > LONGEST_TITLE:
        title, left = f"{title[: LONGEST_TITLE - 3]}...", amendment.change
    story = next(iter(amendment.about), None)
    task = NewTask(title, story, amendment.about[1:], left or None)
    return replace(amendment, tasks=(task,), about=())


def amended_by(intent: Intent, amendment: Amendment) -> AppliedAmendment:
    return AppliedAmendment(intent.op, intent.at, intent.by, amendment, intent.reason)


def scope_of(increment: Increment, amendment_id: str) -> Scope:
    """The change of an increment's work, from its documents after the change."""
    amended = next(amended for amended in increment.amended if amended.id == amendment_id)
    _, total = work_of(increment).progress
    items = spared_by(increment, amended.amendment), undescribed_by(increment, amended)
    changed = [name for name, text in texts_of(increment).items() if amended.id in text]
    files = files_of(increment)
    later = (name for name in reversed(changed) if name != files.names[0])
    listed_in = next(later, files.listing)
    described_in = next((name for name in changed if name != listed_in), None)
    return Scope(amended, total, *items, _coverage(increment), described_in, listed_in)


def _coverage(increment: Increment) -> float | None:
    """The coverage target: of the tasks, else of the specification, else of metadata.json."""
    texts = [*texts_of(increment).values()]
    places = (*map(front_matter.values, reversed(texts)), increment.data)
    targets = (_percent(place.get(key)) for place in places for key in _TARGET_KEYS)
    return next((target for target in targets if target is not None), None)


def _percent(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        number = float(str(value).strip().removesuffix("%"))
    except ValueError:
        return None
    return number if 0 < number <= _WHOLE else None
