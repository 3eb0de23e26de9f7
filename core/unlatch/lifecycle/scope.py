"""Changes of an increment's work: new work, or parts to be done again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from unlatch.errors import StoreError, UsageError
from unlatch.increments.files import front_matter
from unlatch.increments.files.amendments import documents_of
from unlatch.increments.files.layout import SPEC, TASKS
from unlatch.increments.files.plans import Intent, Plan, plan_amend
from unlatch.increments.files.reading import document
from unlatch.increments.model.increment import Amended, Amendment, Increment, Link, NewTask
from unlatch.increments.records.events import Delivered, Repointed, read_events
from unlatch.spi import Capability
from unlatch.spi.operation import DeliveryOptions, Kind, Operation
from unlatch.spi.text import without_surrogates

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from unlatch.project.workspace import Workspace

LONGEST_CHANGE = 10_000
LONGEST_TITLE = 300
MOST_TASKS = 200
_WHOLE = 100
_TARGET_KEYS = ("coverage_target", "coverageTarget")


@dataclass(frozen=True, slots=True)
class Scope:
    """An increment's work after an amendment.

    Args:
        total: the number of tasks, without discarded ones.
        spared: links whose items are left alone, because they are about other user stories.
        coverage: the coverage target in percent, if the files name one.
    """

    amended: Amended
    total: int
    spared: tuple[Link, ...] = ()
    coverage: float | None = None

    @property
    def new(self) -> int:
        """The number of new tasks."""
        return len(self.amended.amendment.ids)

    @property
    def original(self) -> int:
        """The number of tasks before."""
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
            hint="say it in short and put the rest into spec.md",
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
    criteria = (without_surrogates(one).strip() for one in task.criteria)
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
    """Parts that are to be done again.

    Raises:
        UsageError: `item-unknown` or `item-ambiguous`.
        StoreError: `document-unreadable`.
    """
    from unlatch.increments.documents.scope_change import check_parts  # noqa: PLC0415

    spec, listed = (document(increment.folder, name) for name in (SPEC, TASKS))
    parts = check_parts(spec, listed, task_ids=tasks, other_ids=(*stories, *criteria))
    return Amendment(parts=parts)


def unknown_names(increment: Increment, amendment: Amendment) -> list[str]:
    """The stories and criteria that new tasks name, and that spec.md does not have."""
    from unlatch.increments.documents.spec import read_spec  # noqa: PLC0415

    spec = read_spec(documents_of(increment)[SPEC])
    ids = [*(one.id for one in spec.stories), *(one.id for one in spec.criteria)]
    known = {one.casefold() for one in ids}
    named = {name for names in amendment.belongings for name in names}
    return sorted(name for name in named if name.casefold() not in known)


def spared_by(increment: Increment, amendment: Amendment) -> tuple[Link, ...]:
    """The links whose items an amendment leaves alone: those of stories that it does not touch.

    New work that belongs to no story of spec.md touches all of them.
    """
    from unlatch.increments.documents.scope_change import touched_stories  # noqa: PLC0415

    is_new = amendment.change is not None
    if is_new and not all(amendment.belongings):
        return ()
    names = [name for one in amendment.belongings for name in one] if is_new else amendment.parts
    texts = documents_of(increment)
    touched = touched_stories(texts[SPEC], texts[TASKS], names)
    if is_new and not touched:
        return ()
    links = increment.links
    return tuple(one for one in links if one.story and one.story.casefold() not in touched)


def updates_for(
    workspace: Workspace, increment: Increment, amended: Amended
) -> tuple[Operation, ...]:
    """Updates of the items that show check boxes which an amendment changes."""
    amendment, at, by = amended.amendment, amended.at, amended.by
    spared = spared_by(increment, amendment)
    links = [one for one in _shown_in_bodies(workspace, increment) if one not in spared]
    op = workspace.new_id() if links else ""
    why = amended.reason or amendment.change
    return tuple(
        Operation(op, Kind.UPDATE, link.tracker, link.key, at, by, why=why) for link in links
    )


def _shown_in_bodies(workspace: Workspace, increment: Increment) -> Iterator[Link]:
    """The links whose items have a part of their body from unlatch, and can be updated.

    The increment's events show which. Where they are lost, all bodies are left alone.
    """
    written = _written(increment) if increment.links else set()
    manifests = workspace.registry.manifests
    for link in increment.links:
        manifest = manifests.get(link.tracker)
        if link.key in written and manifest and Capability.UPDATE in manifest.capabilities:
            yield link


def _written(increment: Increment) -> set[str]:
    found: set[str] = set()
    try:
        events = read_events(increment.folder)
    except StoreError:
        return found
    for event in events:
        if isinstance(event, Delivered) and event.kind in (Kind.CREATE, Kind.UPDATE):
            found.add(event.item)
        elif isinstance(event, Repointed) and event.origin in found:
            found.add(event.item)  # the item moved, and its body with it
    return found


def is_known(increment: Increment, amendment: Amendment) -> bool:
    """Whether an amendment of an active increment says nothing new, as a step that CI repeats."""
    from unlatch.increments.documents.scope_change import are_open  # noqa: PLC0415

    if amendment.change is None:
        texts = documents_of(increment)
        return are_open(texts[SPEC], texts[TASKS], amendment.parts)
    done = (replace(one.amendment, unwritten=()) for one in increment.amended)
    tasks = ((one, tuple(replace(task, id="") for task in one.tasks)) for one in done)
    return amendment in [replace(one, tasks=planned) for one, planned in tasks]


def plan_amendment_of_active(
    workspace: Workspace, plan: Plan, intent: Intent, amendment: Amendment
) -> tuple[Plan, Scope | None]:
    """A plan with the amendment that follows it; None if that was made before.

    Raises:
        StoreError: `document-unreadable`.
    """
    before = plan.before
    if is_known(before, amendment):
        return plan, None
    amended = amended_by(intent, amendment)
    operations = _operations(workspace, before, amended, intent.options)
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
    operations = _operations(workspace, increment, amended, intent.options)
    _, after = workspace.manager.apply(
        increment.id,
        lambda before, _: plan_amend(before, amended, *operations),
        by=intent.by,
        unarchive=True,
    )
    return after, frozenset(one.op for one in operations)


def amended_by(intent: Intent, amendment: Amendment) -> Amended:
    """The amendment that follows from an intent."""
    return Amended(intent.op, intent.at, intent.by, amendment, intent.reason)


def _operations(
    workspace: Workspace, increment: Increment, amended: Amended, options: DeliveryOptions
) -> tuple[Operation, ...]:
    """The operations that follow from an amendment of an active increment.

    New work is posted on each item. Of parts that are to be done again, the items of their user
    stories are reopened; an item of the whole increment is open as it is.
    """
    amendment = amended.amendment
    is_state = amendment.change is None
    spared = spared_by(increment, amendment)
    operations = [
        Operation(
            amended.id,
            Kind.REOPEN,
            link.tracker,
            link.key,
            amended.at,
            amended.by,
            amended.reason or amendment.change,
            state=is_state,
            options=options,
        )
        for link in increment.links
        if link not in spared and not (is_state and link.story is None)
    ]
    updates = updates_for(workspace, increment, amended)
    return (*operations, *updates)


def scope_of(increment: Increment, amendment_id: str) -> Scope:
    """The change of an increment's work, by its documents as they are after it."""
    from unlatch.increments.documents.model import progress  # noqa: PLC0415  (needed rarely)
    from unlatch.increments.documents.tasks import read_tasks  # noqa: PLC0415  (needed rarely)

    amended = next(one for one in increment.amended if one.id == amendment_id)
    texts = documents_of(increment)
    _, total = progress(read_tasks(texts[TASKS]))
    spared = spared_by(increment, amended.amendment)
    return Scope(amended, total, spared, _coverage(increment, texts))


def _coverage(increment: Increment, texts: Mapping[str, str]) -> float | None:
    """The coverage target: of the tasks, else of the specification, else of metadata.json."""
    places = (front_matter.values(texts[TASKS]), front_matter.values(texts[SPEC]), increment.data)
    found = (_percent(place.get(key)) for place in places for key in _TARGET_KEYS)
    return next((one for one in found if one is not None), None)


def _percent(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        number = float(str(value).strip().removesuffix("%"))
    except ValueError:
        return None
    return number if 0 < number <= _WHOLE else None
